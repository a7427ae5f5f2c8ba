#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mehler/table/readers/table_reader.h"

namespace mehler {

/// How a CSV table seems to be written, for the draft of its schema.
struct SniffedDialect {
  Dialect dialect;             ///< what was found, and what was given; given things win
  bool is_workbook = false;    ///< a sheet's cells, of which only texts have forms
  bool was_read = false;       ///< whether anything could be found, that is, not in a pipe
  char usual_delimiter = ',';  ///< of the file's ending
  std::vector<RecognisedColumn> columns;
  std::vector<std::string> notes;

  /// The options with what was found.
  TableReadOptions reading(TableReadOptions options) const;
  /// The dialect for the schema, which does not name the usual delimiter.
  Dialect dialect_of_schema() const;
  /// The spelling of the columns that have one, by name. A column whose kind was changed since is
  /// left out.
  std::map<std::string, ColumnSpelling> spellings(const Schema& schema) const;
};

/// Looks at the first megabyte of a table's first file: byte order mark, delimiter (comma,
/// semicolon, tab or bar: what a first line such as "sep=;" says, or the one that stands in the
/// first line, outside quotes, and as often in every other), and the forms of numbers, dates and
/// words. A pipe is not looked at: its dialect is what was given. Nothing for a table that is not
/// CSV. Throws Error as TableReader does.
std::optional<SniffedDialect> sniff_dialect(const std::vector<std::string>& paths,
                                            const TableReadOptions& options);

}  // namespace mehler
