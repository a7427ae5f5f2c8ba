#include "mehler/table/readers/dialect_sniffer.h"

#include <arrow/csv/options.h>
#include <arrow/csv/parser.h>
#include <fmt/format.h>

#include <algorithm>

#include "mehler/table/readers/arrow_input.h"
#include "mehler/table/readers/column_recognition.h"
#include "mehler/table/readers/csv_dialect.h"
#include "mehler/table/readers/file_source.h"
#include "mehler/table/readers/peeked_source.h"
#include "mehler/table/readers/table_parts.h"
#include "mehler/table/readers/transcoded_source.h"
#include "mehler/table/readers/trimmed_source.h"
#include "mehler/table/readers/workbook_source.h"
#include "mehler/table/schema_draft.h"

namespace mehler {
namespace {

constexpr std::size_t kLookedAt = std::size_t{1} << 20;
constexpr std::size_t kLookedAtRows = 200;  // for the delimiter

/// How often a character stands in each of the first rows, outside quotes; blank lines do not
/// count, nor does a last row that may go on.
std::vector<std::size_t> counts_by_row(std::string_view text, bool is_all, char delimiter) {
  std::vector<std::size_t> counts;
  std::size_t count = 0;
  bool in_quotes = false;
  bool is_blank = true;
  for (const char c : text) {
    in_quotes ^= c == '"';
    if (!in_quotes && (c == '\n' || c == '\r')) {
      if (!is_blank) {
        counts.push_back(count);
      }
      if (counts.size() == kLookedAtRows) {
        break;
      }
      count = 0;
      is_blank = true;
      continue;
    }
    is_blank = false;
    count += !in_quotes && c == delimiter ? 1 : 0;
  }
  if (is_all && !is_blank && counts.size() < kLookedAtRows) {
    counts.push_back(count);
  }
  return counts;
}

/// The character that stands equally often in all rows; the likeliest, if several do.
char sniff_delimiter(std::string_view text, bool is_all, char default_delimiter) {
  char best = default_delimiter;
  std::size_t most = 0;
  for (const char candidate : {default_delimiter, ',', ';', '\t', '|'}) {
    const std::vector<std::size_t> counts = counts_by_row(text, is_all, candidate);
    const bool is_consistent =
        !counts.empty() && std::all_of(counts.begin(), counts.end(),
                                       [&](std::size_t count) { return count == counts.front(); });
    if (is_consistent && counts.front() > most) {
      best = candidate;
      most = counts.front();
    }
  }
  return best;
}

std::string delimiter_words(char delimiter) {
  return delimiter == '\t' ? "a tab" : fmt::format("'{}'", delimiter);
}

constexpr std::string_view kDelimiterLine = "sep=";

/// Whether the text begins with a line by which Excel knows the delimiter, as "sep=;".
bool names_delimiter(std::string_view text) {
  const std::string_view rest = text.substr(0, kDelimiterLine.size() + 2);
  return rest.size() == kDelimiterLine.size() + 2 && rest.starts_with(kDelimiterLine) &&
         std::string_view(",;\t|").find(rest[kDelimiterLine.size()]) != std::string_view::npos &&
         (rest.back() == '\r' || rest.back() == '\n');
}

/// The text without its first lines.
std::string_view after_lines(std::string_view text, std::size_t lines) {
  for (; lines > 0 && !text.empty(); --lines) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size() - 1);
    text.remove_prefix(end + (text.substr(end, 2) == "\r\n" ? 2 : 1));
  }
  return text;
}

std::vector<std::string> column_names(const FirstRow& row, const Dialect& dialect,
                                      const TableReadOptions& options) {
  std::vector<std::string> names = row.fields;
  if (dialect.header) {
    names.front() = names.front().empty() && names.size() > 1 ? kNamelessColumn : names.front();
    return names;
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    names[i] =
        i < options.column_names.size() ? options.column_names[i] : fmt::format("column_{}", i + 1);
  }
  return names;
}

/// What the first rows tell of the forms of values; nothing if they cannot be split into fields,
/// of which the reader will complain.
RecognisedForms recognise(std::string_view text, bool is_all, const Dialect& dialect,
                          const TableReadOptions& options) {
  RecognisedForms nothing{.decimal = dialect.decimal, .thousands = dialect.thousands};
  const arrow::csv::ParseOptions parse = parse_options(*dialect.delimiter);
  const std::optional<FirstRow> first = first_row(text, is_all, parse);
  if (!first) {
    return nothing;
  }
  const std::vector<std::string> names = column_names(*first, dialect, options);
  text.remove_prefix(dialect.header ? first->bytes : 0);
  arrow::csv::BlockParser parser(parse, static_cast<std::int32_t>(names.size()));
  std::uint32_t parsed_bytes = 0;
  const arrow::Status status =
      is_all ? parser.ParseFinal(text, &parsed_bytes) : parser.Parse(text, &parsed_bytes);
  if (!status.ok()) {
    return nothing;
  }
  std::vector<ColumnTexts> columns;  // of texts that the parser holds
  for (std::size_t i = 0; i < names.size(); ++i) {
    ColumnTexts column{.name = names[i], .values = {}};
    const arrow::Status visited = parser.VisitColumn(
        static_cast<std::int32_t>(i), [&](const uint8_t* data, uint32_t size, bool quoted, bool) {
          const std::string_view value(reinterpret_cast<const char*>(data), size);
          const std::vector<std::string>& missing = dialect.missing;
          if (!value.empty() &&
              (quoted || std::find(missing.begin(), missing.end(), value) == missing.end())) {
            column.values.push_back(value);
          }
          return arrow::Status::OK();
        });
    if (visited.ok()) {
      columns.push_back(std::move(column));
    }
  }
  return recognise_forms(columns, *dialect.delimiter, options.decimal, options.thousands);
}

