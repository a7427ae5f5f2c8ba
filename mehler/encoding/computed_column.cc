#include "mehler/encoding/computed_column.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mehler/core/error.h"
#include "mehler/encoding/category_coding.h"
#include "mehler/encoding/number_coding.h"
#include "mehler/encoding/table_columns.h"

namespace mehler {
namespace {

double on_grid(const Column& column, double value) {
  if (column.step) {
    return std::round(value / *column.step) * *column.step;
  }
  if (column.decimals) {
    const double power = std::pow(10.0, *column.decimals);
    return std::round(value * power) / power;
  }
  return value;
}

}  // namespace

TableColumn looked_up_column(const Column& column,
                             const std::vector<std::optional<std::string>>& values) {
  if (column.is_number()) {
    std::vector<double> numbers;
    for (const auto& value : values) {
      numbers.push_back(value ? *column.parse_value(*value)
                              : std::numeric_limits<double>::quiet_NaN());
    }
    return number_column(column, numbers);
  }
  TableColumn result = empty_column(column);
  std::vector<std::int64_t> booleans;
  std::vector<std::string> texts;
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (!values[row]) {
      result.is_missing.resize(values.size());
      result.is_missing[row] = true;
    }
    if (column.kind == ColumnKind::kBoolean) {
      booleans.push_back(values[row] == "true" ? 1 : 0);
    } else {
      texts.push_back(values[row].value_or(""));
    }
  }
  if (column.kind == ColumnKind::kBoolean) {
    result.values = std::move(booleans);
  } else {
    result.values = std::move(texts);
  }
  return result;
}

TableColumn computed_column(const Column& column, std::span<const double> results) {
  if (column.is_number()) {
    std::vector<double> values(results.begin(), results.end());
    std::optional<NumberCoding> coding;
    if (column.bounds) {
      coding.emplace(column);
    }
    for (double& value : values) {
      if (!std::isnan(value)) {
        value = coding ? coding->nearest_value(value) : on_grid(column, value);
      }
    }
    return number_column(column, values);
  }
  const CategoryIndex labels(column.labels());
  std::vector<std::optional<std::string>> values;
  for (const double result : results) {
    std::optional<std::string> value;
    if (!std::isnan(result)) {
      value = column.kind == ColumnKind::kBoolean ? (result != 0.0 ? "true" : "false")
                                                  : fmt::format("{}", std::round(result) + 0.0);
      if (labels.find(*value) == CategoryIndex::kUnknown) {
        value = column.other;
      }
    }
    values.push_back(std::move(value));
  }
  return looked_up_column(column, values);
}

}  // namespace mehler
