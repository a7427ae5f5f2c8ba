// Writing images and labels as two files: IDX and .npy.

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <new>
#include <optional>

#include "mehler/core/atomic_file.h"
#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/table/readers/array_columns.h"
#include "mehler/table/readers/array_file.h"
#include "mehler/table/readers/image_files.h"
#include "mehler/table/readers/image_sinks.h"

namespace mehler {
namespace {

/// Images in one file and their labels in another, whose names are those of the columns image and
/// label; the formats differ in their headers.
class PairSink : public TableSink {
 public:
  PairSink(const std::filesystem::path& path, const Schema* schema)
      : path_(path), images_(path), labels_(label_file_names(path.string()).front()) {
    if (schema == nullptr) {
      return;
    }
    require_arrays(path, *schema);
    const auto others =
        std::count_if(schema->columns().begin(), schema->columns().end(), [](const Column& column) {
          const bool is_made = column.kind == ColumnKind::kIdentifier && !column.make.empty();
          return (column.is_used() && !column.is_image()) || is_made;
        });
    require_one_label(static_cast<std::size_t>(others));
  }

  void write(const Table& rows) override {
    const ImageTable table = image_table(path_, rows);
    require_one_label(table.others.size());
    if (count_ == 0 && shape_.size() == 0) {
      shape_ = table.images->shape;
      write_images(header(shape_, 0), Compression::kNone);
    }
    count_ += table.images->size();
    write_images({table.images->pixels.begin(), table.images->pixels.end()}, Compression::kUsual);
    for (const TableColumn* column : table.others) {
      has_labels_ = true;
      add_labels(*column);
    }
  }

  void finish() override {
    rewrite_header(header(shape_, count_));
    images_.commit();
    if (has_labels_) {
      labels_.write(label_file(count_));
      labels_.commit();
    }
  }

 protected:
  enum class Compression { kNone, kUsual };

  const std::filesystem::path& path() const { return path_; }
  AtomicFile& images() { return images_; }

 private:
  virtual std::string header(const ImageShape& shape, std::uint64_t images) const = 0;
  virtual void add_labels(const TableColumn& column) = 0;
  virtual std::string label_file(std::uint64_t rows) const = 0;
  virtual void write_images(const std::string& bytes, Compression) { images_.write(bytes); }
  virtual void rewrite_header(const std::string& bytes) { images_.write_over(0, bytes); }

  void require_one_label(std::size_t others) const {
    if (others > 1) {
      refuse_output(path_,
                    fmt::format("would hold images and one label each, but there are {} other "
                                "columns; end its name with .npz, .parquet, .arrow or / for a "
                                "folder of images",
                                others));
    }
  }

