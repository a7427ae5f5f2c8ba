#include "mehler/table/readers/table_reader.h"

#include <arrow/csv/options.h>
#include <arrow/status.h>
#include <arrow/util/thread_pool.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/table/readers/arrow_errors.h"
#include "mehler/table/readers/arrow_reader.h"
#include "mehler/table/readers/column_selection.h"
#include "mehler/table/readers/csv_dialect.h"
#include "mehler/table/readers/csv_reader.h"
#include "mehler/table/readers/file_source.h"
#include "mehler/table/readers/image_files.h"
#include "mehler/table/readers/parquet_reader.h"
#include "mehler/table/readers/peeked_source.h"
#include "mehler/table/readers/table_parts.h"
#include "mehler/table/readers/workbook_source.h"

namespace mehler {
namespace {

[[noreturn]] void refuse_option(const std::string& complaint) {
  throw Error(ErrorCode::kInvalidArgument, complaint);
}

void check_csv_options(const TableReadOptions& options, const Schema* schema) {
  if (options.delimiter &&
      std::string_view("\"\r\n").find(*options.delimiter) != std::string_view::npos) {
    refuse_option("the delimiter must not be a quote or a line break; pass one other character");
  }
  if (options.delimiter == '\0') {
    refuse_option("the delimiter must not be the zero byte; pass one other character");
  }
  if (!options.column_names.empty() && effective_dialect(options, schema, ',').header) {
    refuse_option(
        "column names were given for a table whose first line names its columns; leave them "
        "out, or say that the table has no header");
  }
}

/// An option that would be ignored without a word is an error, unless another table has use for it.
void refuse_csv_options(const TableReadOptions& options, TableFormat format) {
  if (options.given_for != OptionsFor::kThisTable &&
      options.given_for != OptionsFor::kThisTableOrOurs) {
    return;
  }
  const char* given = options.delimiter                      ? "a delimiter"
                      : options.header == false              ? "no header"
                      : !options.column_names.empty()        ? "column names"
                      : !options.null_spellings.empty()      ? "spellings of missing values"
                      : options.trim_spaces                  ? "the trimming of spaces"
                      : options.skip_lines.value_or(0) > 0   ? "lines to skip"
                      : options.decimal || options.thousands ? "a form of numbers"
                      : options.encoding                     ? "an encoding"
                                                             : nullptr;
  if (given != nullptr) {
    refuse_option(
        fmt::format("{} can be asked for in CSV tables only, but the table is {}; leave the "
                    "option out",
                    given, format_words(format)));
  }
}

RecordStream open_parquet_part(const TablePart& table_part, const PartContext& part) {
  char start[kMagicBytes];
  const std::size_t count = open_file(table_part.path, nullptr)->read_fully(start);
  if (format_by_content({start, count}) != TableFormat::kParquet) {
    throw Error(
        ErrorCode::kInvalidTable,
        part.what +
            " does not begin as Parquet files do: it is damaged, compressed as a whole or of "
            "another format; decompress it, or name its format");
  }
  return open_parquet(table_part.path, table_part.bytes, part);
}

void check_workbook_options(const TableReadOptions& options, bool is_workbook) {
  if (options.given_for != OptionsFor::kThisTable) {
    return;
  }
  if (!is_workbook && options.sheet) {
    refuse_option("a sheet can be asked for in Excel workbooks only (.xlsx); leave the option out");
  }
  if (is_workbook &&
      (options.delimiter || options.decimal || options.thousands || options.encoding)) {
    refuse_option(
        "a delimiter, a form of numbers or an encoding can be asked for in CSV tables only, but "
        "the table is an Excel workbook; leave the option out");
  }
}

RecordStream open_workbook_part(const TablePart& table_part, const PartContext& given) {
  PartContext part = given;
  part.is_workbook = true;
  const std::size_t skipped_rows = part.options.skip_lines.value_or(
      part.schema == nullptr ? 0 : part.schema->dialect().skip_lines);
  part.progress->add_done(table_part.bytes);
  return open_csv(open_workbook(table_part.path, part.options.sheet, skipped_rows, part.what), ',',
                  part);
}

RecordStream open_part(const TablePart& table_part, const PartContext& part) {
  if (table_part.is_workbook) {
    return open_workbook_part(table_part, part);
  }
  if (table_part.format == TableFormat::kParquet && !table_part.is_pipe) {
    return open_parquet_part(table_part, part);
  }
  if (table_part.format == TableFormat::kPng) {
    return open_image_folder(table_part, part);
  }
  if (table_part.format == TableFormat::kIdx || table_part.format == TableFormat::kNumpy) {
    if (table_part.is_pipe) {
      refuse_part(part,
                  "comes through a pipe, but images are read from files, beside their labels; give "
                  "the name of a file");
    }
    return table_part.format == TableFormat::kIdx ? open_idx(table_part, part)
                                                  : open_numpy(table_part, part);
  }
  auto source = std::make_unique<PeekedSource>(
      open_file(table_part.path, table_part.is_pipe ? nullptr : part.progress));
  const std::string_view start = source->peek(kMagicBytes);
  refuse_workbook(table_part.path, start);
  const TableFormat format =
      table_part.format.value_or(format_by_content(start).value_or(TableFormat::kCsv));
  if (format == TableFormat::kCsv) {
    return open_csv(std::move(source), table_ending(table_part.path) == ".tsv" ? '\t' : ',', part);
  }
  refuse_csv_options(part.options, format);
  if (format == TableFormat::kParquet || (is_arrow_file(start) && table_part.is_pipe)) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("{} is {} and comes through a pipe, but that format is read from its end; "
                    "give the name of a file, or pipe CSV or Arrow's stream format",
                    part.what, format == TableFormat::kParquet ? "Parquet" : "an Arrow file"));
  }
  if (is_arrow_file(start)) {
    return open_arrow_file(table_part.path, table_part.bytes, part);
  }
  return open_arrow_stream(std::move(source), part);
}

}  // namespace

