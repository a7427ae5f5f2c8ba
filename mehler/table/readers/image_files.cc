// IDX and NumPy files.

#include "mehler/table/readers/image_files.h"

#include <zip.h>

#include <filesystem>

#include "mehler/core/error.h"
#include "mehler/table/readers/array_file.h"
#include "mehler/table/readers/arrow_input.h"
#include "mehler/table/readers/file_source.h"
#include "mehler/table/readers/partition_keys.h"
#include "mehler/table/readers/table_parts.h"

namespace mehler {
namespace {

namespace fs = std::filesystem;

/// The elements of the arrays of an .npz file keep their archive open.
class ZipArchive {
 public:
  ZipArchive(const std::string& path, const std::string& what) {
    int error = 0;
    archive_ = zip_open(path.c_str(), ZIP_RDONLY, &error);
    if (archive_ == nullptr) {
      throw Error(ErrorCode::kInvalidTable,
                  what + " is a damaged .npz file, or none; write it again with numpy.savez");
    }
  }
  ~ZipArchive() { zip_discard(archive_); }
  ZipArchive(const ZipArchive&) = delete;
  ZipArchive& operator=(const ZipArchive&) = delete;

  zip_t* get() const { return archive_; }

 private:
  zip_t* archive_ = nullptr;
};

class ZipSource : public ByteSource {
 public:
  ZipSource(std::shared_ptr<const ZipArchive> archive, zip_uint64_t entry, const std::string& what)
      : archive_(std::move(archive)),
        file_(zip_fopen_index(archive_->get(), entry, 0)),
        message_(what + " is a damaged .npz file, or one with a password; write it again") {
    if (file_ == nullptr) {
      throw Error(ErrorCode::kInvalidTable, message_);
    }
  }
  ~ZipSource() override { zip_fclose(file_); }
  ZipSource(const ZipSource&) = delete;
  ZipSource& operator=(const ZipSource&) = delete;

  std::size_t read(std::span<char> out) override {
    const zip_int64_t count = zip_fread(file_, out.data(), out.size());
    if (count < 0) {
      throw Error(ErrorCode::kInvalidTable, message_);
    }
    return static_cast<std::size_t>(count);
  }

 private:
  std::shared_ptr<const ZipArchive> archive_;
  zip_file_t* file_;
  std::string message_;
};

using HeaderReader = ArrayHeader (*)(ByteSource&, const std::string&);

NamedArray array_of_file(const std::string& path, const char* name, HeaderReader read_header,
                         const std::shared_ptr<ReadProgress>& progress) {
  const std::string what = describe_table(path);
  NamedArray array{name, {}, decompress(open_file(path, progress), what)};
  array.header = read_header(*array.elements, what);
  return array;
}

/// A file of images, and one of labels beside it.
RecordStream open_pair(const TablePart& files, HeaderReader read_header, const PartContext& part) {
  std::vector<NamedArray> arrays;
  arrays.push_back(array_of_file(files.path, kImageName, read_header, part.progress));
  if (arrays.front().header.shape.size() < 3) {
    refuse_part(part,
                "holds no images but numbers alone, such as labels; give the file of images, which "
                "has its labels beside it or right behind it");
  }
  if (!files.labels.empty()) {
    arrays.push_back(array_of_file(files.labels, kLabelName, read_header, nullptr));
    if (!has_one_entry_a_record(arrays.back().header)) {
      throw Error(ErrorCode::kInvalidTable,
                  describe_table(files.labels) +
                      " does not hold one label for each image; its array must have 1 dimension");
    }
  }
  return export_part(array_batches(std::move(arrays), part), part);
}

RecordStream open_npz(const TablePart& files, const PartContext& part) {
  constexpr std::string_view kEnding = ".npy";
  const auto archive = std::make_shared<const ZipArchive>(files.path, part.what);
  std::vector<NamedArray> arrays;
  const zip_int64_t entries = zip_get_num_entries(archive->get(), 0);
  for (zip_int64_t i = 0; i < entries; ++i) {
    const auto place = static_cast<zip_uint64_t>(i);
    const char* entry = zip_get_name(archive->get(), place, 0);
    const std::string_view name = entry == nullptr ? "" : entry;
    if (!name.ends_with(kEnding)) {
      refuse_part(part, "holds something beside arrays; write it again with numpy.savez");
    }
    NamedArray array{std::string(name.substr(0, name.size() - kEnding.size())),
                     {},
                     std::make_unique<ZipSource>(archive, place, part.what)};
    array.header = read_npy_header(*array.elements, part.what);
    arrays.push_back(std::move(array));
  }
  if (arrays.empty()) {
    refuse_part(part, "holds no arrays; write it again with numpy.savez");
  }
  part.progress->add_done(files.bytes);
  return export_part(array_batches(std::move(arrays), part), part);
}

bool replace(std::string& text, std::string_view from, std::string_view to) {
  const std::size_t place = text.rfind(from);
  if (place == std::string::npos) {
    return false;
  }
  text.replace(place, from.size(), to);
  return true;
}

/// "x_train" and "X" are usual names of arrays of images, beside "y_train" and "y".
bool replace_letter(std::string& name) {
  const bool has_letter = name.starts_with('x') || name.starts_with('X');
  if (!has_letter || name.size() < 2 || std::string_view("._-").find(name[1]) == name.npos) {
    return false;
  }
  name[0] = 'y';
  return true;
}

}  // namespace

std::vector<std::string> label_file_names(const std::string& images) {
  const fs::path folder = fs::path(images).parent_path();
  std::string name = fs::path(images).filename().string();
  const bool is_compressed = replace(name, ".gz", "");
  if (replace(name, "images", "labels") || replace(name, "image", "label")) {
    for (const char* idx : {"idx3", "idx4"}) {
      replace(name, idx, "idx1");
    }
  } else if (!replace_letter(name)) {
    const fs::path given(name);
    name = given.stem().string() + "-labels" + given.extension().string();
  }
  std::vector<std::string> names = {(folder / name).string(), (folder / (name + ".gz")).string()};
  if (is_compressed) {
    std::swap(names[0], names[1]);
  }
  return names;
}

std::optional<std::string> find_label_file(const std::string& images) {
  for (const std::string& name : label_file_names(images)) {
    std::error_code ignored;
    if (fs::is_regular_file(name, ignored)) {
      return name;
    }
  }
  return std::nullopt;
}

RecordStream open_idx(const TablePart& files, const PartContext& part) {
  return open_pair(files, read_idx_header, part);
}

RecordStream open_numpy(const TablePart& files, const PartContext& part) {
  return table_ending(files.path) == ".npz" ? open_npz(files, part)
                                            : open_pair(files, read_npy_header, part);
}

bool holds_labels(const std::string& path, TableFormat format) {
  try {
    const std::unique_ptr<ByteSource> bytes =
        decompress(open_file(path, nullptr), describe_table(path));
    const ArrayHeader header =
        format == TableFormat::kIdx ? read_idx_header(*bytes, path) : read_npy_header(*bytes, path);
    return has_one_entry_a_record(header);
  } catch (const Error&) {
    return false;  // which is said where the file is read
  }
}

}  // namespace mehler
