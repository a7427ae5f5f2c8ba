#include "mehler/generator/number_conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/encoding/number_coding.h"

namespace mehler {
namespace {

[[noreturn]] void fail_condition(const std::string& what) {
  throw Error(ErrorCode::kInvalidArgument, what);
}

std::string bounds_words(const Column& column) {
  return fmt::format("from {} to {}", column.format_value(column.bounds->low),
                     column.format_value(column.bounds->high));
}

/// The number, date or time that a condition is written with.
double parse_number(const Column& column, ConditionRelation relation, const std::string& value) {
  const std::optional<double> number = column.parse_value(value);
  if (!number && (relation == ConditionRelation::kIn || relation == ConditionRelation::kNotIn)) {
    fail_condition(
        fmt::format("a condition asks for '{}' = '{}', but column '{}' has {}; ask for one {}",
                    shown(column.name), shown(value), shown(column.name), value_words(column),
                    bounds_words(column)));
  }
  if (!number) {
    fail_condition(fmt::format(
        "a condition compares '{}' with '{}', but column '{}' has {}; give one, such as {}, and "
        "each further condition by itself",
        shown(column.name), shown(value), shown(column.name), value_words(column),
        column.format_value(column.bounds->low)));
  }
  return *number;
}

/// The value of the column that a number stands for, if there is one: a step such as 0.1 is not
/// exact, and its multiples miss what is written by some units in the last place.
std::optional<double> value_near(const Column& column, const NumberCoding& coding, double number) {
  const double nearest = coding.nearest_value(number);
  const double spacing = column.step       ? *column.step
                         : column.decimals ? std::pow(10.0, -*column.decimals)
                                           : 0.0;
  const double slack = std::min(1e-6 * spacing + 0x1p-50 * std::fabs(number), 0.25 * spacing);
  return std::fabs(nearest - number) <= slack ? std::optional(nearest) : std::nullopt;
}

/// Where coordinates, in ascending order, begin to decode to values that are high enough.
struct Split {
  std::optional<double> below;  ///< the last coordinate that does not; none if all do
  std::optional<double> from;   ///< the first one that does; none if none does

