#pragma once

#include <cstddef>
#include <vector>

#include "mehler/core/interval.h"
#include "mehler/table/column.h"

namespace mehler {

/// The cells in which numbers are counted to find their bounds. They are public: they follow from
/// the column's kind, step, decimals and type alone.
///
/// Numbers: 0, and for each sign the ranges that begin at 1, 2, 5, 10, 20, 50, ... times the unit,
/// which is the step or the last decimal (10^-9 without either), up to 10^15. Dates and times:
/// calendar years from 1500 to 2499. Values beyond the ends belong to the outermost cells.
class DomainCells {
 public:
  /// Of kinds that are numbers.
  explicit DomainCells(const Column& column);

  std::size_t size() const;
  /// The cell of a value that is not NaN.
  std::size_t cell_of(double value) const;
  /// Bounds of the cells from `first` to `last`, which a column of this kind, step and type can
  /// have.
  Interval bounds_of(std::size_t first, std::size_t last) const;

 private:
  std::size_t magnitude_of(double value) const;

  bool is_calendar_;
  double unit_;               ///< the smallest distance of two values
  std::vector<double> ends_;  ///< where cells begin, and where the last one ends
  Interval allowed_;          ///< by the type and the transform
};

}  // namespace mehler
