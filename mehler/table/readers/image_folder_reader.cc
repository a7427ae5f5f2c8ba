// Folders of PNG images as record batches.

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/buffer.h>
#include <arrow/csv/options.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/utf8.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <optional>
#include <unordered_map>

#include "mehler/core/lower_case.h"
#include "mehler/table/readers/arrow_errors.h"
#include "mehler/table/readers/csv_dialect.h"
#include "mehler/table/readers/csv_reader.h"
#include "mehler/table/readers/file_source.h"
#include "mehler/table/readers/image_arrays.h"
#include "mehler/table/readers/image_files.h"
#include "mehler/table/readers/image_folder.h"
#include "mehler/table/readers/part_progress.h"
#include "mehler/table/readers/partition_keys.h"
#include "mehler/table/readers/peeked_source.h"
#include "mehler/table/readers/png_image.h"

namespace mehler {
namespace {

/// Reads images of one shape from their files.
///
/// Privacy: the name of a file may say whose image it is; messages tell images by number.
class ImageFiles {
 public:
  /// The shape is the schema's, else that of the first image.
  ImageFiles(std::vector<std::string> paths, const PartContext& part)
      : paths_(std::move(paths)), what_(part.what) {
    const Column* declared = part.schema == nullptr ? nullptr : part.schema->find(kImageName);
    shape_ = declared != nullptr && declared->is_image() ? *declared->shape
                                                         : png_shape(bytes_of(0), name_of(0));
  }

  std::size_t size() const { return paths_.size(); }
  const std::string& path(std::size_t i) const { return paths_[i]; }
  const ImageShape& shape() const { return shape_; }

  /// The images with these numbers as a column.
  std::shared_ptr<arrow::Array> column(std::span<const std::size_t> numbers) const {
    const std::shared_ptr<arrow::Buffer> pixels = byte_buffer(numbers.size() * shape_.size());
    std::uint8_t* out = pixels->mutable_data();
    for (const std::size_t i : numbers) {
      const std::vector<std::uint8_t> image = decode_png(bytes_of(i), shape_, name_of(i));
      out = std::copy(image.begin(), image.end(), out);
    }
    return image_arrow_array(pixels, shape_);
  }

 private:
  std::string name_of(std::size_t i) const {
    return fmt::format("{}, image {} in the order of names,", what_, i + 1);
  }

  std::string bytes_of(std::size_t i) const {
    std::string bytes;
    try {
      const std::unique_ptr<ByteSource> file = open_file(paths_[i], nullptr);
      std::array<char, 1 << 14> piece;  // more than most images have
      for (std::size_t count = piece.size();
           count == piece.size() && bytes.size() <= kMostPngBytes;) {
        count = file->read_fully(piece);
        bytes.append(piece.data(), count);
      }
    } catch (const Error&) {  // its message has the name of the file
      throw Error(ErrorCode::kFile, name_of(i) + " cannot be read; check that you may read it");
    }
    if (bytes.size() > kMostPngBytes) {
      throw Error(ErrorCode::kInvalidTable,
                  name_of(i) +
                      " is a file of more than a megabyte, which no image of 64 x 64 pixels needs; "
                      "write it again");
    }
    return bytes;
  }

  std::vector<std::string> paths_;
  std::string what_;
  ImageShape shape_;
};

bool uses_images(const PartContext& part) {
  const Column* declared = part.schema == nullptr ? nullptr : part.schema->find(kImageName);
  return part.schema == nullptr || (declared != nullptr && declared->is_used());
}

/// Labels as a column: whole numbers if all of the table are, else texts.
class FolderLabels {
 public:
  FolderLabels(std::vector<std::string> labels, const PartContext& part)
      : labels_(std::move(labels)), message_(part.what + " could not be read") {
    arrow::util::InitializeUTF8();
    for (const std::string& label : labels_) {
      are_numbers_ = are_numbers_ && plain_integer(label).has_value();
      if (!arrow::util::ValidateUTF8(label)) {
        refuse_part(part, "has a folder whose name, a label, is not UTF-8; rename it");
      }
    }
  }

  std::shared_ptr<arrow::DataType> type() const {
    return are_numbers_ ? arrow::int64() : arrow::utf8();
  }

  std::shared_ptr<arrow::Array> column(std::span<const std::size_t> numbers) const {
    arrow::Int64Builder integers;
    arrow::StringBuilder texts;
    for (const std::size_t i : numbers) {
      require_ok(
          are_numbers_ ? integers.Append(*plain_integer(labels_[i])) : texts.Append(labels_[i]),
          message_);
    }
    auto array = are_numbers_ ? integers.Finish() : texts.Finish();
    require_ok(array.status(), message_);
    return std::move(array).ValueUnsafe();
  }

