#include "mehler/table/readers/csv_reader.h"

#include <arrow/csv/options.h>
#include <arrow/csv/reader.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "mehler/core/lower_case.h"
#include "mehler/table/calendar.h"
#include "mehler/table/number_text.h"
#include "mehler/table/readers/arrow_errors.h"
#include "mehler/table/readers/arrow_input.h"
#include "mehler/table/readers/csv_conversion.h"
#include "mehler/table/readers/csv_dialect.h"
#include "mehler/table/readers/csv_errors.h"
#include "mehler/table/readers/date_recognition.h"
#include "mehler/table/readers/partition_keys.h"
#include "mehler/table/readers/peeked_source.h"
#include "mehler/table/readers/quote_watched_source.h"
#include "mehler/table/readers/stream_export.h"
#include "mehler/table/readers/transcoded_source.h"
#include "mehler/table/readers/trimmed_source.h"
#include "mehler/table/schema_draft.h"
#include "mehler/table/spelled_out_rules.h"

namespace mehler {
namespace {

class CsvBatches : public BatchSource {
 public:
  /// `text_bytes` counts the bytes of the records that Arrow has taken, ahead of what it has made
  /// batches of.
  CsvBatches(std::shared_ptr<arrow::csv::StreamingReader> reader, PartContext part,
             std::vector<std::string> file_names,
             std::shared_ptr<const std::atomic<std::uint64_t>> text_bytes,
             std::uint64_t done_before)
      : reader_(std::move(reader)),
        part_(std::move(part)),
        file_names_(std::move(file_names)),
        text_bytes_(std::move(text_bytes)),
        done_before_(done_before) {}

  std::shared_ptr<arrow::Schema> schema() const override { return reader_->schema(); }

  std::shared_ptr<arrow::RecordBatch> next() override {
    std::shared_ptr<arrow::RecordBatch> batch;
    const arrow::Status status = reader_->ReadNext(&batch);
    if (!status.ok()) {
      throw_csv_error(status, part_, file_names_);
    }
    report_read_ahead(batch == nullptr);
    return batch;
  }

 private:
  /// The share of the text that waits inside Arrow is the share of the file that was read ahead.
  void report_read_ahead(bool is_end) {
    const auto taken = static_cast<double>(*text_bytes_);
    const double waiting =
        is_end || taken == 0.0
            ? 0.0
            : std::max(0.0, 1.0 - static_cast<double>(reader_->bytes_read()) / taken);
    const auto file_bytes = static_cast<double>(part_.progress->done() - done_before_);
    part_.progress->set_ahead(static_cast<std::uint64_t>(waiting * file_bytes));
  }

  std::shared_ptr<arrow::csv::StreamingReader> reader_;
  PartContext part_;
  std::vector<std::string> file_names_;
  std::shared_ptr<const std::atomic<std::uint64_t>> text_bytes_;
  std::uint64_t done_before_;
};

[[noreturn]] void throw_empty(const PartContext& part) {
  throw Error(ErrorCode::kInvalidTable,
              fmt::format("{} is empty{}; check that it is the right file", part.what,
                          part.dialect.skip_lines > 0 ? " after the lines that are skipped" : ""));
}

/// The text in UTF-8, without a byte order mark.
std::unique_ptr<PeekedSource> text_of(std::unique_ptr<PeekedSource> bytes,
                                      const PartContext& part) {
  const std::optional<TextEncoding> marked = encoding_by_mark(bytes->peek(3));
  if (marked == TextEncoding::kUtf16 && part.dialect.encoding != TextEncoding::kUtf16) {
    refuse_part(part, part.is_folder_table
                          ? "is written in UTF-16; convert it to UTF-8"
                          : "is written in UTF-16; write \"encoding\": \"utf-16\" in the schema's "
                            "dialect, or add option 'encoding'");
  }
  if (needs_transcoding(part.dialect.encoding)) {
    bytes = std::make_unique<PeekedSource>(
        transcode(std::move(bytes), part.dialect.encoding, part.what));
  }
  if (encoding_by_mark(bytes->peek(3)) == TextEncoding::kUtf8Bom) {
    bytes->skip(3);
  }
  return bytes;
}

/// Drops whole lines, whatever quotes stand in them.
void skip_lines(PeekedSource& text, std::size_t lines) {
  constexpr std::size_t kLookBytes = 1 << 16;
  while (lines > 0) {
    const std::string_view ahead = text.peek(kLookBytes);
    if (ahead.empty()) {
      return;
    }
    const std::size_t end = ahead.find_first_of("\r\n");
    if (end == std::string_view::npos) {
      text.skip(ahead.size());
      continue;
    }
    const bool carriage_return = ahead[end] == '\r';
    text.skip(end + 1);
    if (carriage_return && text.peek(1) == "\n") {
      text.skip(1);
    }
    --lines;
  }
}

/// A number or a date, in any form that tables have them in.
bool looks_like_a_value(const std::string& name) {
  for (const NumberText& form : {NumberText{'.', ",", "$", "%"}, NumberText{',', ".", "€", "€"}}) {
    const std::optional<double> number = form.parse(name);
    if (number && std::isfinite(*number)) {
      return true;
    }
  }
  return parse_datetime(name).has_value() || !recognise_date_format({name}).pattern.empty();
}

/// The first row that is not blank, without reading it; nothing if it is longer than rows may be.
std::optional<FirstRow> peek_row(PeekedSource& text, const arrow::csv::ParseOptions& options,
                                 const PartContext& part) {
  for (std::size_t look = 1 << 14; look <= kLongestRowBytes; look *= 4) {
    const std::string_view ahead = text.peek(look);
    const bool is_all = ahead.size() < look;
    if (is_all && ahead.find_first_not_of("\r\n") == std::string_view::npos) {
      throw_empty(part);
    }
    if (std::optional<FirstRow> row = first_row(ahead, is_all, options)) {
      return row;
    }
  }
  return std::nullopt;
}

/// The names of a file with a header line. A first line that may not be one is not quoted.
std::vector<std::string> names_of_header(const FirstRow& row, const PartContext& part) {
  constexpr std::size_t kLongestName = 200;
  std::vector<std::string> names = row.fields;
  if (names.size() > 1 && names.front().empty()) {
    names.front() = kNamelessColumn;
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].size() > kLongestName || names[i].find_first_of("\r\n") != std::string::npos) {
      throw Error(ErrorCode::kInvalidTable,
                  fmt::format("{} has a column name, number {}, with a line break or of more than "
                              "{} bytes; look for a quote that is not closed, check the delimiter "
                              "and the lines to skip, or give the column a shorter name",
                              part.what, i + 1, kLongestName));
    }
    if (part.options.doubt_header && looks_like_a_value(names[i])) {
      throw Error(
          ErrorCode::kInvalidTable,
          fmt::format("{} has a first line that looks like a record, not like column names: "
                      "it has a number or a date among them; add option 'no-header' if it is a "
                      "record, or --header if these are the names",
                      part.what));
    }
  }
  return names;
}