/// One column, and its name has what other tables have between theirs.
void note_one_column(std::string_view text, bool is_all, char delimiter,
                     std::vector<std::string>& notes) {
  const std::optional<FirstRow> row = first_row(text, is_all, parse_options(delimiter));
  if (!row || row->fields.size() != 1) {
    return;
  }
  for (const char other : {',', ';', '\t', '|'}) {
    if (other != delimiter && row->fields.front().find(other) != std::string::npos) {
      const std::string words = delimiter_words(other);
      notes.push_back(fmt::format(
          "the table has one column, and its first line has {} in it; if that stands between "
          "columns, add --delimiter {}",
          words, other == '\t' ? "tab" : words));
      return;
    }
  }
}

SniffedDialect sniff_bytes(std::string_view bytes, char default_delimiter,
                           const TableReadOptions& options) {
  const bool is_all = bytes.size() < kLookedAt;
  SniffedDialect sniffed;
  TableReadOptions known = options;
  if (!known.encoding) {
    known.encoding = encoding_by_mark(bytes);
    if (known.encoding == TextEncoding::kUtf16) {
      sniffed.notes.emplace_back("the table is written in UTF-16, as its first bytes say");
    }
  }
  const std::string whole = beginning_in_utf8(bytes, known.encoding.value_or(TextEncoding::kUtf8));
  if (!known.delimiter && !known.skip_lines && names_delimiter(whole)) {
    known.delimiter = whole[kDelimiterLine.size()];
    known.skip_lines = 1;
    sniffed.notes.push_back(
        fmt::format("the first line says that the delimiter is {}; it is skipped",
                    delimiter_words(*known.delimiter)));
  }
  std::string text(after_lines(whole, known.skip_lines.value_or(0)));
  if (!known.delimiter) {
    known.delimiter = sniff_delimiter(text, is_all, default_delimiter);
    if (*known.delimiter != default_delimiter) {
      sniffed.notes.push_back(
          fmt::format("the fields are taken to be separated by {}; if they are not, give the "
                      "character with --delimiter",
                      delimiter_words(*known.delimiter)));
    }
  }
  if (known.trim_spaces) {
    std::string trimmed;
    SpaceTrimmer(*known.delimiter).trim(text, trimmed);
    text = trimmed;
  }
  sniffed.dialect = effective_dialect(known, nullptr, default_delimiter);
  note_one_column(text, is_all, *known.delimiter, sniffed.notes);
  RecognisedForms forms = recognise(text, is_all, sniffed.dialect, known);
  sniffed.dialect.decimal = forms.decimal;
  sniffed.dialect.thousands = forms.thousands;
  sniffed.columns = std::move(forms.columns);
  sniffed.notes.insert(sniffed.notes.end(), forms.notes.begin(), forms.notes.end());
  return sniffed;
}

/// The forms of a workbook's texts; numbers and dates have none.
SniffedDialect sniff_cells(const std::string& path, const TableReadOptions& options) {
  PeekedSource text(
      open_workbook(path, options.sheet, options.skip_lines.value_or(0), describe_table(path)));
  const std::string_view beginning = text.peek(kLookedAt);
  SniffedDialect sniffed;
  sniffed.dialect = dialect_of_cells(options, nullptr);
  RecognisedForms forms =
      recognise(beginning, beginning.size() < kLookedAt, sniffed.dialect, options);
  sniffed.dialect.skip_lines = options.skip_lines.value_or(0);
  sniffed.columns = std::move(forms.columns);
  sniffed.notes = std::move(forms.notes);
  sniffed.is_workbook = true;
  sniffed.was_read = true;
  return sniffed;
}

}  // namespace

TableReadOptions SniffedDialect::reading(TableReadOptions options) const {
  if (!was_read) {
    return options;
  }
  options.recognised = columns;
  if (is_workbook) {
    return options;
  }
  options.delimiter = dialect.delimiter;
  options.skip_lines = dialect.skip_lines;
  options.encoding = dialect.encoding;
  options.decimal = dialect.decimal;
  options.thousands = dialect.thousands;
  return options;
}

Dialect SniffedDialect::dialect_of_schema() const {
  Dialect result = dialect;
  if (result.delimiter == usual_delimiter) {
    result.delimiter.reset();
  }
  return result;
}

std::map<std::string, ColumnSpelling> SniffedDialect::spellings(const Schema& schema) const {
  std::map<std::string, ColumnSpelling> result;
  for (const RecognisedColumn& recognised : columns) {
    const Column* column = schema.find(recognised.name);
    if (column != nullptr && column->kind == recognised.kind) {
      result[recognised.name] = recognised.spelling;
    }
  }
  return result;
}

std::optional<SniffedDialect> sniff_dialect(const std::vector<std::string>& paths,
                                            const TableReadOptions& options) {
  const TablePart part = resolve_parts(paths, options.format).front();
  if (part.format.value_or(TableFormat::kCsv) != TableFormat::kCsv) {
    return std::nullopt;
  }
  if (part.is_workbook) {
    return sniff_cells(part.path, options);
  }
  const char default_delimiter = table_ending(part.path) == ".tsv" ? '\t' : ',';
  SniffedDialect sniffed;
  if (part.is_pipe) {
    sniffed.dialect = effective_dialect(options, nullptr, default_delimiter);
  } else {
    PeekedSource bytes(decompress(open_file(part.path, nullptr), describe_table(part.path)));
    sniffed = sniff_bytes(bytes.peek(kLookedAt), default_delimiter, options);
    sniffed.was_read = true;
  }
  sniffed.usual_delimiter = default_delimiter;
  return sniffed;
}

}  // namespace mehler
