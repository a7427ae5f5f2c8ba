#pragma once

#include <string>

#include "mehler/table/arrow_c_interface.h"
#include "mehler/table/schema.h"
#include "mehler/table/stored_type.h"

namespace mehler {

/// How a table stores a column, in the words of a schema.
struct TypeInTable {
  /// kUsual for a type that synthetic tables do not have.
  StoredType type = StoredType::kUsual;
  DecimalDigits decimal_digits = {};  ///< of a decimal
  std::string timezone = {};          ///< of a timestamp
};

/// The type of a column of an Arrow table; of a dictionary whose values are no texts, theirs.
TypeInTable type_in_table(const ArrowSchema& column);

/// The same schema for synthetic tables that are stored as a table is: each of its columns has the
/// type of the table's column of that name, if that can hold its values exactly; the others keep
/// theirs. Times of day and durations have as many digits as their unit, unless the schema gives
/// them others.
Schema stored_like(const Schema& schema, const ArrowSchema& table);

}  // namespace mehler
