#include "mehler/table/spelling_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mehler/core/name_suggestions.h"
#include "mehler/table/calendar.h"
#include "mehler/table/column_checks.h"
#include "mehler/table/date_format.h"
#include "mehler/table/number_text.h"

namespace mehler {
namespace {

constexpr const char* kFirstDayOfTwoDigits = "1969-01-01";
constexpr const char* kLastDayOfTwoDigits = "2068-12-31";

/// In microseconds, for both kinds that have a format.
double microseconds_of(const Column& column, double value) {
  return column.kind == ColumnKind::kDate ? value * static_cast<double>(kMicrosecondsPerDay)
                                          : value;
}

void check_date_format(const Column& column) {
  if (column.kind != ColumnKind::kDate && column.kind != ColumnKind::kDatetime) {
    refuse_column(column,
                  fmt::format("has a format, but its kind is {}; only date and datetime have one: "
                              "remove it, or change the kind",
                              kind_name(column.kind)));
  }
  std::string complaint;
  const std::optional<DateFormat> format = DateFormat::make(column.spelling.format, &complaint);
  if (!format) {
    refuse_column(column, fmt::format("has the format '{}', which {}",
                                      shown(column.spelling.format), complaint));
  }
  const auto resolution = static_cast<double>(format->resolution());
  if (column.kind == ColumnKind::kDate && format->resolution() < kMicrosecondsPerDay) {
    refuse_column(column,
                  "is a date, but its format has hours; make its kind datetime, or leave them out");
  }
  if (column.kind == ColumnKind::kDatetime && column.step &&
      std::fmod(*column.step, resolution) != 0.0) {
    refuse_column(column,
                  fmt::format("has a format that shows nothing finer than {} seconds, which its "
                              "step is no multiple of; change one of them",
                              resolution / static_cast<double>(kMicrosecondsPerSecond)));
  }
  if (!column.bounds) {
    return;
  }
  if (std::fmod(microseconds_of(column, column.bounds->low), resolution) != 0.0) {
    refuse_column(column,
                  "has a lower bound that its format cannot show to the second; round it down");
  }
  if (format->has_two_digit_year() &&
      (microseconds_of(column, column.bounds->low) <
           static_cast<double>(*parse_datetime(kFirstDayOfTwoDigits)) ||
       microseconds_of(column, column.bounds->high) >=
           static_cast<double>(*parse_datetime(kLastDayOfTwoDigits) + kMicrosecondsPerDay))) {
    refuse_column(
        column,
        fmt::format("has a format with a year of two digits, which stands for {} to {}, and bounds "
                    "beyond that; narrow them, or write years of four digits in the table",
                    kFirstDayOfTwoDigits, kLastDayOfTwoDigits));
  }
}

void check_sign(const Column& column, const std::string& sign, std::string_view key) {
  if (sign.empty()) {
    return;
  }
  if (column.kind != ColumnKind::kNumeric && column.kind != ColumnKind::kInteger) {
    refuse_column(column,
                  fmt::format("has a {}, but its kind is {}; only numeric and integer have one: "
                              "remove it, or change the kind",
                              key, kind_name(column.kind)));
  }
  constexpr std::size_t kLongest = 32;
  if (sign.size() > kLongest || without_spaces(sign).empty() ||
      std::any_of(sign.begin(), sign.end(), [](char c) {
        return (c >= 0 && c < ' ') || c == '"' || c == '+' || c == '-' || (c >= '0' && c <= '9');
      })) {
    refuse_column(
        column, fmt::format("has a {} that is blank, longer than {} bytes, or has a digit, a "
                            "plus or minus sign, a quote or a line break in it; write it as \"$\" "
                            "or \" %\"",
                            key, kLongest));
  }
}

}  // namespace

void check_spelling(const Column& column) {
  const ColumnSpelling& spelling = column.spelling;
  if (!spelling.format.empty()) {
    check_date_format(column);
  }
  check_sign(column, spelling.prefix, "prefix");
  check_sign(column, spelling.suffix, "suffix");
  if (spelling.true_words.empty() && spelling.false_words.empty()) {
    return;
  }
  if (column.kind != ColumnKind::kBoolean) {
    refuse_column(column, fmt::format("has words for true or false, but its kind is {}; only "
                                      "boolean has them: remove them, or change the kind",
                                      kind_name(column.kind)));
  }
  check_words(spelling.true_words, spelling.false_words, ErrorCode::kInvalidSchema,
              fmt::format("in the schema, column '{}'", shown(column.name)));
}

void check_column_in_dialect(const Column& column, const Dialect& dialect) {
  std::vector<std::string> written = {column.name, column.spelling.prefix, column.spelling.suffix,
                                      column.spelling.format};
  for (const auto* words : {&column.spelling.true_words, &column.spelling.false_words}) {
    for (const std::string& word : *words) {
      if (std::find(dialect.missing.begin(), dialect.missing.end(), word) !=
          dialect.missing.end()) {
        refuse_column(column,
                      "has a word for true or false that the dialect has for missing values; "
                      "remove one");
      }
      written.push_back(word);
    }
  }
  if (can_write_all(dialect.encoding)) {
    return;
  }
  if (column.categories) {
    const std::vector<std::string> labels = column.labels();
    written.insert(written.end(), labels.begin(), labels.end());
  }
  for (const std::string& text : written) {
    if (!can_be_written(text, dialect.encoding)) {
      refuse_column(column, fmt::format("has '{}', which cannot be written in the dialect's "
                                        "encoding {}; choose the encoding utf-8 or utf-16",
                                        shown(text), encoding_name(dialect.encoding)));
    }
  }
}

}  // namespace mehler
