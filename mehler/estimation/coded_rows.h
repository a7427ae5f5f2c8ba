#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mehler {

/// Rows of codes, row-major: codes[row * columns + column].
struct CodedRows {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<std::uint16_t> codes;

  CodedRows() = default;
  CodedRows(std::size_t rows_, std::size_t columns_)
      : rows(rows_), columns(columns_), codes(rows_ * columns_) {}

  std::span<std::uint16_t> row(std::size_t r) { return {&codes[r * columns], columns}; }
  std::span<const std::uint16_t> row(std::size_t r) const { return {&codes[r * columns], columns}; }
};

}  // namespace mehler
