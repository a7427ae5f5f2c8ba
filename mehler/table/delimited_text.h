#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "mehler/core/error.h"

namespace mehler {

/// One row of a small delimited text, and the line of the file that it begins in, from 1.
struct DelimitedRow {
  std::size_t line = 1;
  std::vector<std::string> fields;
};

/// The rows of a small delimited text that people write in an editor or save from a spreadsheet: a
/// code book, the columns of a schema. Fields may stand in double quotes, with "" for a quote;
/// lines end in LF or CRLF; a byte order mark at the beginning and blank lines are skipped. `what`
/// begins messages. Throws Error(code) for a quote that is not closed, text behind a closing quote,
/// and what is not UTF-8.
///
/// For public texts only: tables are read by table/readers, whose messages name no values.
std::vector<DelimitedRow> parse_delimited(std::string_view text, char delimiter, ErrorCode code,
                                          const std::string& what);

/// The delimiter that stands most often in the first line that is not blank, outside quotes: a
/// comma, a semicolon or a tab; a comma if there is none.
char delimiter_of(std::string_view text);

/// A row of such a text, with quotes where a field needs them and without a line end.
std::string delimited_row(const std::vector<std::string>& fields, char delimiter);

/// Throws Error(code), naming the line, if a text is not UTF-8; UTF-16, as spreadsheets can save
/// it, is named as such. Returns it without a byte order mark.
std::string_view require_utf8(std::string_view text, ErrorCode code, const std::string& what);

}  // namespace mehler
