#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mehler/table/readers/column_selection.h"
#include "mehler/table/readers/peeked_source.h"

namespace arrow::csv {
struct ParseOptions;
}  // namespace arrow::csv

namespace mehler {

/// The first row of a CSV text.
struct FirstRow {
  std::vector<std::string> fields;
  std::size_t bytes = 0;  ///< as it stands in the text, blank lines before it included
};

/// How Arrow's parser splits the rows of a text with this delimiter.
arrow::csv::ParseOptions parse_options(char delimiter);

/// The first row of the beginning of a text that is not blank; nothing if the beginning holds no
/// whole row.
std::optional<FirstRow> first_row(std::string_view beginning, bool is_all,
                                  const arrow::csv::ParseOptions& options);

/// The schema's dialect, and the options over it. The delimiter is always set: `default_delimiter`
/// is a tab in .tsv, which the schema's does not change. Throws Error(kInvalidArgument) if the
/// two do not go together.
Dialect effective_dialect(const TableReadOptions& options, const Schema* schema,
                          char default_delimiter);

/// How the text of a workbook's cells is written: plainly, but for words, spellings of missing
/// values and the header, which are the schema's and the options'.
Dialect dialect_of_cells(const TableReadOptions& options, const Schema* schema);

/// Sets the dialect of a part: the effective one, or, for a table that may be one of ours, that in
/// which TableWriter has written it (the schema's, or the plain one).
void set_dialect(PeekedSource& bytes, char default_delimiter, PartContext& part);

}  // namespace mehler
