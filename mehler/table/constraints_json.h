#pragma once

#include <string>
#include <vector>

#include "mehler/core/strict_json.h"
#include "mehler/table/column.h"

namespace mehler {

/// The keys of a column that hold its rules.
std::vector<std::string> column_rule_keys();

/// Reads the rules of a column of a used kind. Throws through the reader.
void read_column_rules(JsonObjectReader& reader, Column& column);
/// Adds them to the column's object.
void add_column_rules(const Column& column, Json& json);

/// Reads "never" and "sums"; `columns` are the schema's.
TableRules read_table_rules(JsonObjectReader& reader, const std::vector<Column>& columns);
/// "  \"never\": [...],\n" and so on: lines of a schema file, none where there are no rules.
std::string table_rule_lines(const TableRules& rules, const std::vector<Column>& columns);

}  // namespace mehler
