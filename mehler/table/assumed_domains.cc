#include "mehler/table/assumed_domains.h"

#include <algorithm>
#include <cmath>

#include "mehler/table/calendar.h"

namespace mehler {
namespace {

constexpr int kAssumedCategories = 20;

/// Of types that hold less than 100 steps may need.
double largest_of_type(const Column& column) {
  if (column.type == StoredType::kDecimal) {
    const double unit = column.step.value_or(std::pow(10.0, -column.decimals.value_or(0)));
    return std::pow(10.0, column.decimal_digits.precision - column.decimal_digits.scale) - unit;
  }
  if (const auto range = integer_range(column.type)) {
    return static_cast<double>(range->second);
  }
  constexpr double kSecondsOfDay = 86'399.0;
  return time_storage(column.type) != nullptr ? kSecondsOfDay : INFINITY;
}

/// 100 steps from 0, or a century from 1970; within every type that is stored.
Interval assumed_bounds(const Column& column) {
  constexpr std::int64_t kCentury = 36'525;
  switch (column.kind) {
    case ColumnKind::kDate:
      return {0.0, std::max(static_cast<double>(kCentury), column.step.value_or(1.0))};
    case ColumnKind::kDatetime:
      return {0.0, std::max(static_cast<double>(kCentury * kMicrosecondsPerDay),
                            column.step.value_or(1.0))};
    default:
      return {0.0, std::min(100.0 * column.step.value_or(1.0), largest_of_type(column))};
  }
}

}  // namespace

Schema with_assumed_domains(const Schema& schema) {
  std::vector<Column> columns = schema.columns();
  for (Column& column : columns) {
    if (!column.is_to_be_bought()) {
      continue;
    }
    if (column.is_number()) {
      column.bounds = assumed_bounds(column);
      continue;
    }
    column.categories.emplace();
    for (int i = 1; i <= kAssumedCategories; ++i) {
      column.categories->push_back(std::to_string(i));
    }
    column.other = column.other.value_or(kBoughtOther);
  }
  return schema.with_columns(std::move(columns));
}

}  // namespace mehler