/// Names of the table of a folder, whose programs write "File" and "Label" too: as the schema has
/// them, or in lower case.
void set_usual_case(std::vector<std::string>& names, const PartContext& part) {
  std::vector<std::string> known = {"file", "label"};
  if (part.schema != nullptr) {
    known = part.schema->column_names();
  }
  for (std::string& name : names) {
    const auto same = std::find_if(known.begin(), known.end(), [&](const std::string& other) {
      return lower_case(other) == lower_case(name);
    });
    if (same != known.end() && std::find(names.begin(), names.end(), *same) == names.end() &&
        std::find(known.begin(), known.end(), name) == known.end()) {
      name = *same;
    }
  }
}

/// The names of a file without a header line.
std::vector<std::string> names_without_header(std::size_t fields, const PartContext& part) {
  std::vector<std::string> names = part.options.column_names;
  std::string_view giver = "the names given for its columns";
  if (names.empty() && part.schema != nullptr) {
    names = names_of_fields(*part.schema, fields + part.keys.size());
    std::erase_if(names, [&](const std::string& name) { return part.has_key(name); });
    giver = "the columns of the schema";
  }
  if (names.empty()) {
    for (std::size_t i = 0; i < fields; ++i) {
      names.push_back(fmt::format("column_{}", i + 1));
    }
  }
  if (names.size() != fields) {
    const bool ignores_others = part.schema != nullptr && part.schema->ignores_others();
    throw Error(
        ErrorCode::kInvalidTable,
        fmt::format("{} has {} fields in its first row, but {} are {}; a file without a header "
                    "needs one name for each field{}, so check the delimiter, {}",
                    part.what, fields, giver, names.size(),
                    ignores_others ? ", although the schema ignores others" : "",
                    ignores_others ? "or name all of them with option 'column-names'"
                                   : "or declare the columns that are not used as ignored"));
  }
  return names;
}

std::shared_ptr<arrow::DataType> arrow_type(const Column& column) {
  const TimeStorage* times = time_storage(column.type);
  if (times != nullptr && times->meaning == TimeStorage::Meaning::kTimeOfDay) {
    return arrow::time64(arrow::TimeUnit::NANO);
  }
  switch (column.kind) {
    case ColumnKind::kNumeric:
    case ColumnKind::kInteger:
      // Whole numbers are often written as "5.0". The encoder refuses fractions; bounds lie within
      // 2^53, where a double is exact.
      return arrow::float64();
    case ColumnKind::kBoolean:
      return arrow::boolean();
    default:
      return arrow::utf8();  // dates too: the encoder reads them from text
  }
}

/// One for each column that is read.
TextConversions conversions_of(const SelectedColumns& selected, const PartContext& part) {
  TextConversions conversions;
  for (const std::string& name : selected.names) {
    conversions.push_back(conversion_of(name, part));
  }
  return conversions;
}

/// Whether a category is spelled as missing values are.
bool lists_missing_text(const PartContext& part, const SelectedColumns& selected) {
  const Column* column =
      part.schema == nullptr ? nullptr : part.schema->find(selected.names.front());
  if (column == nullptr || !column->categories) {
    return false;
  }
  const std::vector<std::string> labels = column->labels();
  return std::any_of(labels.begin(), labels.end(), [&](const std::string& label) {
    const std::vector<std::string>& missing = part.dialect.missing;
    return label.empty() || std::find(missing.begin(), missing.end(), label) != missing.end();
  });
}

