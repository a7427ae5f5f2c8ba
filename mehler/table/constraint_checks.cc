#include "mehler/table/constraint_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/table/calendar.h"
#include "mehler/table/column_checks.h"
#include "mehler/table/column_rules.h"
#include "mehler/table/modelled_columns.h"
#include "mehler/table/table_rule_checks.h"

namespace mehler {
namespace {

constexpr double kLargestWhole = 9007199254740992.0;  // 2^53
/// Values of a whole number that are looked up one by one, at most.
constexpr double kMostListed = 100'000.0;

/// Whether a column of numbers can hold all of a range: whole numbers that are exact, years 1 to
/// 9999, the type that it is stored as.
bool can_hold(const Column& column, const Interval& range) {
  constexpr double kFirstDay = -719'162.0;
  constexpr double kLastDay = 2'932'896.0;
  constexpr auto kDay = static_cast<double>(kMicrosecondsPerDay);
  Interval limits{-kLargestWhole, kLargestWhole};
  if (column.kind == ColumnKind::kNumeric) {
    limits = {std::numeric_limits<double>::lowest(), std::numeric_limits<double>::max()};
  } else if (column.kind == ColumnKind::kDate) {
    limits = {kFirstDay, kLastDay};
  } else if (column.kind == ColumnKind::kDatetime) {
    limits = {std::max(kFirstDay * kDay, -kLargestWhole),
              std::min((kLastDay + 1.0) * kDay - 1.0, kLargestWhole)};
  }
  if (const auto stored = integer_range(column.type)) {
    limits = {std::max(limits.low, static_cast<double>(stored->first)),
              std::min(limits.high, static_cast<double>(stored->second))};
  }
  return range.low >= limits.low && range.high <= limits.high;
}

void check_at_least(const Schema& schema, const Column& column) {
  const AtLeast& rule = *column.rules.at_least;
  if (!column.is_number()) {
    refuse_column(column, fmt::format("has 'at_least', but its kind is {}; that is for numbers, "
                                      "dates and times",
                                      kind_name(column.kind)));
  }
  if (column.is_computed()) {
    refuse_column(column, "has both 'at_least' and a rule that computes it; keep one");
  }
  const Column& other = referred(schema, column, rule.column, "at_least");
  if (other.kind != column.kind &&
      !(column.kind == ColumnKind::kNumeric && other.kind == ColumnKind::kInteger)) {
    refuse_column(column,
                  fmt::format("is of kind {}, but must be at least '{}', of kind {}; both "
                              "must be of the same kind",
                              kind_name(column.kind), shown(other.name), kind_name(other.kind)));
  }
  if (other.is_computed()) {
    refuse_column(column, fmt::format("must be at least '{}', which is computed and not read from "
                                      "the table; choose a column that is read",
                                      shown(other.name)));
  }
  if (other.missing && !column.missing) {
    refuse_column(column, fmt::format("must be at least '{}', which may be missing: without it the "
                                      "value is missing too; write \"missing\": true for it",
                                      shown(other.name)));
  }
  if (column.type == StoredType::kFloat32 && other.type != StoredType::kFloat32) {
    refuse_column(column, fmt::format("is stored in single precision, but must be at least '{}', "
                                      "which is not; give both the same type",
                                      shown(other.name)));
  }
  check_column(difference_column(column, other));
  const auto from = value_range(schema, other);
  if (from && !can_hold(column, *value_range(schema, column))) {
    refuse_column(column,
                  fmt::format("can be more than the column holds when the difference is added "
                              "to '{}'; narrow the bounds of the difference",
                              shown(other.name)));
  }
  if (column.bounds && from) {
    const double unit = difference_unit(column);
    if (from->high + rule.bounds.low * unit > column.bounds->high ||
        from->low + rule.bounds.high * unit < column.bounds->low) {
      refuse_column(column, fmt::format("has bounds that do not leave room for every value of '{}' "
                                        "and a difference of {} to {}; widen them, or leave them "
                                        "out",
                                        shown(other.name), rule.bounds.low, rule.bounds.high));
    }
  }
}

std::string unmapped_words(const std::string& source, const std::vector<std::string>& unmapped) {
  return fmt::format(
      "has no value for {} of '{}' in its map; add {}, or give an \"other\" category "
      "or \"missing\": true",
      list_names(unmapped), shown(source), unmapped.size() == 1 ? "it" : "them");
}

/// What a column that determines another can be, as the map's keys write it; nothing if that is too
/// much to list.
std::optional<std::vector<std::string>> possible_keys(const Schema& schema, const Column& source) {
  if (source.is_category()) {
    return source.labels();
  }
  const auto range = value_range(schema, source);
  if (!range || range->width() > kMostListed) {
    return std::nullopt;
  }
  std::vector<std::string> keys;
  for (double value = std::ceil(range->low); value <= range->high; value += 1.0) {
    keys.push_back(fmt::format("{}", value));
  }
  return keys;
}

/// Whether a text is a value of a column of numbers.
bool can_be(const Column& column, const std::string& text) {
  const double value = column.parse_value(text).value_or(std::nan(""));
  const bool is_within =
      !column.bounds || (value >= column.bounds->low && value <= column.bounds->high);
  return is_within &&
         (column.kind == ColumnKind::kInteger ? std::trunc(value) == value : std::isfinite(value));
}

void check_determined_by(const Schema& schema, const Column& column) {
  const DeterminedBy& rule = *column.rules.determined_by;
  const Column& source = referred(schema, column, rule.column, "determined_by");
  if (!source.is_category() && source.kind != ColumnKind::kInteger) {
    refuse_column(column, fmt::format("is determined by '{}', whose kind is {}; that must be a "
                                      "category, a boolean or an integer",
                                      shown(source.name), kind_name(source.kind)));
  }
  if (rule.map.empty()) {
    refuse_column(column, "has an empty map; give a value for each of the other column's");
  }
  const bool labelled = column.is_category() && !column.is_undeclared();
  const std::vector<std::string> labels = labelled ? column.labels() : std::vector<std::string>();
  for (const auto& [key, value] : rule.map) {
    if (!value && !column.missing) {
      refuse_column(column, "has a missing value in its map; write \"missing\": true for it");
    }
    if (value && labelled && std::find(labels.begin(), labels.end(), *value) == labels.end()) {
      refuse_column(column, fmt::format("has the value '{}' in its map, which is not among its "
                                        "categories{}",
                                        shown(*value), suggest_names(*value, labels)));
    }
    if (value && column.is_number() && !can_be(column, *value)) {
      refuse_column(column,
                    fmt::format("has the value '{}' in its map, which it cannot have by its "
                                "kind and bounds; change it",
                                shown(*value)));
    }
  }
  if (source.missing && !column.missing) {
    refuse_column(column, fmt::format("is determined by '{}', which may be missing; write "
                                      "\"missing\": true for it",
                                      shown(source.name)));
  }
  if (is_draft(schema, source)) {
    return;
  }
  const auto keys = possible_keys(schema, source);
  std::vector<std::string> unmapped;
  for (const std::string& key : keys.value_or(std::vector<std::string>())) {
    if (std::none_of(rule.map.begin(), rule.map.end(),
                     [&](const auto& entry) { return entry.first == key; })) {
      unmapped.push_back(key);
    }
  }
  for (const auto& [key, value] : rule.map) {
    if (keys && std::find(keys->begin(), keys->end(), key) == keys->end()) {
      refuse_column(column, fmt::format("has '{}' in its map, which '{}' never is{}", shown(key),
                                        shown(source.name), suggest_names(key, *keys)));
    }
  }
  if ((!unmapped.empty() || !keys) && !column.missing && !column.other) {
    refuse_column(column, keys
                              ? unmapped_words(source.name, unmapped)
                              : fmt::format("is determined by '{}', which has more values than can "
                                            "be listed; give an \"other\" category or "
                                            "\"missing\": true",
                                            shown(source.name)));
  }
}

void check_result_type(const Column& column, ValueType type) {
  const ValueType wanted = column.kind == ColumnKind::kDate       ? ValueType::kDate
                           : column.kind == ColumnKind::kDatetime ? ValueType::kDatetime
                                                                  : ValueType::kNumber;
  const bool fits = wanted == ValueType::kNumber ? is_plain_number(type) : type == wanted;
  if (!fits) {
    refuse_column(column, fmt::format("is of kind {}, but its expression gives {}; change one of "
                                      "the two",
                                      kind_name(column.kind), value_type_words(type)));
  }
}

void check_derived(const Schema& schema, const Column& column) {
  const Expression expression = expression_of(schema, column);
  check_result_type(column, expression.type());
  if (expression.inputs().empty()) {
    refuse_column(column,
                  "has an expression without columns; a column that never changes needs no "
                  "synthesis");
  }
  if (is_draft(schema, column)) {
    return;
  }
  if (expression.missing() && !column.missing) {
    refuse_column(column,
                  "has an expression that can be missing, by a missing value or a division "
                  "by 0; write \"missing\": true for it");
  }
  const Interval& range = expression.range();
  if (column.is_number() && !column.bounds && !can_hold(column, range)) {
    refuse_column(column,
                  "has an expression whose values can be more than the column holds; give it "
                  "bounds, to which they are held");
  }
  if (column.kind == ColumnKind::kCategorical || column.kind == ColumnKind::kOrdinal) {
    const std::vector<std::string> labels = column.labels();
    const double first = std::round(range.low);
    const double last = std::round(range.high);
    bool listed = last - first <= kMostListed;
    for (double value = first; listed && value <= last; value += 1.0) {
      listed =
          std::find(labels.begin(), labels.end(), fmt::format("{}", value + 0.0)) != labels.end();
    }
    if (!listed && !column.other && !column.missing) {
      refuse_column(column,
                    "has an expression that can be something else than its categories; list "
                    "them all, or give an \"other\" category or \"missing\": true");
    }
  }
}

void check_parts(const Column& column) {
  const std::vector<DatePart>& parts = column.rules.parts;
  if (parts.empty()) {
    return;
  }
  if (column.kind != ColumnKind::kDatetime && column.kind != ColumnKind::kDate) {
    refuse_column(column,
                  fmt::format("has parts, but its kind is {}; only dates and datetimes have "
                              "parts: remove them",
                              kind_name(column.kind)));
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (std::find(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(i), parts[i]) !=
        parts.begin() + static_cast<std::ptrdiff_t>(i)) {
      refuse_column(column,
                    fmt::format("lists the part '{}' twice; remove one", date_part_name(parts[i])));
    }
    if (column.kind == ColumnKind::kDate &&
        (parts[i] == DatePart::kHour || parts[i] == DatePart::kMinute)) {
      refuse_column(column, fmt::format("has the part '{}', but is a date; make it a datetime, or "
                                        "remove the part",
                                        date_part_name(parts[i])));
    }
  }
}

void check_modelled_names(const Schema& schema) {
  for (const ModelledColumn& modelled : modelled_columns(schema)) {
    if (modelled.as != ModelledAs::kItself && schema.find(modelled.column.name) != nullptr) {
      refuse_column(*schema.find(modelled.column.name),
                    fmt::format("has the name under which '{}' is modelled; rename it",
                                shown(schema.columns()[modelled.source].name)));
    }
  }
}

}  // namespace

void check_rules(const Schema& schema) {
  const std::vector<std::size_t> order = order_of_columns(schema);  // complains about circles
  for (const std::size_t place : order) {
    const Column& column = schema.columns()[place];
    if (column.rules.derived && column.rules.determined_by) {
      refuse_column(column, "has both 'derived' and 'determined_by'; keep one");
    }
    check_parts(column);
    if (column.rules.at_least) {
      check_at_least(schema, column);
    }
    if (column.rules.determined_by) {
      check_determined_by(schema, column);
    }
    if (column.rules.derived) {
      check_derived(schema, column);
    }
  }
  check_modelled_names(schema);
  check_table_rules(schema);
}

}  // namespace mehler
