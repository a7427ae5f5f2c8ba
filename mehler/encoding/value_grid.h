#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "mehler/encoding/encoded_batch.h"
#include "mehler/encoding/number_coding.h"
#include "mehler/table/column.h"

namespace mehler {

/// The finest division of a column's values that anything is counted in.
///
/// A category is a leaf of its own. A number that has a grid of at most kMaxLeaves values (steps or
/// decimals within its bounds) has one leaf for each; any other has kMaxLeaves leaves of equal
/// width between its bounds (of the transformed value, where the schema declares a transform). A
/// missing value has a leaf of its own, after the others. Immutable and thread-safe.
///
/// Privacy: follows from the schema alone.
class ValueGrid {
 public:
  static constexpr std::size_t kMaxLeaves = std::size_t{1} << 20;

  /// The column's bounds or categories are declared. An image has one leaf: nothing of it is
  /// counted.
  explicit ValueGrid(const Column& column);

  const Column& column() const { return column_; }
  /// Leaves of values, without the one of missing values.
  std::size_t value_leaves() const { return value_leaves_; }
  /// All leaves: one more where values may be missing.
  std::size_t leaves() const { return value_leaves_ + (column_.missing ? 1 : 0); }
  /// Whether all leaves have the same width: there is no transform.
  bool is_even() const { return column_.transform == NumberTransform::kNone; }
  bool is_missing(std::uint32_t leaf) const { return leaf >= value_leaves_; }

  /// The leaf of one row of an encoded column.
  std::uint32_t leaf_of(const EncodedColumn& values, std::size_t row) const;
  /// The leaf of a number in [-1, 1]; for NaN, the leaf of missing values.
  std::uint32_t leaf_of_coordinate(double coordinate) const;

  /// The leaf of the number 0, where that lies within the bounds; nothing for dates and times.
  std::optional<std::uint32_t> leaf_of_zero() const;

  /// Where a leaf begins in [0, 1], 0 <= leaf <= value_leaves(): in equal steps unless the column
  /// has a transform. Numbers only.
  double position(std::size_t leaf) const;

  /// A number in [-1, 1] that lies in the leaf: the only one where each value has a leaf of its
  /// own, else the one at `fraction` in [0, 1) of the leaf's width. Numbers only.
  double coordinate(std::uint32_t leaf, double fraction) const;

  /// A number in [-1, 1] for a leaf whose values are all the same: the only one, or else the bound
  /// that the leaf touches, or the roundest of its values. Numbers only.
  double frequent_coordinate(std::uint32_t leaf) const;

  bool operator==(const ValueGrid& other) const { return column_ == other.column_; }

 private:
  double grid_value(double index) const;

  Column column_;
  std::optional<NumberCoding> numbers_;
  /// The grid of values, where each has a leaf: value = (first + index) * step, or low + index *
  /// step.
  bool on_grid_ = false;
  double grid_origin_ = 0.0;
  double grid_step_ = 1.0;
  double grid_first_ = 0.0;
  std::size_t value_leaves_ = 0;
};

}  // namespace mehler
