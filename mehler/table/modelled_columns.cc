#include "mehler/table/modelled_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/table/calendar.h"

namespace mehler {
namespace {

constexpr double kSecondUnits = static_cast<double>(kMicrosecondsPerSecond);
constexpr double kDayUnits = static_cast<double>(kMicrosecondsPerDay);

Column day_column(const Column& column) {
  Column day;
  day.name = column.name + " (day)";
  day.kind = ColumnKind::kDate;
  if (column.bounds) {
    day.bounds = Interval{std::floor(column.bounds->low / kDayUnits),
                          std::floor(column.bounds->high / kDayUnits)};
    if (day.bounds->low == day.bounds->high) {
      day.bounds->high += 1.0;  // an interval of its own; decoding keeps to the column's bounds
    }
  }
  day.step = 1.0;
  day.out_of_range = column.out_of_range;
  day.missing = column.missing;
  return day;
}

Column time_column(const Column& column) {
  Column time;
  time.name = column.name + " (time of day)";
  const double step = column.step.value_or(kSecondUnits) / kSecondUnits;
  time.step = step;
  time.kind = std::trunc(step) == step ? ColumnKind::kInteger : ColumnKind::kNumeric;
  time.bounds = Interval{0.0, kDayUnits / kSecondUnits - step};
  time.missing = column.missing;
  return time;
}

}  // namespace

double difference_unit(const Column& column) {
  return column.kind == ColumnKind::kDatetime ? kSecondUnits : 1.0;
}

Column difference_column(const Column& column, const Column& other) {
  Column result;
  result.name = fmt::format("{} - {}", column.name, other.name);
  result.bounds = column.rules.at_least->bounds;
  result.out_of_range = column.out_of_range;
  result.missing = column.missing;
  result.transform = column.transform;
  result.transform_scale = column.transform_scale;
  result.decimals = column.decimals;
  if (column.step) {
    result.step = *column.step / difference_unit(column);
  }
  const auto is_whole = [](double value) { return std::trunc(value) == value; };
  const bool whole = result.step && is_whole(*result.step) && is_whole(result.bounds->low) &&
                     is_whole(result.bounds->high);
  result.kind =
      whole && column.kind != ColumnKind::kNumeric ? ColumnKind::kInteger : ColumnKind::kNumeric;
  return result;
}

bool is_split(const Column& column) {
  const auto& parts = column.rules.parts;
  const bool asks = std::any_of(parts.begin(), parts.end(), [](DatePart part) {
    return part == DatePart::kHour || part == DatePart::kMinute;
  });
  const double step = column.step.value_or(kSecondUnits);
  // At least two times of day, which every day has.
  return asks && column.kind == ColumnKind::kDatetime && !column.rules.at_least &&
         !column.is_computed() && 2.0 * step <= kDayUnits && std::fmod(kDayUnits, step) == 0.0;
}

std::vector<ModelledColumn> modelled_columns(const Schema& schema) {
  const std::vector<Column>& columns = schema.columns();
  std::vector<ModelledColumn> result;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Column& column = columns[i];
    if (!column.is_used() || column.is_computed()) {
      continue;
    }
    if (column.rules.at_least) {
      const Column* other = schema.find(column.rules.at_least->column);
      MEHLER_ASSERT(other != nullptr);
      result.push_back({difference_column(column, *other), ModelledAs::kDifference, i,
                        static_cast<std::size_t>(other - columns.data())});
    } else if (is_split(column)) {
      result.push_back({day_column(column), ModelledAs::kDay, i});
      result.push_back({time_column(column), ModelledAs::kTimeOfDay, i});
    } else {
      result.push_back({column, ModelledAs::kItself, i});
    }
  }
  return result;
}

}  // namespace mehler
