#include "mehler/table/readers/csv_dialect.h"

#include <arrow/csv/parser.h>

#include <algorithm>

#include "mehler/table/readers/transcoded_source.h"

namespace mehler {
namespace {

/// Whether a text begins as TableWriter begins a table of the schema in this dialect: with the
/// names of all columns that are used, and of no others than the schema's.
bool begins_as_written(std::string_view bytes, const Dialect& dialect, const Schema& schema) {
  constexpr std::size_t kLookedAt = 1 << 18;
  const std::string text = beginning_in_utf8(bytes.substr(0, kLookedAt), dialect.encoding);
  const std::optional<FirstRow> row =
      dialect.header ? first_row(text, bytes.size() <= kLookedAt, parse_options(*dialect.delimiter))
                     : std::nullopt;
  if (!row) {
    return false;
  }
  const auto is_named = [&](const Column& column) {
    return !is_read(column, schema) ||
           std::find(row->fields.begin(), row->fields.end(), column.name) != row->fields.end();
  };
  const std::vector<Column>& columns = schema.columns();
  return std::all_of(columns.begin(), columns.end(), is_named) &&
         std::all_of(row->fields.begin(), row->fields.end(),
                     [&](const std::string& field) { return schema.find(field) != nullptr; });
}

}  // namespace

arrow::csv::ParseOptions parse_options(char delimiter) {
  auto options = arrow::csv::ParseOptions::Defaults();
  options.delimiter = delimiter;
  options.newlines_in_values = true;
  return options;
}

std::optional<FirstRow> first_row(std::string_view beginning, bool is_all,
                                  const arrow::csv::ParseOptions& options) {
  arrow::csv::BlockParser parser(options, /*num_cols=*/-1, /*first_row=*/-1, /*max_num_rows=*/1);
  std::uint32_t parsed_bytes = 0;
  const arrow::Status status =
      is_all ? parser.ParseFinal(beginning, &parsed_bytes) : parser.Parse(beginning, &parsed_bytes);
  if (!status.ok() || parser.num_rows() == 0) {
    return std::nullopt;
  }
  FirstRow row{.fields = {}, .bytes = parsed_bytes};
  const arrow::Status visited =
      parser.VisitLastRow([&](const uint8_t* data, uint32_t size, bool, bool) {
        row.fields.emplace_back(reinterpret_cast<const char*>(data), size);
        return arrow::Status::OK();
      });
  return visited.ok() ? std::optional(std::move(row)) : std::nullopt;
}

Dialect effective_dialect(const TableReadOptions& options, const Schema* schema,
                          char default_delimiter) {
  Dialect dialect = schema == nullptr ? Dialect{} : schema->dialect();
  if (default_delimiter == '\t' || !dialect.delimiter) {
    dialect.delimiter = default_delimiter;
  }
  dialect.delimiter = options.delimiter ? options.delimiter : dialect.delimiter;
  dialect.header = options.header.value_or(dialect.header);
  dialect.decimal = options.decimal.value_or(dialect.decimal);
  dialect.thousands = options.thousands.value_or(dialect.thousands);
  dialect.encoding = options.encoding.value_or(dialect.encoding);
  dialect.skip_lines = options.skip_lines.value_or(dialect.skip_lines);
  dialect.trim_spaces |= options.trim_spaces;
  if (!options.null_spellings.empty()) {
    dialect.missing = options.null_spellings;
  }
  check_dialect(dialect, ErrorCode::kInvalidArgument, "the way in which the table is to be read");
  return dialect;
}

Dialect dialect_of_cells(const TableReadOptions& options, const Schema* schema) {
  Dialect dialect = schema == nullptr ? Dialect{} : schema->dialect();
  dialect.delimiter = ',';
  dialect.decimal = '.';
  dialect.thousands = dialect.thousands == "." ? "" : dialect.thousands;
  dialect.encoding = TextEncoding::kUtf8;
  dialect.header = options.header.value_or(dialect.header);
  dialect.trim_spaces |= options.trim_spaces;
  dialect.skip_lines = 0;  // rows were skipped when the sheet was read
  if (!options.null_spellings.empty()) {
    dialect.missing = options.null_spellings;
  }
  return dialect;
}

void set_dialect(PeekedSource& bytes, char default_delimiter, PartContext& part) {
  if (part.is_workbook) {
    part.dialect = dialect_of_cells(part.options, part.schema.get());
    return;
  }
  part.dialect = effective_dialect(part.options, part.schema.get(), default_delimiter);
  if (!may_be_ours(part.options.given_for) || part.schema == nullptr) {
    return;
  }
  constexpr std::size_t kLookedAt = std::size_t{1} << 20;
  const std::string_view beginning = bytes.peek(kLookedAt);
  Dialect written = part.schema->dialect();
  if (default_delimiter == '\t' || !written.delimiter) {
    written.delimiter = default_delimiter;
  }
  written.skip_lines = 0;  // they are blank
  written.trim_spaces |= part.dialect.trim_spaces;
  written.missing.insert(written.missing.end(), part.options.null_spellings.begin(),
                         part.options.null_spellings.end());
  Dialect plain;
  plain.delimiter = default_delimiter;
  plain.trim_spaces = part.dialect.trim_spaces;
  plain.missing = written.missing;
  if (begins_as_written(beginning, written, *part.schema)) {
    part.dialect = written;
  } else if (begins_as_written(beginning, plain, *part.schema)) {
    part.dialect = plain;
    part.has_plain_values = true;
  }
}

}  // namespace mehler
