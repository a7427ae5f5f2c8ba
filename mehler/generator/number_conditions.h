#pragma once

#include <string_view>
#include <vector>

#include "mehler/core/interval.h"
#include "mehler/generator/sample_condition.h"
#include "mehler/table/column.h"

namespace mehler {

/// "numbers", "dates" or "times".
std::string_view value_words(const Column& column);

/// What one condition allows of a column of numbers, dates or times.
struct AllowedNumbers {
  std::vector<Interval> ranges;  ///< of coordinates: see ColumnCondition
  bool missing = false;
};

/// Throws Error(kInvalidArgument) for values that the column cannot have, and if nothing is
/// allowed.
AllowedNumbers allowed_numbers(const Column& column, const SampleCondition& condition);

/// What both allow; may be empty.
std::vector<Interval> intersection(const std::vector<Interval>& a, const std::vector<Interval>& b);

}  // namespace mehler
