#pragma once

#include <span>
#include <string>
#include <vector>

#include "mehler/table/column.h"
#include "mehler/table/table.h"

namespace mehler {

/// A column of the declared name, kind and type, without values yet.
TableColumn empty_column(const Column& column);

/// A column of numbers from values that it can have, in its own units; NaN where one is missing.
TableColumn number_column(const Column& column, std::span<const double> values);

/// The values of a column of numbers or booleans, NaN where one is missing.
std::vector<double> numbers_of(const TableColumn& column);

/// The value of one row as maps of the schema write it: a category, true, 3. Of a column of
/// categories, booleans or whole numbers, where it is not missing.
std::string key_of(const TableColumn& column, std::size_t row);

inline bool value_is_missing(const TableColumn& column, std::size_t row) {
  return !column.is_missing.empty() && column.is_missing[row];
}

}  // namespace mehler
