#pragma once

#include "mehler/table/column.h"

namespace mehler {

/// Whether what a column declares is possible and fits its kind. Undeclared bounds and categories
/// are accepted: a draft has them. Throws Error(kInvalidSchema) naming the column, what is allowed
/// and the remedy.
void check_column(const Column& column);

}  // namespace mehler
