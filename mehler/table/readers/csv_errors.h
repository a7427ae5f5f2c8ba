#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mehler/table/readers/column_selection.h"

namespace arrow {
class Status;
}

namespace mehler {

/// The most bytes one row of a CSV file may have, its line breaks included.
inline constexpr std::int32_t kLongestRowBytes = 1 << 20;

/// Throws, in our words, what Arrow's CSV reader complains about.
///
/// Privacy: Arrow's message quotes records. Only the numbers at its known places are taken from it:
/// the row, the column, and how many fields were found.
[[noreturn]] void throw_csv_error(const arrow::Status& status, const PartContext& part,
                                  const std::vector<std::string>& file_names);

/// Error(kInvalidTable) for a row longer than kLongestRowBytes.
[[noreturn]] void throw_row_too_long(const std::string& what);

}  // namespace mehler
