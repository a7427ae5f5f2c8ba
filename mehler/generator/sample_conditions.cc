#include "mehler/generator/sample_conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/generator/number_conditions.h"

namespace mehler {
namespace {

[[noreturn]] void fail(const std::string& what) { throw Error(ErrorCode::kInvalidArgument, what); }

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
    const Column& candidate = encoder.columns()[i];
    if (candidate.is_category() || (allowed == ConditionedColumns::kAll && candidate.is_number())) {
      if (candidate.name == name) {
        return i;
      }
      known.push_back(candidate.name);
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
      column->is_number() ? fmt::format("is a column of {}", value_words(*column))
      : column->is_image()
          ? "holds images"
          : fmt::format("is of kind {} and not synthesised", kind_name(column->kind));
  const std::string_view which = allowed == ConditionedColumns::kCategories
                                     ? "columns of categories"
                                 : column->is_image() ? "columns of numbers and categories"
                                                      : "columns that are";
  fail(fmt::format("a condition names '{}', which {}; conditions are for {}{}", shown(name), what,
                   which,
                   known.empty() ? ", and this release has none" : ": " + list_names(known)));
}

/// The code of the category that a condition asks for. An empty value asks for a missing one, where
/// values may be missing; the empty text is then "", in quotes as CSV has it.
std::size_t conditioned_code(const Column& column, const std::string& value) {
  const std::vector<std::string> labels = column.labels();
  if (value.empty() && column.missing) {
    return labels.size();  // after the last
  }
  if (column.kind == ColumnKind::kBoolean && boolean_code(value) != CategoryIndex::kUnknown) {
    return static_cast<std::size_t>(boolean_code(value));
  }
  auto place = std::find(labels.begin(), labels.end(), value);
  if (place == labels.end() && value == "\"\"") {
    place = std::find(labels.begin(), labels.end(), "");
  }
  if (place == labels.end()) {
    if (value.empty()) {
      fail(
          fmt::format("column '{}' is never missing, which is what an empty value asks for; ask "
                      "for one of its categories: {}",
                      shown(column.name), list_names(labels)));
    }
    fail(fmt::format("column '{}' has no category '{}'{}", shown(column.name), shown(value),
                     suggest_names(value, labels)));
  }
  return static_cast<std::size_t>(place - labels.begin());
}

/// Codes by the order of an ordinal column's categories.
std::vector<bool> compared_codes(const Column& column, const SampleCondition& condition) {
  if (column.kind != ColumnKind::kOrdinal) {
    fail(fmt::format(
        "a condition compares '{}', which is of kind {} and in no order; ask for values of it with "
        "= or 'in'",
        shown(column.name), kind_name(column.kind)));
  }
  const std::size_t place = conditioned_code(column, condition.values.at(0));
  // A further category for all others, and a missing value, have no place in the order.
  const std::size_t ordered = column.categories->size();
  if (place >= ordered) {
    fail(
        fmt::format("a condition compares '{}' with a value that has no place in its order; the "
                    "order is {}",
                    shown(column.name), list_names(*column.categories)));
  }
  std::vector<bool> codes(column.code_count(), false);
  for (std::size_t code = 0; code < ordered; ++code) {
    switch (condition.relation) {
      case ConditionRelation::kLess:
        codes[code] = code < place;
        break;
      case ConditionRelation::kAtMost:
        codes[code] = code <= place;
        break;
      case ConditionRelation::kGreater:
        codes[code] = code > place;
        break;
      default:
        codes[code] = code >= place;
    }
  }
  return codes;
}

std::vector<bool> allowed_categories(const Column& column, const SampleCondition& condition) {
  const bool is_list = condition.relation == ConditionRelation::kIn ||
                       condition.relation == ConditionRelation::kNotIn;
  const bool asks_for_missing = condition.relation == ConditionRelation::kMissing;
  const bool negated = condition.relation == ConditionRelation::kNotIn ||
                       condition.relation == ConditionRelation::kNotMissing;
  std::vector<bool> codes(column.code_count(), negated);
  if (is_list) {
    for (const std::string& value : condition.values) {
      codes[conditioned_code(column, value)] = !negated;
    }
  } else if (asks_for_missing || negated) {
    if (column.missing) {
      codes.back() = asks_for_missing;
    }
  } else {
    codes = compared_codes(column, condition);
  }
  if (std::find(codes.begin(), codes.end(), true) == codes.end()) {
    fail(asks_for_missing
             ? fmt::format("a condition asks for records where '{}' is missing, but it never is; "
                           "leave the condition out",
                           shown(column.name))
             : fmt::format("no value of '{}' meets the condition on it; its categories are {}",
                           shown(column.name), list_names(column.labels())));
  }
  return codes;
}

/// Refuses conditions that no text gives.
void require_values(const SampleCondition& condition) {
  const std::size_t given = condition.values.size();
  switch (condition.relation) {
    case ConditionRelation::kIn:
    case ConditionRelation::kNotIn:
      if (given == 0) {
        fail(fmt::format("the condition on '{}' lists no value; give at least one",
                         shown(condition.column)));
      }
      return;
    case ConditionRelation::kMissing:
    case ConditionRelation::kNotMissing:
      if (given != 0) {
        fail(
            fmt::format("the condition on '{}' is about missing values and takes no others; leave "
                        "them out",
                        shown(condition.column)));
      }
      return;
    default:
      if (given != 1) {
        fail(fmt::format("the condition on '{}' compares with {} values; give one",
                         shown(condition.column), given));
      }
  }
}

/// What may be in the column without any condition.
ColumnCondition everything(std::size_t place, const Column& column) {
  ColumnCondition result;
  result.column = place;
  if (column.is_category()) {
    result.codes.assign(column.code_count(), true);
  } else {
    result.ranges = {{-1.0, 1.0}};
    result.missing = column.missing;
  }
  return result;
}

void restrict_to(const Column& column, const SampleCondition& condition, ColumnCondition& all) {
  require_values(condition);
  bool is_empty = false;
  if (column.is_category()) {
    const std::vector<bool> codes = allowed_categories(column, condition);
    for (std::size_t code = 0; code < codes.size(); ++code) {
      all.codes[code] = all.codes[code] && codes[code];
    }
    is_empty = std::find(all.codes.begin(), all.codes.end(), true) == all.codes.end();
  } else {
    const AllowedNumbers numbers = allowed_numbers(column, condition);
    all.ranges = intersection(all.ranges, numbers.ranges);
    all.missing = all.missing && numbers.missing;
    is_empty = all.ranges.empty() && !all.missing;
  }
  if (is_empty) {
    fail(fmt::format(
        "the conditions on '{}' contradict each other: no value meets all of them; leave one out",
        shown(column.name)));
  }
}

}  // namespace

double ColumnCondition::nearest(double coordinate) const {
  double best = coordinate;
  double distance = std::numeric_limits<double>::infinity();
  for (const Interval& range : ranges) {
    const double inside = std::clamp(coordinate, range.low, range.high);
    if (std::fabs(inside - coordinate) < distance) {
      best = inside;
      distance = std::fabs(inside - coordinate);
    }
  }
  return best;
}

std::vector<ColumnCondition> resolve_conditions(const Encoder& encoder,
                                                const std::vector<SampleCondition>& where,
                                                ConditionedColumns allowed) {
  std::vector<ColumnCondition> result;
  for (const SampleCondition& condition : where) {
    const std::size_t place = conditioned_column(encoder, condition.column, allowed);
    const Column& column = encoder.columns()[place];
    auto found = std::find_if(result.begin(), result.end(),
                              [&](const ColumnCondition& other) { return other.column == place; });
    if (found == result.end()) {
      found = result.insert(result.end(), everything(place, column));
    }
    restrict_to(column, condition, *found);
  }
  return result;
}

}  // namespace mehler
