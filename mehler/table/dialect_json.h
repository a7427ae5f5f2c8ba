#pragma once

#include "mehler/core/strict_json.h"
#include "mehler/table/column_spelling.h"
#include "mehler/table/dialect.h"

namespace mehler {

/// The value of the key "dialect" of a schema file. Throws Error(kInvalidSchema); what its parts
/// have to do with each other is left to check_dialect().
Dialect dialect_from_json(const Json& json);
/// What differs from the defaults.
Json json_of(const Dialect& dialect);

/// The keys "format", "prefix", "suffix", "true" and "false" of a column.
inline constexpr const char* kSpellingKeys[] = {"format", "prefix", "suffix", "true", "false"};
ColumnSpelling read_spelling(JsonObjectReader& reader);
void add_spelling(const ColumnSpelling& spelling, Json& column);

}  // namespace mehler
