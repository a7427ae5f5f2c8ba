#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace mehler {

/// Adds rows to a table of counts, [d_1][d_2].. with the last column running fastest. Cell
/// cells[i][row] of column i is below shape[i].
template <typename Cell>
void count_rows(std::span<const Cell* const> cells, std::span<const std::size_t> shape,
                std::size_t rows, std::int64_t* counts) {
  if (shape.size() == 2) {
    for (std::size_t row = 0; row < rows; ++row) {
      ++counts[cells[0][row] * shape[1] + cells[1][row]];
    }
    return;
  }
  for (std::size_t row = 0; row < rows; ++row) {
    std::size_t place = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      place = place * shape[i] + cells[i][row];
    }
    ++counts[place];
  }
}

}  // namespace mehler
