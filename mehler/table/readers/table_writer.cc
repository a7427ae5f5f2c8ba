#include "mehler/table/readers/table_writer.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "mehler/core/error.h"
#include "mehler/table/readers/image_sinks.h"
#include "mehler/table/readers/table_parts.h"
#include "mehler/table/readers/table_sink.h"

namespace mehler {
namespace {

TableFormat format_to_write(const std::filesystem::path& path, std::optional<TableFormat> format) {
  if (format) {
    return *format;
  }
  if (!path.has_filename()) {  // "digits/"
    return TableFormat::kPng;
  }
  if (format_by_ending(path.string()) == TableFormat::kIdx) {
    return TableFormat::kIdx;
  }
  // Not through format_by_ending(), which looks through .gz: nothing else is compressed here.
  const std::string ending = path.extension().string();
  for (const auto& [known, meaning] :
       {std::pair{".csv", TableFormat::kCsv}, std::pair{".tsv", TableFormat::kCsv},
        std::pair{".parquet", TableFormat::kParquet}, std::pair{".arrow", TableFormat::kArrow},
        std::pair{".feather", TableFormat::kArrow}, std::pair{".ipc", TableFormat::kArrow},
        std::pair{".npy", TableFormat::kNumpy}, std::pair{".npz", TableFormat::kNumpy}}) {
    if (ending == known) {
      return meaning;
    }
  }
  throw Error(
      ErrorCode::kInvalidArgument,
      fmt::format("the output '{}' has an ending that names no table format; end it with .csv, "
                  ".tsv, .parquet, .arrow, .feather or .ipc; of images also with .npz, .npy, "
                  "-ubyte, -ubyte.gz, or / for a folder of PNG files",
                  path.string()));
}

std::unique_ptr<TableSink> make_sink(const std::filesystem::path& path, TableFormat format,
                                     const Schema* schema) {
  switch (format) {
    case TableFormat::kParquet:
      return make_parquet_sink(path);
    case TableFormat::kArrow:
      return make_arrow_sink(path);
    case TableFormat::kIdx:
      return make_idx_sink(path, schema);
    case TableFormat::kNumpy:
      return path.extension() == ".npz" ? make_npz_sink(path, schema) : make_npy_sink(path, schema);
    case TableFormat::kPng:
      return make_image_folder_sink(path, schema);
    case TableFormat::kCsv:
      break;
  }
  return make_csv_sink(path, path.extension() == ".tsv" ? '\t' : ',', schema);
}

using ColumnNames = std::vector<std::pair<std::string, ColumnKind>>;

ColumnNames columns_of(const Table& table) {
  ColumnNames columns;
  for (const TableColumn& column : table.columns) {
    columns.emplace_back(column.name, column.kind);
  }
  return columns;
}

}  // namespace

class TableWriter::Implementation {
 public:
  Implementation(const std::filesystem::path& path, std::optional<TableFormat> format,
                 const Schema* schema)
      : path_(path), sink_(make_sink(path, format_to_write(path, format), schema)) {}

  void write(const Table& rows) {
    MEHLER_ASSERT(!finished_);
    if (rows.columns.empty()) {
      refuse("a table without columns; write at least one column");
    }
    if (columns_.empty()) {
      columns_ = columns_of(rows);
    } else if (columns_ != columns_of(rows)) {
      refuse(
          "rows whose columns differ from those written before; write the same columns each time");
    }
    sink_->write(rows);
  }

  void finish() {
    MEHLER_ASSERT(!finished_);
    if (columns_.empty()) {
      refuse("nothing at all; write a table first, if only one without rows");
    }
    sink_->finish();
    finished_ = true;
  }

 private:
  [[noreturn]] void refuse(const std::string& complaint) const {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the output '{}' was given {}", path_.string(), complaint));
  }

  std::filesystem::path path_;
  std::unique_ptr<TableSink> sink_;
  ColumnNames columns_;
  bool finished_ = false;
};

TableWriter::TableWriter(const std::filesystem::path& path, std::optional<TableFormat> format,
                         const Schema* schema)
    : implementation_(std::make_unique<Implementation>(path, format, schema)) {}

TableWriter::~TableWriter() = default;
TableWriter::TableWriter(TableWriter&&) noexcept = default;

void TableWriter::write(const Table& rows) { implementation_->write(rows); }

void TableWriter::finish() { implementation_->finish(); }

}  // namespace mehler
