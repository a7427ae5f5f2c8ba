#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "mehler/encoding/value_grid.h"

namespace mehler {

/// A column's leaves put together into cells: what a table of counts tells apart.
///
/// Cells of numbers are ranges of leaves. Cells of categories are single codes, and at most one
/// cell "rare" of several. Missing values have the last cell. Immutable and thread-safe.
class ColumnPartition {
 public:
  /// Every category alone; numbers in at most `ranges` ranges of equal width; images in one cell.
  static ColumnPartition even(const Column& column, std::size_t ranges);

  /// The same, but of a number with many more values than ranges the bounds and zero are alone: the
  /// values that are frequent by themselves in so many tables. Follows from the schema alone.
  static ColumnPartition even_and_spikes(const Column& column, std::size_t ranges);

  /// Numbers: ranges that begin at these leaves, the first at 0. Throws Error(kInvalidArgument)
  /// unless they ascend within the column's leaves.
  static ColumnPartition ranges(const Column& column, std::vector<std::uint32_t> starts);

  /// Categories: those with these codes share one cell, after the others. Throws
  /// Error(kInvalidArgument) unless the codes ascend, are codes of values, and are none or at least
  /// two.
  static ColumnPartition grouped(const Column& column, std::vector<std::uint32_t> rare);

  const ValueGrid& leaves() const { return leaves_; }
  const Column& column() const { return leaves_.column(); }
  /// Number of cells.
  std::size_t size() const { return size_; }
  /// Cells of values, without the one of missing values.
  std::size_t value_cells() const { return size_ - (column().missing ? 1 : 0); }

  std::size_t cell_of(std::uint32_t leaf) const;

  /// The leaves of a cell of numbers: from range(cell).first up to, not with, range(cell).second.
  std::pair<std::uint32_t, std::uint32_t> range(std::size_t cell) const;
  /// The codes of a cell of categories.
  std::vector<std::uint32_t> codes(std::size_t cell) const;

  const std::vector<std::uint32_t>& starts() const { return starts_; }
  const std::vector<std::uint32_t>& rare() const { return rare_; }

  /// Whether every cell lies within one cell of the other partition, which is of the same column.
  /// Categories have no finer cells: theirs must be the same.
  bool refines(const ColumnPartition& other) const;
  /// For each cell, the one of another partition that it lies within; this one refines the other.
  std::vector<std::size_t> cells_within(const ColumnPartition& other) const;

  bool operator==(const ColumnPartition& other) const {
    return leaves_ == other.leaves_ && starts_ == other.starts_ && rare_ == other.rare_;
  }

 private:
  explicit ColumnPartition(const Column& column) : leaves_(column) {}

  ValueGrid leaves_;
  std::vector<std::uint32_t> starts_;  ///< numbers
  std::vector<std::uint32_t> rare_;    ///< categories
  std::size_t size_ = 0;
};

}  // namespace mehler