 private:
  std::vector<std::string> labels_;
  std::string message_;
  bool are_numbers_ = true;
};

/// Images alone, or with the names of their folders as labels.
class FolderBatches : public BatchSource {
 public:
  FolderBatches(ImageFolder folder, std::uint64_t bytes, const PartContext& part)
      : labels_(folder.labels, part),
        images_(std::move(folder.files), part),
        progress_(part.progress, bytes) {
    std::vector<std::string> names = {kImageName};
    if (!folder.labels.empty()) {
      names.emplace_back(kLabelName);
    }
    arrow::FieldVector fields;
    for (const std::string& name : select_columns(names, NamesFrom::kElsewhere, part).names) {
      is_image_.push_back(name == kImageName);
      fields.push_back(is_image_.back() ? image_arrow_field(name, images_.shape())
                                        : arrow::field(name, labels_.type(), /*nullable=*/false));
    }
    schema_ = arrow::schema(std::move(fields));
  }

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  std::shared_ptr<arrow::RecordBatch> next() override {
    std::vector<std::size_t> numbers;
    const auto most = static_cast<std::size_t>(image_batch_rows(images_.shape()));
    for (; done_ < images_.size() && numbers.size() < most; ++done_) {
      numbers.push_back(done_);
    }
    if (numbers.empty()) {
      return nullptr;
    }
    arrow::ArrayVector arrays;
    for (const bool is_image : is_image_) {
      arrays.push_back(is_image ? images_.column(numbers) : labels_.column(numbers));
    }
    progress_.reach(static_cast<double>(done_) / static_cast<double>(images_.size()));
    return arrow::RecordBatch::Make(schema_, static_cast<std::int64_t>(numbers.size()),
                                    std::move(arrays));
  }

 private:
  FolderLabels labels_;
  ImageFiles images_;
  PartProgress progress_;
  std::vector<bool> is_image_;
  std::shared_ptr<arrow::Schema> schema_;
  std::size_t done_ = 0;
};

/// Records of kFolderTable, the names of files replaced by their images.
class ListedBatches : public BatchSource {
 public:
  ListedBatches(std::unique_ptr<BatchSource> table, ImageFolder folder, std::uint64_t bytes,
                const PartContext& part)
      : table_(std::move(table)),
        what_(part.what),
        images_(std::move(folder.files), part),
        is_listed_(images_.size()),
        progress_(part.progress, bytes),
        uses_images_(uses_images(part)) {
    for (std::size_t i = 0; i < images_.size(); ++i) {
      places_.emplace(std::filesystem::path(images_.path(i)).filename().string(), i);
    }
    arrow::FieldVector fields;
    if (uses_images_) {
      fields.push_back(image_arrow_field(kImageName, images_.shape()));
    }
    for (const std::shared_ptr<arrow::Field>& field : table_->schema()->fields()) {
      if (field->name() != kFileColumn) {
        fields.push_back(field);
      }
    }
    schema_ = arrow::schema(std::move(fields));
  }

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  std::shared_ptr<arrow::RecordBatch> next() override {
    while (batch_ == nullptr || place_ == batch_->num_rows()) {
      batch_ = table_->next();
      place_ = 0;
      if (batch_ == nullptr) {
        refuse_unlisted();
        return nullptr;
      }
    }
    const std::int64_t rows =
        std::min(image_batch_rows(images_.shape()), batch_->num_rows() - place_);
    const std::shared_ptr<arrow::RecordBatch> records = batch_->Slice(place_, rows);
    place_ += rows;
    const std::vector<std::size_t> numbers = numbers_of(*records);
    arrow::ArrayVector arrays;
    if (uses_images_) {
      arrays.push_back(images_.column(numbers));
    }
    for (int i = 0; i < records->num_columns(); ++i) {
      if (records->column_name(i) != kFileColumn) {
        arrays.push_back(records->column(i));
      }
    }
    progress_.reach(
        std::min(1.0, static_cast<double>(record_) / static_cast<double>(images_.size())));
    return arrow::RecordBatch::Make(schema_, rows, std::move(arrays));
  }

 private:
  /// A name as some programs write it, "./a.png".
  static std::string plain_name(std::string_view name) {
    while (name.starts_with("./")) {
      name.remove_prefix(2);
    }
    return std::string(name);
  }

  /// The images that records name, each once.
  std::vector<std::size_t> numbers_of(const arrow::RecordBatch& records) {
    const std::shared_ptr<arrow::Array> column = records.GetColumnByName(kFileColumn);
    std::vector<std::size_t> numbers;
    for (std::int64_t row = 0; row < records.num_rows(); ++row) {
      ++record_;
      const auto& names = static_cast<const arrow::StringArray&>(*column);
      const auto place = column->type_id() != arrow::Type::STRING || names.IsNull(row)
                             ? places_.end()
                             : places_.find(plain_name(names.GetView(row)));
      if (place == places_.end()) {
        refuse(
            fmt::format("names, in record {} of {}, a file that is not in the folder; correct "
                        "the name, or add the image",
                        record_, kFolderTable));
      }
      if (is_listed_[place->second]) {
        refuse(
            fmt::format("names, in record {} of {}, a file for the second time; list each image "
                        "once",
                        record_, kFolderTable));
      }
      is_listed_[place->second] = true;
      numbers.push_back(place->second);
    }
    return numbers;
  }

