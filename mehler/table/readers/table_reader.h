#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mehler/table/record_stream.h"
#include "mehler/table/schema.h"

namespace mehler {

/// How the records of a file are written down.
enum class TableFormat { kCsv, kParquet, kArrow, kIdx, kNumpy, kPng };

/// "csv", "parquet", "arrow", "idx", "numpy" or "png" (a folder of images); throws
/// Error(kInvalidArgument) for another word.
TableFormat table_format_from_name(const std::string& name);

/// What TableReadOptions were given for.
enum class OptionsFor {
  /// This table: an option that its format has no use for is an error.
  kThisTable,
  /// Several tables: an option that the format of one has no use for is meant for another.
  kSeveralTables,
  /// This table, which may be one of ours: a CSV that begins as TableWriter begins one (a line with
  /// the columns that the schema uses, in the schema's dialect or between commas, or tabs in .tsv)
  /// is read as it is written.
  kThisTableOrOurs,
  /// Other tables, and perhaps this one, which may be one of ours. The option `format` does not
  /// apply to it either.
  kOtherTables,
};

/// Whether a CSV table that begins as TableWriter begins one is read as it is written.
constexpr bool may_be_ours(OptionsFor given_for) {
  return given_for == OptionsFor::kThisTableOrOurs || given_for == OptionsFor::kOtherTables;
}

/// A column whose written form was recognised, for reading a table that has no schema yet.
struct RecognisedColumn {
  std::string name;
  ColumnKind kind = ColumnKind::kNumeric;
  ColumnSpelling spelling = {};
};

/// How to read table files. What is not set is as the schema's dialect says; without a schema, as a
/// CSV file with a header line and commas has it.
struct TableReadOptions {
  /// Empty: by the name's ending (.csv .tsv .txt .data, .parquet, .arrow .feather .ipc, .idx and
  /// names that end in "ubyte", .npy .npz; .gz and .zst are looked through), else by the first
  /// bytes, else CSV. A folder with PNG files is a folder of images.
  std::optional<TableFormat> format;
  /// CSV: one character between fields; a tab for .tsv, whatever the schema says.
  std::optional<char> delimiter;
  /// CSV: whether the first line names the columns. Without it the names are `column_names`, else
  /// the schema's columns in order, else column_1, column_2, ... A first column without a name is
  /// the index of a data frame: it gets the name kNamelessColumn, and is left out if the schema
  /// does not list it.
  std::optional<bool> header;
  /// CSV: refuse a first line that has a number or a date among the names: it may be a record.
  bool doubt_header = false;
  /// CSV without a header: the columns' names.
  std::vector<std::string> column_names;
  /// CSV without a schema: columns that are read as texts, whatever stands in them.
  std::vector<std::string> text_columns;
  /// Where the reader notes the column of a CSV whose text is not of its declared kind, beside
  /// throwing; nullptr for nowhere.
  std::shared_ptr<std::string> misfit_column;
  /// CSV: spellings of a missing value, exactly as written and not in quotes. An empty field is
  /// always missing.
  std::vector<std::string> null_spellings;
  /// CSV: drop spaces and tabs around fields, outside quotes.
  bool trim_spaces = false;
  /// CSV: lines to leave out at the top of each file, before the header.
  std::optional<std::size_t> skip_lines;
  /// CSV: as in Dialect.
  std::optional<char> decimal;
  std::optional<std::string> thousands;
  std::optional<TextEncoding> encoding;
  /// Excel workbooks: the name of the sheet to read; the first one otherwise. `header`,
  /// `column_names`, `null_spellings`, `trim_spaces` and `skip_lines` hold for workbooks as for
  /// CSV.
  std::optional<std::string> sheet;
  /// CSV without a schema: columns whose texts are converted.
  std::vector<RecognisedColumn> recognised;
  /// Threads of the readers' own pool, which all readers of the process share.
  std::size_t threads = 1;
  OptionsFor given_for = OptionsFor::kThisTable;
};

/// The share of the input that has been read, for progress displays. Thread-safe.
class ReadProgress {
 public:
  void add_total(std::uint64_t bytes) { total_ += bytes; }
  void add_done(std::uint64_t bytes) { done_ += bytes; }
  std::uint64_t done() const { return done_; }
  /// How many of the bytes that are done were only read ahead.
  void set_ahead(std::uint64_t bytes) { ahead_ = bytes; }
  /// In [0, 1]; negative when the size is not known (standard input). Where parts are read several
  /// times, the share of all passes that have begun.
  double fraction() const;

