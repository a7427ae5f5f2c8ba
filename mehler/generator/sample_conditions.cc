#include "mehler/generator/sample_conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"

namespace mehler {
namespace {

[[noreturn]] void fail(const std::string& what) { throw Error(ErrorCode::kInvalidArgument, what); }

/// "numbers", "dates" or "times".
std::string_view value_words(const Column& column) {
  return column.kind == ColumnKind::kDate       ? "dates"
         : column.kind == ColumnKind::kDatetime ? "times"
                                                : "numbers";
}

/// The column that a condition names, among encoder.columns().
std::size_t conditioned_column(const Encoder& encoder, const std::string& name,
                               ConditionedColumns allowed) {
  std::vector<std::string> known;
  for (const SumRule& sum : encoder.schema().rules().sums) {
    if (!sum.total_column &&
        std::find(sum.parts.begin(), sum.parts.end(), name) != sum.parts.end()) {
      fail(
          fmt::format("a condition names '{}', which is scaled with others to a fixed total, so it "
                      "cannot be held to a value; put the condition on another column",
                      shown(name)));
    }
  }
  for (std::size_t i = 0; i < encoder.columns().size(); ++i) {
    if (allowed == ConditionedColumns::kAll || encoder.columns()[i].is_category()) {
      if (encoder.columns()[i].name == name) {
        return i;
      }
      known.push_back(encoder.columns()[i].name);
    }
  }
  const Column* column = encoder.schema().find(name);
  if (column == nullptr) {
    fail(fmt::format("a condition names '{}', which is not a column of the release{}", shown(name),
                     suggest_names(name, known)));
  }
  if (column->is_computed()) {
    fail(
        fmt::format("a condition names '{}', which is computed from other columns; put the "
                    "condition on those",
                    shown(name)));
  }
  for (const ModelledColumn& modelled : encoder.modelled()) {
    if (encoder.schema().columns()[modelled.source].name == name &&
        modelled.as != ModelledAs::kItself && allowed == ConditionedColumns::kAll) {
      fail(
          fmt::format("a condition names '{}', which is modelled as '{}'; put the condition on "
                      "that",
                      shown(name), shown(modelled.column.name)));
    }
  }
  const std::string what =
      column->is_number()
          ? fmt::format("is a column of {}", value_words(*column))
          : fmt::format("is of kind {} and not synthesised", kind_name(column->kind));
  const std::string_view which =
      allowed == ConditionedColumns::kCategories ? "columns of categories" : "columns that are";
  fail(fmt::format("a condition names '{}', which {}; conditions are for {}{}", shown(name), what,
                   which,
                   known.empty() ? ", and this release has none" : ": " + list_names(known)));
}

[[noreturn]] void fail_never_missing(const Column& column, const std::string& remedy) {
  fail(
      fmt::format("column '{}' is never missing, which is what an empty value asks for; ask for {}",
                  shown(column.name), remedy));
}

/// The code of the category that a condition asks for. An empty value asks for a missing one, where
/// values may be missing; the empty text is then "", in quotes as CSV has it.
std::int32_t conditioned_code(const Column& column, const std::string& value) {
  const std::vector<std::string> labels = column.labels();
  if (value.empty() && column.missing) {
    return static_cast<std::int32_t>(labels.size());  // after the last
  }
  if (column.kind == ColumnKind::kBoolean && boolean_code(value) != CategoryIndex::kUnknown) {
    return boolean_code(value);
  }
  auto place = std::find(labels.begin(), labels.end(), value);
  if (place == labels.end() && value == "\"\"") {
    place = std::find(labels.begin(), labels.end(), "");
  }
  if (place == labels.end()) {
    if (value.empty()) {
      fail_never_missing(column, "one of its categories: " + list_names(labels));
    }
    fail(fmt::format("column '{}' has no category '{}'{}", shown(column.name), shown(value),
                     suggest_names(value, labels)));
  }
  return static_cast<std::int32_t>(place - labels.begin());
}

/// The coordinate that decodes to exactly this value of the column. Where the bounds are some 2^50
/// steps apart or more, the nearest coordinate can decode to the value beside it.
double exact_coordinate(const NumberCoding& coding, const Column& column, double value) {
  const double nearest = coding.encode(value);
  double below = nearest;
  double above = nearest;
  for (int tries = 0; tries < 8; ++tries) {
    for (const double coordinate : {below, above}) {
      if (coding.decode(coordinate) == value) {
        return coordinate;
      }
    }
    below = std::max(-1.0, std::nextafter(below, -1.0));
    above = std::min(1.0, std::nextafter(above, 1.0));
  }
  if (!column.step && !column.decimals) {
    return nearest;  // any number: a rounding away from the one asked for
  }
  fail(fmt::format(
      "a condition asks for '{}' = {}, which the column cannot be held to: its bounds "
      "are too many steps apart for a value to come back exactly; ask for {}",
      shown(column.name), column.format_value(value), column.format_value(coding.decode(nearest))));
}

/// The coordinate of the number, date or time that a condition asks for; NaN if it is empty.
double conditioned_coordinate(const Column& column, const std::string& value) {
  const std::string remedy =
      fmt::format("one from {} to {}", column.format_value(column.bounds->low),
                  column.format_value(column.bounds->high));
  if (value.empty()) {
    if (!column.missing) {
      fail_never_missing(column, remedy);
    }
    return std::numeric_limits<double>::quiet_NaN();
  }
  const std::optional<double> number = column.parse_value(value);
  if (!number) {
    fail(fmt::format("a condition asks for '{}' = '{}', but column '{}' has {}; ask for {}",
                     shown(column.name), shown(value), shown(column.name), value_words(column),
                     remedy));
  }
  if (*number < column.bounds->low || *number > column.bounds->high) {
    fail(
        fmt::format("a condition asks for '{}' = {}, which is out of the column's bounds; ask for "
                    "{}",
                    shown(column.name), shown(value), remedy));
  }
  const NumberCoding coding(column);
  const double nearest = coding.nearest_value(*number);
  // A step such as 0.1 is not exact: its multiples miss what is written by some units in the last
  // place.
  const double spacing = column.step       ? *column.step
                         : column.decimals ? std::pow(10.0, -*column.decimals)
                                           : 0.0;
  const double slack = std::min(1e-6 * spacing + 0x1p-50 * std::fabs(*number), 0.25 * spacing);
  if (std::fabs(nearest - *number) > slack) {
    fail(
        fmt::format("a condition asks for '{}' = {}, which lies between two values that the column "
                    "can have; ask for the nearest, {}",
                    shown(column.name), shown(value), column.format_value(nearest)));
  }
  return exact_coordinate(coding, column, nearest);
}

bool asks_for_the_same(const ColumnCondition& a, const ColumnCondition& b) {
  return a.code == b.code &&
         (a.coordinate == b.coordinate || (std::isnan(a.coordinate) && std::isnan(b.coordinate)));
}

}  // namespace

std::vector<ColumnCondition> resolve_conditions(const Encoder& encoder,
                                                const std::vector<SampleCondition>& where,
                                                ConditionedColumns allowed) {
  std::vector<ColumnCondition> result;
  for (const SampleCondition& condition : where) {
    ColumnCondition found;
    found.column = conditioned_column(encoder, condition.column, allowed);
    const Column& column = encoder.columns()[found.column];
    if (column.is_category()) {
      found.code = conditioned_code(column, condition.value);
    } else {
      found.coordinate = conditioned_coordinate(column, condition.value);
    }
    const auto earlier =
        std::find_if(result.begin(), result.end(),
                     [&](const ColumnCondition& other) { return other.column == found.column; });
    if (earlier == result.end()) {
      result.push_back(found);
    } else if (!asks_for_the_same(*earlier, found)) {
      fail(fmt::format("the conditions on '{}' contradict each other; leave one out",
                       shown(condition.column)));
    }
  }
  return result;
}

}  // namespace mehler
