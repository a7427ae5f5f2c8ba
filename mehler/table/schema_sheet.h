#pragma once

#include <string>
#include <string_view>

#include "mehler/core/strict_json.h"

namespace mehler {

/// A schema file as a sheet: CSV with one line per column, which spreadsheets open and save.
///
/// First the keys of the file as a whole, a line each, marked by "#": "#target,income". Lists are
/// lines of their own: "#list:drug,No|Steady|Up". Then a line of headings, and a line per column of
/// the table. Keys that have no heading stand in "more", as JSON, so that nothing is lost.
///
/// Categories are separated by "|"; "\" takes the meaning from a following "|", "\" or '"'. A list
/// of whole numbers alone, or of true and false, is one of such; in a list of texts that look so
/// they stand in double quotes, and so does an empty text. "list:NAME" and "file:PATH" name a list
/// or a code book.
///
/// Spreadsheets take some texts for numbers, dates or formulas. Such a text begins with an
/// apostrophe, which is dropped when it is read.
std::string sheet_of_schema(const Json& schema);

/// The schema file that a sheet describes. Between commas, semicolons or tabs, with or without a
/// byte order mark; numbers with a decimal comma where the delimiter is none. `what` begins
/// messages. Throws Error(kInvalidSchema), naming the line; whether the schema makes sense is for
/// Schema::from_json to say.
Json schema_of_sheet(std::string_view text, const std::string& what);

/// The text of a schema file: a key a line, a column a line.
std::string schema_file_text(const Json& schema);

/// The text of a schema file without the mark that its kinds were guessed, otherwise as it was.
std::string without_guessed_mark(std::string_view text, const std::string& what);

}  // namespace mehler