  std::filesystem::path path_;
  AtomicFile images_;
  AtomicFile labels_;
  ImageShape shape_;
  std::uint64_t count_ = 0;
  bool has_labels_ = false;
};

/// One member of a gzip file, which may have several.
std::string gzip_member(std::string_view bytes, int level) {
  z_stream stream{};
  constexpr int kGzip = 15 + 16;  // window bits, and gzip's header
  if (deflateInit2(&stream, level, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  std::string member(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(member.data());
  stream.avail_out = static_cast<uInt>(member.size());
  const int end = deflate(&stream, Z_FINISH);
  member.resize(stream.total_out);
  deflateEnd(&stream);
  MEHLER_ASSERT(end == Z_STREAM_END);
  return member;
}

void append_big_endian(std::uint64_t number, std::string& out) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    out.push_back(static_cast<char>(number >> shift));
  }
}

class IdxSink : public PairSink {
 public:
  IdxSink(const std::filesystem::path& path, const Schema* schema)
      : PairSink(path, schema), is_compressed_(path.extension() == ".gz") {
    for (const Column& column : schema == nullptr ? std::vector<Column>() : schema->columns()) {
      if (column.is_used() && !column.is_image()) {
        check_label(column);
      }
    }
  }

 private:
  void check_label(const Column& column) const {
    const auto fits = [](const std::string& label) { return label_of(label).has_value(); };
    const bool all_fit = column.kind == ColumnKind::kBoolean ||
                         (column.categories &&
                          std::all_of(column.categories->begin(), column.categories->end(), fits) &&
                          (!column.other || fits(*column.other))) ||
                         (column.kind == ColumnKind::kInteger && column.bounds &&
                          column.bounds->low >= 0.0 && column.bounds->high <= 255.0);
    if (!all_fit) {
      refuse_label(column.name);
    }
  }

  [[noreturn]] void refuse_label(const std::string& name) const {
    refuse_output(path(),
                  fmt::format("would be IDX, whose labels are whole numbers from 0 to 255, and "
                              "those of the column '{}' are not; end its name with .npz, "
                              ".parquet, .arrow or / for a folder of images",
                              shown(name)));
  }

  static std::optional<std::uint8_t> label_of(const std::string& text) {
    const std::optional<std::int64_t> number = plain_integer(text);
    return number && *number >= 0 && *number <= 255
               ? std::optional(static_cast<std::uint8_t>(*number))
               : std::nullopt;
  }

  std::string header(const ImageShape& shape, std::uint64_t images) const override {
    if (images > UINT32_MAX) {
      refuse_output(path(), "would be IDX, which holds at most 2^32 images; write fewer");
    }
    std::string text;
    append_big_endian(shape.channels == 1 ? 0x803 : 0x804, text);
    for (const std::uint64_t size :
         {images, std::uint64_t{shape.rows}, std::uint64_t{shape.columns}}) {
      append_big_endian(size, text);
    }
    if (shape.channels != 1) {
      append_big_endian(shape.channels, text);
    }
    return text;
  }

  void add_labels(const TableColumn& column) override {
    const auto add = [&](const std::string& text) {
      const std::optional<std::uint8_t> label = label_of(text);
      if (!label) {
        refuse_label(column.name);
      }
      labels_.push_back(static_cast<char>(*label));
    };
    if (const auto* numbers = std::get_if<std::vector<std::int64_t>>(&column.values)) {
      std::for_each(numbers->begin(), numbers->end(),
                    [&](std::int64_t number) { add(std::to_string(number)); });
    } else if (const auto* texts = std::get_if<std::vector<std::string>>(&column.values)) {
      std::for_each(texts->begin(), texts->end(), add);
    } else {
      refuse_label(column.name);
    }
  }

  std::string label_file(std::uint64_t rows) const override {
    std::string text;
    append_big_endian(0x801, text);
    append_big_endian(rows, text);
    text += labels_;
    return is_compressed_ ? gzip_member(text, Z_DEFAULT_COMPRESSION) : text;
  }

  // The header is a member of its own, stored as it is: it has the same size once the number of
  // images is known.
  void write_images(const std::string& bytes, Compression compression) override {
    const int level = compression == Compression::kNone ? Z_NO_COMPRESSION : Z_DEFAULT_COMPRESSION;
    images().write(is_compressed_ ? gzip_member(bytes, level) : bytes);
  }
  void rewrite_header(const std::string& bytes) override {
    images().write_over(0, is_compressed_ ? gzip_member(bytes, Z_NO_COMPRESSION) : bytes);
  }

  bool is_compressed_;
  std::string labels_;
};

class NpySink : public PairSink {
 public:
  using PairSink::PairSink;

 private:
  std::string header(const ImageShape& shape, std::uint64_t images) const override {
    return npy_header("|u1", array_shape(shape, images));
  }
  void add_labels(const TableColumn& column) override { labels_.add(column); }
  std::string label_file(std::uint64_t rows) const override { return labels_.file(rows); }

  GrowingArray labels_;
};

}  // namespace

std::unique_ptr<TableSink> make_idx_sink(const std::filesystem::path& path, const Schema* schema) {
  return std::make_unique<IdxSink>(path, schema);
}

std::unique_ptr<TableSink> make_npy_sink(const std::filesystem::path& path, const Schema* schema) {
  return std::make_unique<NpySink>(path, schema);
}

}  // namespace mehler
