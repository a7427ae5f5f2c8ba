#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mehler/table/expression.h"
#include "mehler/table/schema.h"

namespace mehler {

/// Between which values a column of numbers lies, in its units: its bounds, or what follows from
/// its rules. Nothing where bounds that it needs are undeclared.
std::optional<Interval> value_range(const Schema& schema, const Column& column);

/// The expression of a derived column whose inputs are declared. Throws Error(kInvalidSchema).
Expression expression_of(const Schema& schema, const Column& column);

/// The columns that a column's values follow from directly.
std::vector<std::string> columns_before(const Column& column);
/// The used columns so that each comes after those that it follows from: places among
/// schema.columns().
std::vector<std::size_t> order_of_columns(const Schema& schema);

/// The used column that a rule of `column` refers to. Throws Error(kInvalidSchema).
const Column& referred(const Schema& schema, const Column& column, const std::string& name,
                       std::string_view rule);

/// Whether bounds or categories that the column follows from are still undeclared.
bool is_draft(const Schema& schema, const Column& column);

}  // namespace mehler