  void refuse_unlisted() const {
    const auto unlisted = std::find(is_listed_.begin(), is_listed_.end(), false);
    if (unlisted != is_listed_.end()) {
      refuse(
          fmt::format("has an image, number {} in the order of names, that {} does not list; "
                      "add its label, or take it out",
                      unlisted - is_listed_.begin() + 1, kFolderTable));
    }
  }

  [[noreturn]] void refuse(const std::string& complaint) const {
    throw Error(ErrorCode::kInvalidTable, what_ + " " + complaint);
  }

  std::unique_ptr<BatchSource> table_;
  std::string what_;
  ImageFiles images_;
  std::vector<bool> is_listed_;
  PartProgress progress_;
  bool uses_images_;
  std::unordered_map<std::string, std::size_t> places_;
  std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<arrow::RecordBatch> batch_;
  std::int64_t place_ = 0;
  std::size_t record_ = 0;
};

/// What the schema says of kFolderTable: the names of files in the place of the images.
std::shared_ptr<const Schema> table_schema(const Schema& schema) {
  Column file;
  file.name = kFileColumn;
  file.kind = ColumnKind::kCategorical;
  std::vector<Column> columns = {file};
  for (const Column& column : schema.columns()) {
    if (column.name != kImageName && column.name != kFileColumn) {
      columns.push_back(column);
    }
  }
  return std::make_shared<const Schema>(schema.with_columns(std::move(columns)));
}

/// The delimiter with which the first line has a column for the names of files: a comma, or what
/// Excel writes where commas are for decimals, or a tab. Nothing if it has none with any.
std::optional<char> delimiter_of(std::string_view beginning, bool is_all) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  if (beginning.starts_with(kMark)) {
    beginning.remove_prefix(kMark.size());
  }
  for (const char delimiter : {',', ';', '\t'}) {
    const std::optional<FirstRow> row = first_row(beginning, is_all, parse_options(delimiter));
    if (row && std::any_of(row->fields.begin(), row->fields.end(), [](const std::string& name) {
          return lower_case(name) == kFileColumn;
        })) {
      return delimiter;
    }
  }
  return std::nullopt;
}

std::unique_ptr<BatchSource> folder_table(const std::string& folder, const PartContext& part) {
  const std::string path = (std::filesystem::path(folder) / kFolderTable).string();
  PartContext table{.what = describe_table(path),
                    .options = {},
                    .schema = part.schema == nullptr ? nullptr : table_schema(*part.schema),
                    .progress = std::make_shared<ReadProgress>()};
  table.options.threads = part.options.threads;
  table.options.text_columns = {kFileColumn};
  table.is_folder_table = true;
  constexpr std::size_t kLookedAt = 1 << 16;
  auto file = std::make_unique<PeekedSource>(open_file(path, nullptr));
  const std::string_view beginning = file->peek(kLookedAt);
  table.options.delimiter = delimiter_of(beginning, beginning.size() < kLookedAt);
  // Of other encodings csv_batches says what is wrong, as it does where there is nothing.
  if (!table.options.delimiter && !beginning.empty() && !beginning.starts_with("\xff\xfe") &&
      !beginning.starts_with("\xfe\xff")) {
    refuse_part(table, fmt::format("has no column '{}' in its first line, with the names of the "
                                   "images; add it",
                                   kFileColumn));
  }
  std::unique_ptr<BatchSource> batches = csv_batches(std::move(file), ',', table);
  if (batches->schema()->GetFieldIndex(kFileColumn) < 0) {
    refuse_part(
        table, fmt::format("has no column '{}' with the names of the images; add it", kFileColumn));
  }
  return batches;
}

}  // namespace

RecordStream open_image_folder(const TablePart& files, const PartContext& part) {
  ImageFolder folder = list_image_folder(files.path, part.what);
  if (!folder.has_table) {
    return export_part(std::make_unique<FolderBatches>(std::move(folder), files.bytes, part), part);
  }
  if (part.schema != nullptr && part.schema->find(kImageName) == nullptr &&
      !part.schema->ignores_others()) {
    refuse_part(part,
                fmt::format("holds images, which are the column '{}', and the schema does not "
                            "have it; add it with the kind image",
                            kImageName));
  }
  return export_part(std::make_unique<ListedBatches>(folder_table(files.path, part),
                                                     std::move(folder), files.bytes, part),
                     part);
}

}  // namespace mehler
