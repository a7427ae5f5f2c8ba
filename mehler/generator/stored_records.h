#pragma once

#include "mehler/table/schema.h"
#include "mehler/table/table.h"

namespace mehler {

/// Records that were drawn, with the types that a schema of the same columns gives them. Categories
/// without a type are dictionaries of all labels that there can be: what data frames make of them.
/// Identifiers that were made up stay as they are.
Table stored_records(Table table, const Schema& types);

}  // namespace mehler
