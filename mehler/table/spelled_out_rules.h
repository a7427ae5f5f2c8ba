#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "mehler/table/schema.h"

namespace mehler {

/// Adds the columns that parts of dates ask for, behind their dates, unless they are there.
void add_part_columns(std::vector<Column>& columns);

/// The names of the columns that a table without a header has, if it has so many: all but those of
/// parts of dates, or all that are read from tables.
std::vector<std::string> names_of_fields(const Schema& schema, std::size_t fields);

/// Writes out what rules imply: the columns of parts of dates, the expression of a column that is
/// a sum, the categories of a column that a map determines. What is there already, as in a schema
/// that was written out before, stays. Throws Error(kInvalidSchema).
void spell_out_rules(std::vector<Column>& columns, const TableRules& rules);

}  // namespace mehler
