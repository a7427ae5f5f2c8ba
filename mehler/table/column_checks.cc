#include "mehler/table/column_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/table/identifier_pattern.h"
#include "mehler/table/spelling_checks.h"

namespace mehler {
namespace {

/// Whole numbers up to here are exact in a double; bounds of integers, dates and times stay within
/// it.
constexpr double kLargestExactInteger = 9007199254740992.0;  // 2^53
constexpr std::size_t kMaxCategories = 1'000'000;
constexpr int kMaxDecimals = 12;

void check_bounds(const Column& column) {
  if (!column.is_number()) {
    if (column.bounds.has_value()) {
      refuse_column(column,
                    fmt::format("has bounds, but its kind is {}; remove them or choose the kind "
                                "numeric, integer, date or datetime",
                                kind_name(column.kind)));
    }
    return;
  }
  if (!column.bounds.has_value()) {
    return;
  }
  const auto [low, high] = *column.bounds;
  if (!std::isfinite(low) || !std::isfinite(high)) {
    refuse_column(column, "has a bound that is not a finite number; write two finite numbers");
  }
  if (!(low < high)) {
    refuse_column(
        column,
        fmt::format(
            "has the bounds [{}, {}], but the first must be smaller than the second; "
            "{}",
            column.format_value(low), column.format_value(high),
            low == high ? "widen them, or ignore a column that never changes" : "swap them"));
  }
  if (!std::isfinite(high - low)) {
    refuse_column(
        column, "has bounds so far apart that their distance is not a finite number; narrow them");
  }
  // Values are scaled by 2 over the distance.
  if (!std::isfinite(2.0 / (high - low))) {
    refuse_column(column,
                  "has bounds so close that values between them cannot be told apart; widen them, "
                  "or use a smaller unit");
  }
  if (column.kind != ColumnKind::kNumeric) {
    if (std::trunc(low) != low || std::trunc(high) != high) {
      refuse_column(
          column, fmt::format("is of kind {}, but its bounds are not whole numbers; round them or "
                              "use the kind numeric",
                              kind_name(column.kind)));
    }
    if (std::fabs(low) > kLargestExactInteger || std::fabs(high) > kLargestExactInteger) {
      refuse_column(column,
                    "has bounds beyond 2^53, the largest whole number that is handled exactly; "
                    "narrow them, or make it an identifier");
    }
  }
}

/// A bound is a value like any other: values beside it come back as the bound itself.
void check_decimals_of_bounds(const Column& column) {
  const double power = std::pow(10.0, *column.decimals);
  for (const double bound : column.bounds ? std::vector{column.bounds->low, column.bounds->high}
                                          : std::vector<double>()) {
    const double scaled = bound * power;
    // Beyond 2^52 every double is a multiple.
    if (std::fabs(scaled) < 0x1p52 && std::round(scaled) / power != bound) {
      refuse_column(
          column, fmt::format("has the bound {}, which has more than its {} decimals; write {} or "
                              "{}, or raise the decimals",
                              bound, *column.decimals, std::floor(scaled) / power,
                              std::ceil(scaled) / power + 0.0));  // not -0
    }
  }
}

void check_step(const Column& column) {
  if ((column.step || column.decimals) && !column.is_number()) {
    refuse_column(column, "has a step or decimals, but is no number; remove them");
  }
  if (column.decimals) {
    if (column.kind != ColumnKind::kNumeric) {
      refuse_column(column,
                    "has decimals, which only numeric columns have; remove them or give a step");
    }
    if (column.step) {
      refuse_column(column, "has both a step and decimals; keep one");
    }
    if (*column.decimals < 0 || *column.decimals > kMaxDecimals) {
      refuse_column(column, fmt::format("has {} decimals; allowed are 0 to {}", *column.decimals,
                                        kMaxDecimals));
    }
    check_decimals_of_bounds(column);
  }
  if (column.step) {
    const double step = *column.step;
    if (!(step > 0.0) || !std::isfinite(step)) {
      refuse_column(column, "has a step that is not a positive number; write one greater than 0");
    }
    if (column.kind != ColumnKind::kNumeric && std::trunc(step) != step) {
      refuse_column(column,
                    fmt::format("is of kind {}, but its step is not a whole number of {}; round it",
                                kind_name(column.kind),
                                column.kind == ColumnKind::kDatetime ? "microseconds" : "units"));
    }
    if (column.bounds && step > column.bounds->width()) {
      refuse_column(column, "has a step larger than the distance of its bounds; make it smaller");
    }
    if (column.bounds && column.bounds->width() / step > kLargestExactInteger) {
      refuse_column(
          column,
          "has a step too small for the distance of its bounds (more than 2^53 steps); make "
          "it larger");
    }
  }
}

void check_transform(const Column& column) {
  if (column.transform == NumberTransform::kNone) {
    if (column.transform_scale != 1.0) {
      refuse_column(column,
                    "has a transform_scale, but no transform; add \"transform\": \"log\" or "
                    "\"signed-log\", or remove it");
    }
    return;
  }
  const std::string_view name = transform_name(column.transform);
  if (column.kind != ColumnKind::kNumeric && column.kind != ColumnKind::kInteger) {
    refuse_column(column,
                  fmt::format("has the transform {}, but its kind is {}; transforms are for the "
                              "kinds numeric and integer: remove it",
                              name, kind_name(column.kind)));
  }
  if (!(column.transform_scale > 0.0) || !std::isfinite(column.transform_scale)) {
    refuse_column(
        column,
        "has a transform_scale that is not a positive number; write one greater than 0: values "
        "much smaller than it keep their distances, larger ones go by powers of ten");
  }
  if (!column.bounds) {
    return;
  }
  const auto [low, high] = *column.bounds;
  if (column.transform == NumberTransform::kLog && low < 0.0) {
    refuse_column(
        column, fmt::format("has the transform log, but its lower bound is {}; log needs one of at "
                            "least 0: raise it, or use the transform signed-log",
                            column.format_value(low)));
  }
  const double start = column.transformed(low);
  const double end = column.transformed(high);
  // Below these a coordinate would carry fewer than 13 bits, or its factor would overflow.
  const double narrowest = std::max(0x1p-40 * std::max(std::fabs(start), std::fabs(end)), 1e-290);
  if (!std::isfinite(start) || !std::isfinite(end) || end - start < narrowest) {
    refuse_column(
        column, fmt::format("has the transform_scale {}, on which its bounds cannot be told apart "
                            "or are not finite; choose one nearer to the values",
                            column.transform_scale));
  }
}

void check_categories(const Column& column) {
  const bool listed =
      column.kind == ColumnKind::kCategorical || column.kind == ColumnKind::kOrdinal;
  if (!listed) {
    if (column.categories || column.other) {
      refuse_column(column,
                    fmt::format("has categories or an 'other', but its kind is {}; remove them or "
                                "choose the kind categorical or ordinal",
                                kind_name(column.kind)));
    }
    return;
  }
  if (!column.categories) {
    return;
  }
  if (column.categories->empty()) {
    refuse_column(column,
                  "has an empty list of categories; list at least one, or make the column ignored");
  }
  if (column.categories->size() > kMaxCategories) {
    refuse_column(
        column,
        fmt::format("has {} categories; at most {} are allowed: group the rare ones, or make "
                    "it an identifier",
                    column.categories->size(), kMaxCategories));
  }
  std::unordered_set<std::string> seen;
  for (const std::string& category : *column.categories) {
    if (!seen.insert(category).second) {
      refuse_column(column,
                    fmt::format("lists the category '{}' twice; remove one", shown(category)));
    }
  }
}

/// What is bought is found by noisy counts of values in public cells, or of texts.
void check_bought(const Column& column) {
  if (!column.bought) {
    return;
  }
  if (!column.is_number() && column.kind != ColumnKind::kCategorical) {
    refuse_column(column,
                  fmt::format("is to be bought, but its kind is {}; bounds of the kinds numeric, "
                              "integer, date and datetime can be bought, and categories of the "
                              "kind categorical{}",
                              kind_name(column.kind),
                              column.kind == ColumnKind::kOrdinal
                                  ? ": the order of an ordinal column cannot be found, list it"
                                  : ""));
  }
  if (column.out_of_range == OutOfRange::kRefuse) {
    refuse_column(column,
                  "has bounds that are bought, and refuses values outside them; bought bounds "
                  "leave out what few records have: write \"out_of_range\": \"clamp\"");
  }
  if (column.is_category() && column.type != StoredType::kUsual &&
      column.type != StoredType::kText && column.type != StoredType::kDictionary &&
      !(integer_range(column.type) && column.other && plain_integer(*column.other))) {
    refuse_column(column,
                  fmt::format("has categories that are bought and the type {}; rare categories "
                              "become \"other\", which must be of that type: declare \"other\" as "
                              "a whole number, or leave the type out",
                              stored_type_name(column.type)));
  }
}

bool may_be_stored_as(const Column& column, StoredType type) {
  const bool is_integer = integer_range(type).has_value();
  const TimeStorage* times = time_storage(type);
  const bool is_moment = times != nullptr && times->meaning == TimeStorage::Meaning::kTimestamp;
  const bool is_of_seconds = times != nullptr && !is_moment;
  switch (column.kind) {
    case ColumnKind::kNumeric:
      return type == StoredType::kFloat32 || type == StoredType::kFloat64 ||
             type == StoredType::kDecimal || is_of_seconds;
    case ColumnKind::kInteger:
      return is_integer || type == StoredType::kFloat64 || type == StoredType::kDecimal ||
             is_of_seconds;
    case ColumnKind::kDatetime:
      return is_moment;
    case ColumnKind::kBoolean:
      return is_integer || type == StoredType::kBoolean;
    case ColumnKind::kCategorical:
    case ColumnKind::kOrdinal:
      return is_integer || type == StoredType::kText || type == StoredType::kBoolean ||
             type == StoredType::kDictionary;
    default:
      return false;
  }
}

/// Whether every value that the column can have fits the type.
bool values_fit(const Column& column, StoredType type) {
  const auto range = integer_range(type);
  const auto fits = [&](const std::string& label) {
    if (type == StoredType::kBoolean) {
      return label == "true" || label == "false";
    }
    const auto number = plain_integer(label);
    return !range || (number && *number >= range->first && *number <= range->second);
  };
  if (column.categories) {
    const std::vector<std::string> labels = column.labels();
    return std::all_of(labels.begin(), labels.end(), fits);
  }
  if (!column.bounds) {
    return true;
  }
  const double largest = std::max(std::fabs(column.bounds->low), std::fabs(column.bounds->high));
  if (type == StoredType::kDecimal) {
    return largest < std::pow(10.0, column.decimal_digits.precision - column.decimal_digits.scale);
  }
  if (const TimeStorage* times = time_storage(type)) {
    if (times->meaning == TimeStorage::Meaning::kTimeOfDay) {
      return column.bounds->low >= 0.0 && column.bounds->high < 86'400.0;
    }
    const double per_unit = times->meaning == TimeStorage::Meaning::kTimestamp ? 1e-6 : 1.0;
    return largest * per_unit * static_cast<double>(times->per_second) < 0x1p63;
  }
  return !range || !column.bounds ||
         (column.bounds->low >= static_cast<double>(range->first) &&
          column.bounds->high <= static_cast<double>(range->second));
}

/// Values come back exactly, so a type with fewer digits than the column is refused.
void check_digits_of_type(const Column& column, const std::string& name) {
  const TimeStorage* times = time_storage(column.type);
  if (column.kind == ColumnKind::kDatetime && times != nullptr && column.step &&
      std::fmod(*column.step * static_cast<double>(times->per_second), 1e6) != 0.0) {
    refuse_column(column, fmt::format("has a step that is no multiple of the unit of its type {}; "
                                      "choose a finer type, or a longer step",
                                      name));
  }
  if (column.kind != ColumnKind::kNumeric ||
      (times == nullptr && column.type != StoredType::kDecimal)) {
    return;
  }
  const int digits = times != nullptr ? times->decimals : column.decimal_digits.scale;
  if (!column.decimals && !column.step) {
    refuse_column(column, fmt::format("has the type {}, but neither decimals nor a step; write "
                                      "\"decimals\": {}, or fewer",
                                      name, std::min(digits, kMaxDecimals)));
  }
  if (column.decimals && *column.decimals > digits) {
    refuse_column(column,
                  fmt::format("has {} decimals, but its type {} has {}; lower the decimals, "
                              "or choose another type",
                              *column.decimals, name, digits));
  }
  const double power = std::pow(10.0, digits);
  const auto has_digits = [&](double value) {
    return std::fabs(value * power) >= 0x1p52 || std::round(value * power) / power == value;
  };
  if (column.step &&
      !(has_digits(*column.step) && (!column.bounds || has_digits(column.bounds->low)))) {
    refuse_column(column, fmt::format("has a step or a lower bound with more than the {} digits "
                                      "after the decimal point of its type {}; round it",
                                      digits, name));
  }
}

/// Pixels are bytes, and each record has its image: there is nothing else to declare.
void check_image(const Column& column) {
  if (!column.is_image()) {
    if (column.shape) {
      refuse_column(column, fmt::format("has a shape, but its kind is {}; remove it or choose the "
                                        "kind image",
                                        kind_name(column.kind)));
    }
    return;
  }
  if (!column.shape) {
    refuse_column(column,
                  "is an image without a shape; write \"shape\": [rows, columns, channels], as in "
                  "[28, 28, 1]");
  }
  const auto [rows, columns, channels] = *column.shape;
  if (rows < 1 || rows > kLongestImageSide || columns < 1 || columns > kLongestImageSide) {
    refuse_column(column, fmt::format("is an image of {} x {} pixels; each side must have 1 to {}: "
                                      "scale the images down",
                                      rows, columns, kLongestImageSide));
  }
  if (channels != 1 && channels != 3) {
    refuse_column(column, fmt::format("is an image with {} channels; allowed are 1 (grey) and 3 "
                                      "(red, green, blue)",
                                      channels));
  }
  if (column.missing) {
    refuse_column(column,
                  "is an image that may be missing; every record has one: write \"missing\": "
                  "false, and leave records without an image out of the table");
  }
  if (column.rules != ColumnRules{}) {
    refuse_column(column,
                  "is an image and has a rule; rules are for numbers and categories: remove it");
  }
}

void check_type(const Column& column) {
  if (column.type != StoredType::kUsual) {
    const std::string name = stored_type_text(column.type, column.decimal_digits);
    if (!may_be_stored_as(column, column.type)) {
      refuse_column(
          column, fmt::format("has the type {}, which columns of kind {} are not stored as; leave "
                              "it out, or change the kind",
                              name, kind_name(column.kind)));
    }
    if (!values_fit(column, column.type)) {
      refuse_column(column,
                    fmt::format("has the type {}, which {} do not all fit; choose a wider type, or "
                                "leave it out",
                                name, column.categories ? "its categories" : "its bounds"));
    }
    check_digits_of_type(column, name);
  }
  if (column.timezone.empty()) {
    return;
  }
  if (column.kind != ColumnKind::kDatetime) {
    refuse_column(
        column, fmt::format("has a timezone, but its kind is {}; only datetime has one: remove it",
                            kind_name(column.kind)));
  }
  constexpr std::size_t kLongestZone = 64;
  if (column.timezone.size() > kLongestZone ||
      std::any_of(column.timezone.begin(), column.timezone.end(),
                  [](char c) { return c <= ' ' || c > '~'; })) {
    refuse_column(column,
                  "has a timezone that is no name of one; write it as \"UTC\", \"Europe/Paris\" or "
                  "\"+02:00\"");
  }
}

}  // namespace

void refuse_column(const Column& column, const std::string& complaint) {
  throw Error(ErrorCode::kInvalidSchema,
              fmt::format("in the schema, column '{}' {}", shown(column.name), complaint));
}

void check_column(const Column& column) {
  if (!column.make.empty()) {
    try {
      IdentifierPattern(column.make);
    } catch (const Error& error) {
      refuse_column(column, error.what());
    }
  }
  check_image(column);
  check_bounds(column);
  check_step(column);
  check_transform(column);
  check_categories(column);
  check_bought(column);
  check_type(column);
  check_spelling(column);
}

}  // namespace mehler
