#include "mehler/encoding/table_columns.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mehler/core/overloaded.h"

namespace mehler {
namespace {

/// A value that single precision holds, still within the bounds.
double to_single(double value, const std::optional<Interval>& bounds) {
  auto single = static_cast<float>(value);
  if (bounds && static_cast<double>(single) > bounds->high) {
    single = std::nextafter(single, static_cast<float>(bounds->low));
  } else if (bounds && static_cast<double>(single) < bounds->low) {
    single = std::nextafter(single, static_cast<float>(bounds->high));
  }
  return single;
}

}  // namespace

TableColumn empty_column(const Column& column) {
  TableColumn result;
  result.name = column.name;
  result.kind = column.kind;
  result.type = column.type;
  result.decimal_digits = column.decimal_digits;
  result.timezone = column.timezone;
  if (column.type == StoredType::kDictionary) {
    result.labels = column.labels();
  }
  return result;
}

TableColumn number_column(const Column& column, std::span<const double> values) {
  TableColumn result = empty_column(column);
  const auto is_nan = [](double value) { return std::isnan(value); };
  if (std::any_of(values.begin(), values.end(), is_nan)) {
    result.is_missing.resize(values.size());
    std::transform(values.begin(), values.end(), result.is_missing.begin(), is_nan);
  }
  std::vector<double> numbers(values.size());
  std::transform(values.begin(), values.end(), numbers.begin(), [&](double value) {
    return std::isnan(value)                     ? 0.0
           : column.type == StoredType::kFloat32 ? to_single(value, column.bounds)
                                                 : value;
  });
  if (column.kind == ColumnKind::kNumeric) {
    result.values = std::move(numbers);
  } else {
    result.values = std::vector<std::int64_t>(numbers.begin(), numbers.end());
  }
  return result;
}

std::vector<double> numbers_of(const TableColumn& column) {
  std::vector<double> numbers(column.rows(), 0.0);
  std::visit(Overloaded{[&](const std::vector<double>& values) {
                          std::copy(values.begin(), values.end(), numbers.begin());
                        },
                        [&](const std::vector<std::int64_t>& values) {
                          std::transform(values.begin(), values.end(), numbers.begin(),
                                         [](std::int64_t v) { return static_cast<double>(v); });
                        },
                        [](const std::vector<std::string>&) {}, [](const ImageValues&) {}},
             column.values);
  for (std::size_t row = 0; row < column.is_missing.size(); ++row) {
    if (column.is_missing[row]) {
      numbers[row] = std::numeric_limits<double>::quiet_NaN();
    }
  }
  return numbers;
}

std::string key_of(const TableColumn& column, std::size_t row) {
  if (const auto* texts = std::get_if<std::vector<std::string>>(&column.values)) {
    return (*texts)[row];
  }
  const std::int64_t value = std::get<std::vector<std::int64_t>>(column.values)[row];
  return column.kind == ColumnKind::kBoolean ? (value != 0 ? "true" : "false")
                                             : std::to_string(value);
}

}  // namespace mehler
