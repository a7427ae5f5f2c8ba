#pragma once

#include "mehler/table/column.h"

namespace mehler {

/// Whether what a column declares is possible and fits its kind. Undeclared bounds and categories
/// are accepted: a draft has them. Throws Error(kInvalidSchema) naming the column, what is allowed
/// and the remedy.
void check_column(const Column& column);

/// Throws Error(kInvalidSchema): "in the schema, column 'age' " and the complaint.
[[noreturn]] void refuse_column(const Column& column, const std::string& complaint);

}  // namespace mehler
