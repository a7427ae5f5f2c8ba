#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mehler/core/strict_json.h"
#include "mehler/table/column.h"

namespace mehler {

/// A value as tables write it; nothing for null. Fails for a list or an object; `where` says in
/// what it stands.
std::optional<std::string> value_text(const Json& value, const JsonObjectReader& reader,
                                      const std::string& where);
/// The same the other way: a number, or true and false, where the column holds such.
Json value_json(const Column* column, const std::optional<std::string>& text);

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
