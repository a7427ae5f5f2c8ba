#include "mehler/generator/made_identifiers.h"

#include <fmt/format.h>

#include <algorithm>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"

namespace mehler {

MadeIdentifiers::MadeIdentifiers(const Schema& schema, std::uint64_t rows, std::uint64_t seed)
    : schema_(schema), seed_(seed) {
  for (std::size_t i = 0; i < schema.columns().size(); ++i) {
    const Column& column = schema.columns()[i];
    if (column.make.empty()) {
      continue;
    }
    patterns_.emplace_back(i, IdentifierPattern(column.make));
    const std::uint64_t count = patterns_.back().second.count();
    if (rows > count) {
      throw Error(
          ErrorCode::kInvalidArgument,
          fmt::format(
              "the column '{}' is made up as '{}', of which there are {} different ones, but "
              "{} records are asked for; ask for fewer, or use a longer pattern",
              shown(column.name), shown(column.make), count, rows));
    }
  }
}

Table MadeIdentifiers::with(const Table& rows) {
  Table result = rows;
  for (const auto& [place, pattern] : patterns_) {
    const Column& identifier = schema_.columns()[place];
    TableColumn made;
    made.name = identifier.name;
    made.kind = ColumnKind::kIdentifier;
    std::vector<std::string> values;
    values.reserve(rows.rows());
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      values.push_back(pattern.make(seed_ + place, done_ + row));
    }
    made.values = std::move(values);
    // Before the first column that stands behind it in the schema.
    const auto behind =
        std::find_if(result.columns.begin(), result.columns.end(), [&](const TableColumn& column) {
          const Column* declared = schema_.find(column.name);
          return declared != nullptr && declared > &identifier;  // columns lie one after another
        });
    result.columns.insert(behind, std::move(made));
  }
  done_ += rows.rows();
  return result;
}

}  // namespace mehler
