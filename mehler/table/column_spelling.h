#pragma once

#include <string>
#include <vector>

namespace mehler {

/// How a CSV file writes the values of one column, where that is not as the whole table's Dialect
/// says. Typed formats have no use for it. Public, like the rest of the schema.
struct ColumnSpelling {
  /// Date and datetime: a DateFormat, such as "%d.%m.%Y". Empty: ISO 8601.
  std::string format = {};
  /// Numbers: what stands before and after the digits, such as "$" or " %". It is always written,
  /// and may be absent where values are read; the value is the number without it.
  std::string prefix = {};
  std::string suffix = {};
  /// Boolean: the words for true and for false; of each the first is written. Both or neither.
  std::vector<std::string> true_words = {};
  std::vector<std::string> false_words = {};

  bool operator==(const ColumnSpelling&) const = default;
};

}  // namespace mehler