  std::vector<Interval> lower() const {
    return below ? std::vector<Interval>{{-1.0, *below}} : std::vector<Interval>();
  }
  std::vector<Interval> upper() const {
    return from ? std::vector<Interval>{{*from, 1.0}} : std::vector<Interval>();
  }
};

/// Coordinates whose values are above `value`, or at least it if `or_equal`.
Split split_at(const NumberCoding& coding, double value, bool or_equal) {
  const auto is_high = [&](double coordinate) {
    const double decoded = coding.decode(coordinate);
    return or_equal ? decoded >= value : decoded > value;
  };
  if (is_high(-1.0)) {
    return {std::nullopt, -1.0};
  }
  if (!is_high(1.0)) {
    return {1.0, std::nullopt};
  }
  double below = -1.0;
  double from = 1.0;
  // Near 0 there are more doubles than matter: a coordinate is added to 1 before it is decoded.
  while (from - below > 0x1p-60) {
    const double middle = below + 0.5 * (from - below);
    if (middle <= below || middle >= from) {
      break;
    }
    (is_high(middle) ? from : below) = middle;
  }
  return {below, from};
}

/// A value that the column has, as an equality asks for it.
double required_value(const Column& column, const NumberCoding& coding, const std::string& text) {
  const double number = parse_number(column, ConditionRelation::kIn, text);
  if (number < column.bounds->low || number > column.bounds->high) {
    fail_condition(fmt::format(
        "a condition asks for '{}' = {}, which is out of the column's bounds; ask for one {}",
        shown(column.name), shown(text), bounds_words(column)));
  }
  const std::optional<double> value = value_near(column, coding, number);
  if (!value) {
    fail_condition(fmt::format(
        "a condition asks for '{}' = {}, which lies between two values that the column "
        "can have; ask for the nearest, {}",
        shown(column.name), shown(text), column.format_value(coding.nearest_value(number))));
  }
  return *value;
}

/// The coordinates of one value: those that decode to it, and those that do not.
struct OneValue {
  Interval inside;
  std::vector<Interval> outside;
};

OneValue coordinates_of(const Column& column, const NumberCoding& coding, double value) {
  const Split least = split_at(coding, value, true);
  const Split above = split_at(coding, value, false);
  OneValue result;
  result.outside = least.lower();
  for (const Interval& range : above.upper()) {
    result.outside.push_back(range);
  }
  if (least.from && above.below && *least.from <= *above.below) {
    result.inside = {*least.from, *above.below};
    return result;
  }
  // Where the bounds are some 2^50 steps apart or more, a value can be out of reach.
  const double nearest = coding.encode(value);
  if (column.step || column.decimals) {
    fail_condition(fmt::format(
        "a condition asks for '{}' = {}, which the column cannot be held to: its bounds are too "
        "many steps apart for a value to come back exactly; ask for {}",
        shown(column.name), column.format_value(value),
        column.format_value(coding.decode(nearest))));
  }
  result.inside = {nearest, nearest};  // any number: a rounding away from the one asked for
  return result;
}

AllowedNumbers listed_numbers(const Column& column, const SampleCondition& condition) {
  const NumberCoding coding(column);
  const bool negated = condition.relation == ConditionRelation::kNotIn;
  AllowedNumbers result;
  result.missing = negated && column.missing;
  if (negated) {
    result.ranges = {{-1.0, 1.0}};
  }
  for (const std::string& text : condition.values) {
    if (text.empty()) {
      if (!column.missing) {
        fail_condition(fmt::format(
            "column '{}' is never missing, which is what an empty value asks for; ask for one {}",
            shown(column.name), bounds_words(column)));
      }
      result.missing = !negated;
      continue;
    }
    const OneValue one = coordinates_of(column, coding, required_value(column, coding, text));
    if (negated) {
      result.ranges = intersection(result.ranges, one.outside);
    } else {
      result.ranges.push_back(one.inside);
    }
  }
  std::sort(result.ranges.begin(), result.ranges.end(),
            [](const Interval& a, const Interval& b) { return a.low < b.low; });
  // A value that is listed twice has the same range twice.
  result.ranges.erase(std::unique(result.ranges.begin(), result.ranges.end()), result.ranges.end());
  return result;
}

std::vector<Interval> compared_numbers(const Column& column, const SampleCondition& condition) {
  const NumberCoding coding(column);
  const double number = parse_number(column, condition.relation, condition.values.at(0));
  const double value = value_near(column, coding, number).value_or(number);
  switch (condition.relation) {
    case ConditionRelation::kAtLeast:
      return split_at(coding, value, true).upper();
    case ConditionRelation::kLess:
      return split_at(coding, value, true).lower();
    case ConditionRelation::kGreater:
      return split_at(coding, value, false).upper();
    default:
      return split_at(coding, value, false).lower();
  }
}

}  // namespace

std::string_view value_words(const Column& column) {
  return column.kind == ColumnKind::kDate       ? "dates"
         : column.kind == ColumnKind::kDatetime ? "times"
                                                : "numbers";
}

std::vector<Interval> intersection(const std::vector<Interval>& a, const std::vector<Interval>& b) {
  std::vector<Interval> result;
  for (const Interval& one : a) {
    for (const Interval& other : b) {
      const Interval both{std::max(one.low, other.low), std::min(one.high, other.high)};
      if (both.low <= both.high) {
        result.push_back(both);
      }
    }
  }
  return result;
}

AllowedNumbers allowed_numbers(const Column& column, const SampleCondition& condition) {
  AllowedNumbers result;
  switch (condition.relation) {
    case ConditionRelation::kIn:
    case ConditionRelation::kNotIn:
      result = listed_numbers(column, condition);
      break;
    case ConditionRelation::kMissing:
      result.missing = column.missing;
      break;
    case ConditionRelation::kNotMissing:
      result.ranges = {{-1.0, 1.0}};
      break;
    default:
      result.ranges = compared_numbers(column, condition);
  }
  if (result.ranges.empty() && !result.missing) {
    fail_condition(
        condition.relation == ConditionRelation::kMissing
            ? fmt::format("a condition asks for records where '{}' is missing, but it never is; "
                          "leave the condition out",
                          shown(column.name))
            : fmt::format("no value of '{}' meets the condition on it: its {} lie {}",
                          shown(column.name), value_words(column), bounds_words(column)));
  }
  return result;
}

}  // namespace mehler
