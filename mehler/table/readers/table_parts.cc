#include "mehler/table/readers/table_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "mehler/core/error.h"
#include "mehler/core/lower_case.h"
#include "mehler/table/readers/file_source.h"
#include "mehler/table/readers/image_files.h"
#include "mehler/table/readers/image_folder.h"
#include "mehler/table/readers/partition_keys.h"
#include "mehler/table/readers/png_image.h"

namespace mehler {
namespace {

namespace fs = std::filesystem;

/// What a folder of images counts for in the progress, whose files are not measured beforehand.
constexpr std::uint64_t kFolderUnits = 1000;
constexpr std::string_view kZip = "PK\x03\x04";

[[noreturn]] void fail(ErrorCode code, const std::string& path, const std::string& complaint) {
  throw Error(code, describe_table(path) + " " + complaint);
}

/// A file of a folder, and the keys of the folders between.
struct FolderFile {
  std::string path;
  std::vector<PartitionKey> keys;
};

constexpr std::size_t kMostKeys = 64;  // a link in the folder could lead back to it

/// The parts of a folder, and of folders in it that are named "key=value", in the order of their
/// paths.
void collect_files(const std::string& folder, const std::vector<PartitionKey>& keys,
                   std::vector<FolderFile>& files) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with('.') || name.starts_with('_')) {
      continue;
    }
    std::error_code ignored;
    if (entry->is_directory(ignored)) {
      const std::optional<PartitionKey> key = partition_key_of(name);
      if (!key || keys.size() == kMostKeys) {
        fail(ErrorCode::kInvalidTable, folder,
             fmt::format(
                 "is a folder with another folder, '{}', in it; only files directly in a folder "
                 "are read, and folders named 'key=value', so name the inner folders one by one",
                 name));
      }
      std::vector<PartitionKey> inner = keys;
      inner.push_back(*key);
      collect_files(entry->path().string(), inner, files);
      continue;
    }
    files.push_back({entry->path().string(), keys});
  }
  if (error) {
    fail(ErrorCode::kFile, folder,
         fmt::format("is a folder that cannot be read: {}; check that you may read it",
                     error.message()));
  }
}

std::vector<FolderFile> files_of_folder(const std::string& folder) {
  std::vector<FolderFile> files;
  collect_files(folder, {}, files);
  if (files.empty()) {
    fail(ErrorCode::kInvalidTable, folder,
         "is a folder without parts (names that begin with '.' or '_' do not count); name a folder "
         "that "
         "holds CSV, Parquet or Arrow files, or PNG images");
  }
  std::sort(files.begin(), files.end(),
            [](const FolderFile& a, const FolderFile& b) { return a.path < b.path; });
  return files;
}

TablePart inspect_file(const std::string& path, std::optional<TableFormat> format) {
  TablePart part{.path = path, .format = format, .is_pipe = false, .bytes = 0, .keys = {}};
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    const std::string reason =
        status.type() == fs::file_type::not_found ? std::strerror(ENOENT) : error.message();
    fail(ErrorCode::kFile, path,
         fmt::format("cannot be read: {}; check the name and that you may read it", reason));
  }
  const std::optional<TableFormat> by_ending = format_by_ending(path);
  if (!part.format) {
    part.format = by_ending;
  }
  if (!fs::is_regular_file(status)) {
    part.is_pipe = true;
    return part;
  }
  part.bytes = fs::file_size(path, error);
  char start[kMagicBytes];
  const std::size_t count = open_file(path, nullptr)->read_fully(start);
  if (count == 0) {
    fail(ErrorCode::kInvalidTable, path,
         "is empty (0 bytes); check that it was written completely");
  }
  const bool is_archive_of_arrays = part.format == TableFormat::kNumpy;
  if (!is_archive_of_arrays && is_workbook(path, {start, count})) {
    if (part.format && part.format != TableFormat::kCsv) {
      fail(ErrorCode::kInvalidTable, path,
           fmt::format("was to be read as {}, but is an Excel workbook; leave the format out",
                       format_words(*part.format)));
    }
    part.is_workbook = true;
    part.format = TableFormat::kCsv;
    return part;
  }
  if (!is_archive_of_arrays) {
    refuse_workbook(path, {start, count});
  }
  if (begins_as_png({start, count})) {
    fail(ErrorCode::kInvalidTable, path,
         "is a single PNG image, and a table is a set of them; give the folder that holds them");
  }
  const std::optional<TableFormat> by_content = format_by_content({start, count});
  if (part.format && by_content && part.format != by_content) {
    fail(ErrorCode::kInvalidTable, path,
         fmt::format(
             "was to be read as {}, but its first bytes are those of {}; rename it or name its "
             "format",
             format_words(*part.format), format_words(*by_content)));
  }
  if (!part.format) {
    part.format = by_content.value_or(TableFormat::kCsv);
  }
  return part;
}