arrow::csv::ConvertOptions convert_options(const SelectedColumns& selected, bool is_one_column,
                                           const PartContext& part) {
  auto options = arrow::csv::ConvertOptions::Defaults();
  options.null_values = part.dialect.missing;
  options.null_values.emplace_back();
  options.strings_can_be_null = true;
  // Of one column a missing value is written "", because a blank line is no record.
  options.quoted_strings_can_be_null = is_one_column && !lists_missing_text(part, selected);
  options.include_columns = selected.names;
  for (const std::string& name : part.options.text_columns) {
    options.column_types[name] = arrow::utf8();
  }
  options.decimal_point = part.dialect.decimal;
  for (const std::string& name : selected.names) {
    if (conversion_of(name, part) != nullptr) {
      options.column_types[name] = arrow::utf8();
    } else if (part.schema != nullptr) {
      options.column_types[name] = arrow_type(*part.schema->find(name));
    }
  }
  return options;
}

std::unique_ptr<BatchSource> empty_table(const SelectedColumns& selected, const PartContext& part) {
  arrow::FieldVector fields;
  for (const std::string& name : selected.names) {
    const std::shared_ptr<const TextConversion> conversion = conversion_of(name, part);
    fields.push_back(arrow::field(name, conversion != nullptr ? conversion->type()
                                        : part.schema == nullptr
                                            ? arrow::null()
                                            : arrow_type(*part.schema->find(name))));
  }
  return empty_batches(arrow::schema(std::move(fields)));
}

}  // namespace

RecordStream open_csv(std::unique_ptr<ByteSource> source, char default_delimiter,
                      const PartContext& given) {
  return export_part(csv_batches(std::move(source), default_delimiter, given), given);
}

std::unique_ptr<BatchSource> csv_batches(std::unique_ptr<ByteSource> source, char default_delimiter,
                                         const PartContext& given) {
  PartContext part = given;
  const std::uint64_t done_before = part.progress->done();

  // The layers, from the file upwards: uncompressed, in UTF-8, without the lines that are skipped,
  // trimmed, and then without the header, so that Arrow sees records only and counts them from 1.
  auto bytes = std::make_unique<PeekedSource>(decompress(std::move(source), part.what));
  set_dialect(*bytes, default_delimiter, part);
  const Dialect& dialect = part.dialect;
  std::unique_ptr<PeekedSource> lines = text_of(std::move(bytes), part);
  const arrow::csv::ParseOptions parse = parse_options(*dialect.delimiter);
  skip_lines(*lines, dialect.skip_lines);
  std::unique_ptr<ByteSource> trimmed = std::move(lines);
  if (dialect.trim_spaces) {
    trimmed = std::make_unique<TrimmedSource>(std::move(trimmed), parse.delimiter);
  }
  auto rows = std::make_unique<PeekedSource>(std::move(trimmed));

  const std::optional<FirstRow> found = peek_row(*rows, parse, part);
  if (!found) {
    throw_row_too_long(part.what);
  }
  std::vector<std::string> names = dialect.header
                                       ? names_of_header(*found, part)
                                       : names_without_header(found->fields.size(), part);
  if (part.is_folder_table) {
    set_usual_case(names, part);
  }
  std::size_t line = 1 + dialect.skip_lines;
  if (dialect.header) {
    const std::string_view header = rows->peek(found->bytes);
    line += static_cast<std::size_t>(std::count(header.begin(), header.end(), '\n'));
    rows->skip(header.size());
  }
  const SelectedColumns selected = select_columns(
      names,
      dialect.header && !part.is_folder_table ? NamesFrom::kFirstLine : NamesFrom::kElsewhere,
      part);
  if (rows->peek(1).empty()) {
    return empty_table(selected, part);
  }

  auto read = arrow::csv::ReadOptions::Defaults();
  read.block_size = kLongestRowBytes;
  read.column_names = names;
  // On one thread Arrow knows the number of a bad row, and two threads gain nothing: parsing is
  // serial.
  read.use_threads = part.options.threads > 2;
  auto watched = std::make_unique<QuoteWatchedSource>(std::move(rows),
                                                      QuoteWatch(parse.delimiter, line), part.what);
  const std::shared_ptr<const std::atomic<std::uint64_t>> text_bytes = watched->bytes();
  auto reader = arrow::csv::StreamingReader::Make(
      arrow::io::default_io_context(), as_arrow_input(std::move(watched)), read, parse,
      convert_options(selected, names.size() == 1, part));
  if (!reader.ok()) {
    throw_csv_error(reader.status(), part, names);
  }
  auto batches = std::make_unique<CsvBatches>(std::move(reader).ValueUnsafe(), part,
                                              std::move(names), text_bytes, done_before);
  return convert_batches(std::move(batches), conversions_of(selected, part), part);
}

}  // namespace mehler
