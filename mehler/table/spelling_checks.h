#pragma once

#include "mehler/table/column.h"
#include "mehler/table/dialect.h"

namespace mehler {

/// Whether a column's spelling is possible and fits its kind, step and bounds. Throws
/// Error(kInvalidSchema) naming the column, what is allowed and the remedy.
void check_spelling(const Column& column);

/// Whether the column's name and values can be written in the dialect. Throws alike.
void check_column_in_dialect(const Column& column, const Dialect& dialect);

}  // namespace mehler