/// Whether a file holds labels, given right behind their images: then the part before has them.
bool are_labels_of(const TablePart& file, std::vector<TablePart>& parts) {
  const bool can_be = (file.format == TableFormat::kIdx || table_ending(file.path) == ".npy") &&
                      !file.is_pipe && !parts.empty() && parts.back().format == file.format &&
                      parts.back().labels.empty();
  if (!can_be || !holds_labels(file.path, *file.format)) {
    return false;
  }
  parts.back().labels = file.path;
  return true;
}

void refuse_repeated(const std::vector<TablePart>& parts) {
  std::vector<std::pair<std::string, std::string>> places;
  for (const TablePart& part : parts) {
    std::error_code ignored;
    const fs::path canonical = fs::canonical(part.path, ignored);
    places.emplace_back(canonical.empty() ? part.path : canonical.string(), part.path);
  }
  std::sort(places.begin(), places.end());
  const auto twin =
      std::adjacent_find(places.begin(), places.end(),
                         [](const auto& a, const auto& b) { return a.first == b.first; });
  if (twin != places.end()) {
    fail(ErrorCode::kInvalidArgument, twin->second,
         "is given twice, so that each of its records would count twice; give it once");
  }
}

void refuse_mixture(const std::vector<TablePart>& parts) {
  for (const TablePart& part : parts) {
    if (part.format && parts.front().format && part.format != parts.front().format) {
      fail(
          ErrorCode::kInvalidArgument, part.path,
          fmt::format(
              "is {}, but '{}' is {}; all parts of a table must have one format, so convert "
              "some of them",
              format_words(*part.format), parts.front().path, format_words(*parts.front().format)));
    }
  }
}

}  // namespace

std::vector<TablePart> resolve_parts(const std::vector<std::string>& paths,
                                     std::optional<TableFormat> format) {
  if (paths.empty()) {
    throw Error(ErrorCode::kInvalidArgument,
                "no table was given; name a file, a folder of parts, or - for standard input");
  }
  std::vector<TablePart> parts;
  for (const std::string& path : paths) {
    if (path == "-") {
      if (paths.size() > 1) {
        throw Error(ErrorCode::kInvalidArgument,
                    "standard input was given together with other tables; give it alone");
      }
      parts.push_back({.path = path, .format = format, .is_pipe = true, .bytes = 0, .keys = {}});
      continue;
    }
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) {
      TablePart part = inspect_file(path, format);
      if (!are_labels_of(part, parts)) {
        parts.push_back(std::move(part));
      }
      continue;
    }
    if (format == TableFormat::kPng || (!format && is_image_folder(path))) {
      parts.push_back({.path = path, .format = TableFormat::kPng, .bytes = kFolderUnits});
      continue;
    }
    for (FolderFile& file : files_of_folder(path)) {
      TablePart part = inspect_file(file.path, format);
      part.keys = std::move(file.keys);
      if (!are_labels_of(part, parts)) {  // which come right behind images in the order of names
        parts.push_back(std::move(part));
      }
    }
  }
  for (TablePart& part : parts) {
    const bool has_labels_beside =
        part.format == TableFormat::kIdx || table_ending(part.path) == ".npy";
    if (has_labels_beside && part.labels.empty()) {
      part.labels = find_label_file(part.path).value_or("");
    }
  }
  refuse_repeated(parts);
  refuse_mixture(parts);
  settle_partition_keys(parts);
  return parts;
}