TableFormat table_format_from_name(const std::string& name) {
  constexpr std::pair<std::string_view, TableFormat> kFormats[] = {
      {"csv", TableFormat::kCsv},     {"parquet", TableFormat::kParquet},
      {"arrow", TableFormat::kArrow}, {"idx", TableFormat::kIdx},
      {"numpy", TableFormat::kNumpy}, {"png", TableFormat::kPng}};
  std::vector<std::string> known;
  for (const auto& [format_name, format] : kFormats) {
    if (format_name == name) {
      return format;
    }
    known.emplace_back(format_name);
  }
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("there is no table format '{}'{}", name, suggest_names(name, known)));
}

double ReadProgress::fraction() const {
  const std::uint64_t total = total_;
  if (total == 0) {
    return -1.0;
  }
  const std::uint64_t done = done_;
  const std::uint64_t processed = done - std::min<std::uint64_t>(done, ahead_);
  return std::min(1.0, static_cast<double>(processed) / static_cast<double>(total));
}

TableReader::TableReader(const std::vector<std::string>& paths, TableReadOptions options,
                         const Schema* schema)
    : parts_(resolve_parts(
          paths, options.given_for == OptionsFor::kOtherTables ? std::nullopt : options.format)),
      options_(std::move(options)),
      schema_(schema == nullptr ? nullptr : std::make_shared<const Schema>(*schema)),
      progress_(std::make_shared<ReadProgress>()) {
  check_csv_options(options_, schema_.get());
  check_workbook_options(options_, parts_.front().is_workbook);
  if (parts_.front().format && parts_.front().format != TableFormat::kCsv) {
    refuse_csv_options(options_, *parts_.front().format);
  }
  if (parts_.front().path == "-" && parts_.front().format == TableFormat::kParquet) {
    refuse_option(
        "Parquet cannot be read from standard input, because it is read from its end; give "
        "the name of a file, or pipe CSV or Arrow's stream format");
  }
  for (const TablePart& part : parts_) {
    progress_->add_total(part.bytes);
  }
  const std::size_t threads = std::clamp<std::size_t>(options_.threads, 1, 1024);
  require_ok(arrow::SetCpuThreadPoolCapacity(static_cast<int>(threads)),
             "the table readers' threads could not be started");
}

bool TableReader::may_be_csv() const {
  return parts_.front().format.value_or(TableFormat::kCsv) == TableFormat::kCsv;
}

bool TableReader::has_guessed_types() const {
  return may_be_csv() || parts_.front().format == TableFormat::kPng;
}

bool TableReader::can_be_read_again() const {
  return std::none_of(parts_.begin(), parts_.end(),
                      [](const TablePart& part) { return part.is_pipe; });
}

std::vector<RecordStreamFactory> TableReader::parts() const {
  std::vector<RecordStreamFactory> factories;
  for (const TablePart& table_part : parts_) {
    const PartContext part{.what = describe_table(table_part.path),
                           .options = options_,
                           .schema = schema_,
                           .progress = progress_,
                           .keys = table_part.keys};
    factories.emplace_back([table_part, part, first_pass = true]() mutable {
      if (!std::exchange(first_pass, false)) {
        part.progress->add_total(table_part.bytes);
      }
      return open_part(table_part, part);
    });
  }
  return factories;
}

}  // namespace mehler
