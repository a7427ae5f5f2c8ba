// Writing folders of PNG images.

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "mehler/core/atomic_file.h"
#include "mehler/core/error.h"
#include "mehler/table/readers/image_folder.h"
#include "mehler/table/readers/image_sinks.h"
#include "mehler/table/readers/png_image.h"

namespace mehler {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_folder(ErrorCode code, const fs::path& path,
                                const std::string& complaint) {
  throw Error(code, fmt::format("the output '{}' {}", path.string(), complaint));
}

/// A folder that appears whole or not at all, as AtomicFile has it for files.
class AtomicFolder {
 public:
  explicit AtomicFolder(const fs::path& target)
      : target_(target.has_filename() ? target : target.parent_path()) {
    std::error_code error;
    if (fs::exists(target_, error) &&
        !(fs::is_directory(target_, error) && fs::is_empty(target_))) {
      refuse_folder(
          ErrorCode::kFile, target_,
          "is a folder of images to be made, but something is there already; choose another "
          "name, or remove it");
    }
    std::string pattern =
        (target_.parent_path() / fmt::format(".{}.partial-XXXXXX", target_.filename().string()))
            .string();
    if (::mkdtemp(pattern.data()) == nullptr) {
      refuse_folder(ErrorCode::kFile, target_,
                    "cannot be made; choose a place that is there and that you may write to");
    }
    temporary_ = pattern;
  }
  ~AtomicFolder() {
    std::error_code ignored;
    if (!temporary_.empty()) {
      fs::remove_all(temporary_, ignored);
    }
  }
  AtomicFolder(const AtomicFolder&) = delete;
  AtomicFolder& operator=(const AtomicFolder&) = delete;

  const fs::path& path() const { return temporary_; }

  void commit() {
    constexpr auto kUsual = fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec |
                            fs::perms::others_read | fs::perms::others_exec;
    std::error_code error;
    fs::permissions(temporary_, kUsual, error);
    fs::rename(temporary_, target_, error);
    if (error) {
      refuse_folder(ErrorCode::kFile, target_,
                    fmt::format("cannot be made: {}; choose another place", error.message()));
    }
    temporary_.clear();
  }

 private:
  fs::path target_;
  fs::path temporary_;
};

/// How the table of the folder is written: as the schema says of its other columns.
std::optional<Schema> other_columns(const Schema* schema) {
  std::vector<Column> columns;
  for (const Column& column : schema == nullptr ? std::vector<Column>() : schema->columns()) {
    if (!column.is_image()) {
      columns.push_back(column);
    }
  }
  return columns.empty() ? std::nullopt : std::optional(schema->with_columns(std::move(columns)));
}

class ImageFolderSink : public TableSink {
 public:
  ImageFolderSink(const fs::path& path, const Schema* schema)
      : path_(path), folder_(path), others_(other_columns(schema)) {
    if (schema != nullptr && schema->image() == nullptr) {
      refuse_table();
    }
    table_ = make_csv_sink(folder_.path() / kFolderTable, ',', others_ ? &*others_ : nullptr);
  }

  void write(const Table& rows) override {
    Table others;
    const ImageValues* images = nullptr;
    for (const TableColumn& column : rows.columns) {
      if (const auto* values = std::get_if<ImageValues>(&column.values)) {
        images = values;
      } else {
        others.columns.push_back(column);
      }
    }
    if (images == nullptr) {
      refuse_table();
    }
    TableColumn files;
    files.name = kFileColumn;
    files.kind = ColumnKind::kIdentifier;
    files.values = write_images(*images);
    others.columns.insert(others.columns.begin(), std::move(files));
    table_->write(others);
  }

  void finish() override {
    table_->finish();
    folder_.commit();
  }

 private:
  [[noreturn]] void refuse_table() const {
    refuse_folder(
        ErrorCode::kInvalidArgument, path_,
        "is a folder of images, but the table has no column of images; end its name with .csv, "
        ".parquet or .arrow");
  }

  std::vector<std::string> write_images(const ImageValues& images) {
    std::vector<std::string> names;
    const std::size_t bytes = images.shape.size();
    for (std::size_t i = 0; i < images.size(); ++i) {
      names.push_back(fmt::format("{:08}.png", ++count_));
      std::ofstream file(folder_.path() / names.back(), std::ios::binary);
      const std::string png =
          encode_png(images.shape, std::span(images.pixels).subspan(i * bytes, bytes));
      file.write(png.data(), static_cast<std::streamsize>(png.size()));
      file.close();
      if (!file) {
        refuse_folder(
            ErrorCode::kFile, path_,
            "could not be written completely, so nothing was kept; free some space or choose "
            "another place");
      }
    }
    return names;
  }

  fs::path path_;
  AtomicFolder folder_;
  std::optional<Schema> others_;
  std::unique_ptr<TableSink> table_;  // in the folder, so it goes first
  std::size_t count_ = 0;
};

}  // namespace

std::unique_ptr<TableSink> make_image_folder_sink(const fs::path& path, const Schema* schema) {
  return std::make_unique<ImageFolderSink>(path, schema);
}

}  // namespace mehler