bool is_workbook(const std::string& path, std::string_view first_bytes) {
  const std::string ending = table_ending(path);
  return first_bytes.starts_with(kZip) && (ending == ".xlsx" || ending == ".xlsm");
}

void refuse_workbook(const std::string& path, std::string_view first_bytes) {
  constexpr std::string_view kOle = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
  const std::string ending = table_ending(path);
  const bool is_open_document = ending == ".ods";
  const bool has_known_ending = ending == ".xlsb" || ending == ".xls" || is_open_document;
  const bool is_zip = first_bytes.starts_with(kZip);
  if (!is_zip && !first_bytes.starts_with(kOle)) {
    return;  // some programs write CSV into a file that they call .xls
  }
  if (is_zip && !has_known_ending) {
    fail(ErrorCode::kInvalidTable, path,
         "is a zip archive, an Excel workbook or an .npz file; unpack it, or, if it is one of the "
         "others, give it as a file with the ending .xlsx or .npz");
  }
  fail(ErrorCode::kInvalidTable, path,
       fmt::format(
           "is {}, which is not read; {} (one file for each sheet), then give that file: "
           "'mehler schema init' finds out how it is written",
           is_open_document ? "an OpenDocument spreadsheet"
                            : "an Excel workbook of another format than .xlsx",
           is_open_document
               ? "open it and choose File > Save As > Text CSV, with the character set "
                 "UTF-8"
               : "open it in Excel and choose File > Save As > CSV UTF-8 (Comma delimited)"));
}

std::string table_ending(std::string_view path) {
  fs::path name = fs::path(path).filename();
  const auto ending = [&] { return lower_case(name.extension().string()); };
  if (ending() == ".gz" || ending() == ".zst") {
    name = name.stem();
  }
  return ending();
}

std::optional<TableFormat> format_by_ending(std::string_view path) {
  const std::string ending = table_ending(path);
  if (ending == ".csv" || ending == ".tsv" || ending == ".txt" || ending == ".data") {
    return TableFormat::kCsv;
  }
  if (ending == ".parquet") {
    return TableFormat::kParquet;
  }
  if (ending == ".arrow" || ending == ".feather" || ending == ".ipc") {
    return TableFormat::kArrow;
  }
  if (ending == ".npy" || ending == ".npz") {
    return TableFormat::kNumpy;
  }
  const fs::path name = fs::path(path).filename();
  const std::string plain_name = name.extension() == ".gz" ? name.stem() : name;
  if (ending == ".idx" || plain_name.ends_with("ubyte")) {
    return TableFormat::kIdx;
  }
  return std::nullopt;
}

std::optional<TableFormat> format_by_content(std::string_view first_bytes) {
  if (first_bytes.starts_with("PAR1")) {
    return TableFormat::kParquet;
  }
  if (first_bytes.starts_with("\x93NUMPY")) {
    return TableFormat::kNumpy;
  }
  if (first_bytes.starts_with(std::string_view("\0\0\x08\x03", 4)) ||
      first_bytes.starts_with(std::string_view("\0\0\x08\x04", 4))) {
    return TableFormat::kIdx;
  }
  // Arrow's stream format begins with a continuation marker, a byte sequence that no UTF-8 text
  // has.
  if (is_arrow_file(first_bytes) || first_bytes.starts_with("\xff\xff\xff\xff")) {
    return TableFormat::kArrow;
  }
  return std::nullopt;
}

bool is_arrow_file(std::string_view first_bytes) { return first_bytes.starts_with("ARROW1"); }

std::string_view format_words(TableFormat format) {
  switch (format) {
    case TableFormat::kCsv:
      return "CSV";
    case TableFormat::kParquet:
      return "Parquet";
    case TableFormat::kArrow:
      return "Arrow";
    case TableFormat::kIdx:
      return "IDX";
    case TableFormat::kNumpy:
      return "NumPy";
    case TableFormat::kPng:
      return "a folder of images";
  }
  return "unknown";
}

}  // namespace mehler
