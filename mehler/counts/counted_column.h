#pragma once

#include <cstddef>
#include <memory>

#include "mehler/counts/column_partition.h"

namespace mehler {

/// Equal, or two that hold the same.
template <typename T>
bool hold_the_same(const std::shared_ptr<const T>& a, const std::shared_ptr<const T>& b) {
  return a == b || (a && b && *a == *b);
}

/// A column, in the cells that its records are counted in.
struct CountedColumn {
  std::size_t column = 0;  ///< index into Encoder::columns()
  std::shared_ptr<const ColumnPartition> cells;
  bool operator==(const CountedColumn& other) const {
    return column == other.column && hold_the_same(cells, other.cells);
  }
};

}  // namespace mehler
