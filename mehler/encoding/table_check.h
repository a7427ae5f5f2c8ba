#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/table/record_stream.h"
#include "mehler/table/schema.h"

namespace mehler {

/// What the records of a table were found to be beside its schema.
///
/// Privacy: found without noise, so that no guarantee covers it. It names columns and rules, never
/// values.
struct TableCheck {
  /// Why the table does not fit: a sentence for each column, with the remedy. Empty if it fits.
  std::vector<std::string> refusals;
  /// Columns with values outside their bounds, which are moved to the nearest one.
  std::vector<std::string> clamped;
  /// Columns with values that are not listed and go to "other".
  std::vector<std::string> grouped;
  /// Rules of "never", counted from 1, that some record breaks.
  std::vector<std::size_t> broken_rules;
};

/// Reads a whole table and looks whether its records fit a schema. Bounds and categories may be
/// still to be bought: whatever lies outside them then is not noted. Throws Error(kInvalidSchema)
/// if they are undeclared, Error(kInvalidTable) if the columns are not those of the schema, have
/// other types, or if there are no records; Error(kCancelled).
TableCheck check_table(const Schema& schema, const std::vector<RecordStreamFactory>& parts,
                       const Context& context);

/// Throws Error(kInvalidTable) with all refusals, if there are any.
void require_fit(const TableCheck& check);

}  // namespace mehler
