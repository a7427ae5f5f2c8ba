#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "mehler/core/strict_json.h"

namespace mehler {

/// The cells of a schema's sheet (schema_sheet.h): values of JSON as a spreadsheet keeps them, and
/// back. Each `..._cell` gives nothing for a value that it has no form for.

/// A text, with an apostrophe before what a spreadsheet would change.
std::string text_cell(const std::string& text);
std::string text_of_cell(std::string_view cell);

/// A number, or a text.
std::optional<std::string> number_or_text_cell(const Json& value);
/// The number that a cell is, with a decimal comma if that is allowed; else nothing.
std::optional<Json> number_of_cell(std::string_view cell, bool decimal_comma);

/// A list of categories, or where they come from.
std::optional<std::string> categories_cell(const Json& categories);
Json categories_of_cell(std::string_view cell);

/// "yes" and "no"; also as spreadsheets write true and false.
std::optional<bool> boolean_of_cell(std::string_view cell);

}  // namespace mehler
