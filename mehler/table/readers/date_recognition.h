#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mehler/table/column.h"

namespace mehler {

/// The DateFormat in which texts are written.
struct RecognisedDate {
  std::string pattern;                  ///< empty: none is recognised
  ColumnKind kind = ColumnKind::kDate;  ///< or kDatetime
  bool is_ambiguous = false;            ///< the day may come first, and so may the month
};

/// The format that all texts have, if there is one; ISO 8601 is left to others. Leading zeros are
/// written if all texts have them.
RecognisedDate recognise_date_format(const std::vector<std::string_view>& texts);

}  // namespace mehler
