#include "mehler/table/draft_hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

#include "mehler/core/lower_case.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/table/column_view.h"

namespace mehler {
namespace {

constexpr std::array<std::string_view, 17> kMissingSpellings = {
    "NA", "N/A",  "n/a",  "na",   "NaN",  "nan", "-nan", "?",      "-",
    "--", "NULL", "null", "None", "none", ".",   "#N/A", "missing"};

bool is_number(std::string_view text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

/// "00501" and "007", not "0", "0.5" or "-0".
bool has_leading_zero(std::string_view text) {
  return text.size() > 1 && text[0] == '0' &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

TextHints hints_of(const ColumnView& view) {
  TextHints hints;
  bool any_number = false;
  bool all_zero_or_one = true;
  bool is_number_otherwise = true;
  for (std::size_t row = 0; row < view.rows() && is_number_otherwise; ++row) {
    if (view.may_miss() && view.is_missing(row)) {
      continue;
    }
    const std::string_view text = view.text(row);
    all_zero_or_one = all_zero_or_one && (text == "0" || text == "1");
    if (is_number(text)) {
      any_number = true;
      hints.has_leading_zeros = hints.has_leading_zeros || has_leading_zero(text);
      continue;
    }
    const bool is_usual = std::find(kMissingSpellings.begin(), kMissingSpellings.end(), text) !=
                          kMissingSpellings.end();
    is_number_otherwise =
        is_usual && (hints.missing_spelling.empty() || hints.missing_spelling == text);
    hints.missing_spelling = text;
  }
  if (!is_number_otherwise || !any_number) {
    return {};
  }
  hints.is_zero_or_one = all_zero_or_one;
  return hints;
}

}  // namespace

std::map<std::string, TextHints> read_text_hints(RecordStream stream) {
  std::map<std::string, TextHints> hints;
  RecordBatch batch;
  if (!stream.next(batch)) {
    return hints;
  }
  const std::vector<std::string> names = stream.column_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const ColumnView view(stream.schema(), batch.value(), i);
    if (view.type() == ColumnType::kText) {
      hints[names[i]] = hints_of(view);
    }
  }
  return hints;
}

void apply_text_hints(const std::map<std::string, TextHints>& hints, SchemaDraft& draft) {
  std::vector<Column> columns = draft.schema.columns();
  for (Column& column : columns) {
    const auto place = hints.find(column.name);
    if (place == hints.end() || !column.is_used()) {
      continue;
    }
    const TextHints& found = place->second;
    const auto note = [&](const std::string& what) {
      draft.notes.push_back(fmt::format("column '{}' {}", shown(column.name), what));
    };
    if (!found.missing_spelling.empty() && column.kind == ColumnKind::kCategorical &&
        !found.has_leading_zeros) {
      note(fmt::format("would be a number if '{0}' were missing: add --null '{0}'",
                       found.missing_spelling));
    }
    const bool is_plain_number =
        column.kind == ColumnKind::kInteger || column.kind == ColumnKind::kNumeric;
    if (!is_plain_number) {
      continue;
    }
    if (found.has_leading_zeros) {
      column.kind = ColumnKind::kCategorical;
      note("has whole numbers with leading zeros, which are codes; it is drafted as categorical");
    } else if (found.is_zero_or_one && !column.bounds) {
      column.kind = ColumnKind::kBoolean;
      column.type = StoredType::kInt64;
      note(
          "holds nothing but 0 and 1 in the first rows; it is drafted as boolean and comes back as "
          "0 and 1; if it counts something, make its kind integer");
    } else {
      continue;
    }
    column.step.reset();
    column.decimals.reset();
  }
  draft.schema = draft.schema.with_columns(std::move(columns));
}

bool names_an_identifier(std::string_view name) {
  const std::string lower = lower_case(name);
  for (const char* whole : {"id", "uuid", "guid", "ssn", "mrn", "rowid", "row_id"}) {
    if (lower == whole) {
      return true;
    }
  }
  for (const char* ending :
       {"_id", "-id", " id", ".id", "_nbr", "_uuid", "_guid", "_ssn", "_mrn"}) {
    if (lower.ends_with(ending)) {
      return true;
    }
  }
  // patientId, patientID
  return name.size() > 2 && (name.ends_with("Id") || name.ends_with("ID")) &&
         std::islower(static_cast<unsigned char>(name[name.size() - 3])) != 0;
}

std::vector<std::string> notes_on_values(const Schema& schema) {
  std::vector<std::string> notes;
  std::vector<std::string> inexact;
  for (const Column& column : schema.columns()) {
    const bool is_plain_number =
        column.kind == ColumnKind::kInteger || column.kind == ColumnKind::kNumeric;
    if (!is_plain_number || !column.bounds) {
      continue;
    }
    const auto [low, high] = *column.bounds;
    // Powers of ten that lie between the bounds: at least three, up from 1.
    const bool is_wide =
        low >= 0.0 ? high >= 1e4 && high >= 1e3 * std::max(low, 1.0) : std::max(-low, high) >= 1e5;
    if (is_wide && column.transform == NumberTransform::kNone) {
      notes.push_back(fmt::format(
          "column '{}' has bounds that span powers of ten; if most values are small, consider "
          "\"transform\": \"{}\"",
          shown(column.name), low >= 0.0 ? "log" : "signed-log"));
    }
    if (!column.step && !column.decimals) {
      inexact.push_back(column.name);
    }
  }
  if (!inexact.empty()) {
    notes.push_back(fmt::format(
        "{} {} neither a step nor decimals: repeated values such as 0 do not come back exactly",
        quoted_columns(inexact), inexact.size() == 1 ? "has" : "have"));
  }
  return notes;
}

}  // namespace mehler
