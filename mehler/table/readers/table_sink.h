#pragma once

#include <filesystem>
#include <memory>

#include "mehler/table/readers/table_reader.h"
#include "mehler/table/table.h"

namespace mehler {

/// One format's way to write a table. Nothing appears under the file's name before finish().
class TableSink {
 public:
  virtual ~TableSink() = default;

  /// Appends rows; the caller has checked that every call has the same columns.
  virtual void write(const Table& rows) = 0;

  /// Completes the file and gives it its name. write() has been called at least once.
  virtual void finish() = 0;
};

/// RFC 4180: a header line, quotes only where a field needs them, missing values as empty fields,
/// and an empty text as "" so that it differs from a missing value. Dates and times as ISO 8601,
/// numbers so that reading them gives the same double. With a schema, in its dialect. In a table of
/// one column a missing value that is an empty field is written "": readers skip blank lines.
///
/// Opens the file at once and throws Error(kFile) if it cannot be written; so do the others.
/// `default_delimiter` is a tab for .tsv.
std::unique_ptr<TableSink> make_csv_sink(const std::filesystem::path& path, char default_delimiter,
                                         const Schema* schema);

/// Parquet, Snappy-compressed, or Arrow's file format.
std::unique_ptr<TableSink> make_parquet_sink(const std::filesystem::path& path);
std::unique_ptr<TableSink> make_arrow_sink(const std::filesystem::path& path);

}  // namespace mehler