 private:
  std::atomic<std::uint64_t> total_{0};
  std::atomic<std::uint64_t> done_{0};
  std::atomic<std::uint64_t> ahead_{0};
};

/// What the name of a folder says of all records in it: "year=2020".
struct PartitionKey {
  std::string name;
  std::optional<std::string> value;  ///< nothing: missing
  bool is_integer = false;           ///< whether all parts have whole numbers
};

/// One file of a table.
struct TablePart {
  std::string path;                   ///< "-" for standard input; kPng: the folder
  std::string labels = {};            ///< kIdx and .npy: the file of the images' labels, if any
  std::optional<TableFormat> format;  ///< empty for a pipe whose first bytes will tell
  bool is_workbook = false;           ///< .xlsx, whose sheet is read as CSV; `format` is kCsv
  bool is_pipe = false;     ///< standard input, a named pipe or a device: read once, in order
  std::uint64_t bytes = 0;  ///< 0 for a pipe
  std::vector<PartitionKey> keys = {};  ///< of the folders of a partitioned table
};

/// A table in one or more files, read as a stream of Arrow record batches, a part at a time; never
/// whole.
///
/// Privacy: errors name files, columns and line numbers, never what stands in them.
class TableReader {
 public:
  /// `paths`: files, folders of parts (files whose names begin with '.' or '_' are skipped; the
  /// rest in name order; folders named "key=value" within give all their records a column), or "-"
  /// for standard input (CSV, or Arrow's stream format). Sets of images are tables with columns
  /// "image" and "label": IDX and .npy files, whose labels lie beside them under the usual name or
  /// are given right behind them; .npz files, with an array a column; folders of PNG files, with
  /// the names of inner folders as labels or a file labels.csv (image_folder.h). All parts have one
  /// format, and none is given twice. With a schema, CSV columns are read as the types it declares,
  /// columns it ignores are not read, and the columns of each file must be those of the schema.
  /// Without one, types are guessed from the first block of each file. CSV may be compressed (gzip,
  /// Zstandard), which its first bytes tell; blank lines are skipped. Throws Error(kFile) if
  /// something cannot be opened, Error(kInvalidTable) if it is empty, and Error(kInvalidArgument)
  /// for a mixture of formats or a CSV option that the format has no use for.
  TableReader(const std::vector<std::string>& paths, TableReadOptions options,
              const Schema* schema = nullptr);

  /// One factory per part, to be called in any order, and again if can_be_read_again(); they do not
  /// need the reader any more. A factory opens its file and throws Error if the file cannot be
  /// opened or does not fit the schema.
  std::vector<RecordStreamFactory> parts() const;

  /// The files of the table, in the order of parts().
  const std::vector<TablePart>& files() const { return parts_; }

  std::shared_ptr<const ReadProgress> progress() const { return progress_; }

  /// Whether all parts are files, which give their records as often as they are opened.
  bool can_be_read_again() const;

  /// Whether the table is CSV; of a pipe, whether it may be.
  bool may_be_csv() const;

  /// Whether types of columns are guessed from records, where no schema says them: of CSV, and of a
  /// folder of images, whose shape is that of the first one.
  bool has_guessed_types() const;

 private:
  std::vector<TablePart> parts_;
  TableReadOptions options_;
  std::shared_ptr<const Schema> schema_;
  std::shared_ptr<ReadProgress> progress_;
};

}  // namespace mehler
