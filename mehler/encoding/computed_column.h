#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mehler/table/column.h"
#include "mehler/table/table.h"

namespace mehler {

/// The results of an expression as a column of its declared kind: held to its bounds, if it has
/// some, and put on its step or decimals; as a category the label that is the rounded number, else
/// `other`, else missing. NaN is missing.
TableColumn computed_column(const Column& column, std::span<const double> results);

/// Values that a map gives, as the schema writes them; nothing is missing.
TableColumn looked_up_column(const Column& column,
                             const std::vector<std::optional<std::string>>& values);

}  // namespace mehler
