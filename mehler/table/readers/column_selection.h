#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mehler/table/readers/table_reader.h"
#include "mehler/table/schema.h"

namespace mehler {

/// What opening one part of a table needs to know.
struct PartContext {
  std::string what;  ///< "the table 'a.csv'": begins every message
  TableReadOptions options;
  std::shared_ptr<const Schema> schema;  ///< nullptr: read every column, as it is
  std::shared_ptr<ReadProgress> progress;
  /// CSV: how the part is written. Set when it is opened.
  Dialect dialect = {};
  /// Whether the text was made from the cells of a workbook, which have no dialect.
  bool is_workbook = false;
  /// CSV: whether it is the table of a folder of images, to which options for CSV do not apply, and
  /// whose names of columns count in any case.
  bool is_folder_table = false;
  /// CSV: whether columns are written plainly, whatever the schema says of them.
  bool has_plain_values = false;
  std::vector<PartitionKey> keys = {};  ///< columns that the part's folders give

  bool has_key(const std::string& name) const;
};

/// Throws Error(kInvalidTable): what the part is, and the complaint.
[[noreturn]] void refuse_part(const PartContext& part, const std::string& complaint);

/// The columns of a file that are read, in the file's order.
struct SelectedColumns {
  std::vector<std::string> names;
  std::vector<std::size_t> places;  ///< counted from 0 among all columns of the file
};

/// Where a file's column names stand. A first line that was taken for a header can be a record.
enum class NamesFrom { kFirstLine, kElsewhere };

/// Checks a file's column names and chooses those the schema reads: the used ones and the privacy
/// unit.
///
/// Throws Error(kInvalidTable) for a name that is empty, occurs twice or is not in the schema, and
/// for a column that the schema uses and the file lacks.
///
/// A first column without a name, of which the schema knows nothing, is left out.
///
/// Privacy: when few of the names are known to the schema, or two are the same, the first line may
/// be a record, and its fields are not quoted in the message.
SelectedColumns select_columns(const std::vector<std::string>& file_names, NamesFrom names_from,
                               const PartContext& part);

/// Whether records are read from the column: it is used, or it is the privacy unit.
bool is_read(const Column& column, const Schema& schema);

/// What to do about text that is not UTF-8.
std::string_view name_encoding(const PartContext& part);

/// "the column 'age'".
std::string describe_column(const std::vector<std::string>& file_names, std::size_t place);

}  // namespace mehler
