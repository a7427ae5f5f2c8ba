#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mehler/core/interval.h"
#include "mehler/encoding/encoder.h"
#include "mehler/generator/sample_condition.h"

namespace mehler {

/// What a column may be, as records are encoded: all that its conditions leave, at least one value
/// or the missing one. Of `codes` on the one hand and `ranges` and `missing` on the other, those
/// that belong to the column's kind count.
struct ColumnCondition {
  /// Among encoder.columns().
  std::size_t column = 0;
  /// Categories: whether each code may be; that of a missing value comes after the labels.
  std::vector<bool> codes;
  /// Numbers, dates and times: closed ranges of coordinates in [-1, 1], ascending and apart. Every
  /// coordinate within decodes to a value that may be, and every such value has one.
  std::vector<Interval> ranges;
  /// The same: whether a value may be missing (NaN).
  bool missing = false;

  /// The coordinate itself, or, where it is outside all ranges, the nearest one inside. NaN, for a
  /// missing value, stays.
  double nearest(double coordinate) const;

  bool operator==(const ColumnCondition&) const = default;
};

/// Which columns a model can hold to values.
enum class ConditionedColumns { kCategories, kAll };

/// Looks up what conditions ask for: one result a column, in the order in which columns are first
/// named. Throws Error(kInvalidArgument) for a column that is not synthesised or that the model
/// cannot hold to values, for a value that it cannot have (an unknown category, no number or date,
/// out of bounds, off the step, missing where nothing may be), for a comparison of what has no
/// order, and for conditions that no value meets.
std::vector<ColumnCondition> resolve_conditions(const Encoder& encoder,
                                                const std::vector<SampleCondition>& where,
                                                ConditionedColumns allowed);

}  // namespace mehler
