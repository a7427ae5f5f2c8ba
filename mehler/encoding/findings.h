#pragma once

#include <cstdint>
#include <string>

#include "mehler/table/column.h"

namespace mehler {

/// What can be wrong, or merely noteworthy, with the values of a column. A set of bits.
///
/// Privacy: a finding says that something occurs, never which value, where or how often.
enum class Finding : std::uint32_t {
  kNone = 0,
  kMissing = 1,           ///< a value is missing where none may be
  kNotFinite = 2,         ///< infinity
  kNotWhole = 4,          ///< a fraction in a column of integers or categories
  kNotBoolean = 8,        ///< neither true nor false
  kNotDate = 16,          ///< no date, or no time
  kOutOfRange = 32,       ///< outside the bounds
  kUnknownCategory = 64,  ///< not among the categories
  kNaN = 128,             ///< NaN, which is a missing value, where none may be
};

inline Finding operator|(Finding a, Finding b) {
  return static_cast<Finding>(static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b));
}
inline Finding& operator|=(Finding& a, Finding b) { return a = a | b; }
inline bool contains(Finding set, Finding one) {
  return (static_cast<std::uint32_t>(set) & static_cast<std::uint32_t>(one)) != 0;
}

/// The findings that stop the work for this column: all but values to be clamped or grouped.
Finding refused_findings(const Column& column, Finding found);

/// "column 'age' has missing values, but ...; ...": the first refused finding, with its remedy.
std::string describe_refusal(const Column& column, Finding refused);

}  // namespace mehler
