#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace mehler {

/// A dense matrix of floats, row by row.
struct Matrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<float> values;  ///< [rows][columns]

  Matrix() = default;
  Matrix(std::size_t row_count, std::size_t column_count)
      : rows(row_count), columns(column_count), values(row_count * column_count) {}

  std::span<float> row(std::size_t i) { return {&values[i * columns], columns}; }
  std::span<const float> row(std::size_t i) const { return {&values[i * columns], columns}; }
};

}  // namespace mehler
