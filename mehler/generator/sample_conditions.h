#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "mehler/encoding/encoder.h"
#include "mehler/generator/generator.h"

namespace mehler {

/// A SampleCondition as records are encoded. Of `code` and `coordinate` the one that belongs to the
/// column's kind counts.
struct ColumnCondition {
  /// Among encoder.columns().
  std::size_t column = 0;
  /// Categories: the code; of a missing value the one after the labels.
  std::int32_t code = -1;
  /// Numbers, dates and times: the place of a value that the column can have, in [-1, 1]; NaN for a
  /// missing one.
  double coordinate = std::numeric_limits<double>::quiet_NaN();
};

/// Which columns a model can hold to a value.
enum class ConditionedColumns { kCategories, kAll };

/// Looks up what conditions ask for, one a column, in the order in which columns are first named.
/// Throws Error(kInvalidArgument) for a column that is not synthesised or that the model cannot
/// hold to a value, for a value that it cannot have (an unknown category, no number or date, out of
/// bounds, off the step, missing where nothing may be), and for two values of one column.
std::vector<ColumnCondition> resolve_conditions(const Encoder& encoder,
                                                const std::vector<SampleCondition>& where,
                                                ConditionedColumns allowed);

}  // namespace mehler
