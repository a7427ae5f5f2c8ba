#pragma once

#include "mehler/table/schema.h"

namespace mehler {

/// Whether "never" and "sums" of a schema name columns and values that there are, and leave
/// something. Throws Error(kInvalidSchema) naming the rule by its number, and the remedy.
void check_table_rules(const Schema& schema);

/// The spacing of a column's values: its step, or what its decimals make; nothing for any number.
std::optional<double> value_spacing(const Column& column);

}  // namespace mehler
