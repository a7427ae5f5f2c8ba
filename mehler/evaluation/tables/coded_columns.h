#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mehler {

/// One column of a coded table.
struct CodedColumn {
  /// One per row: of a category the place of its label, then one for a missing value and one for
  /// a value that the schema does not know; of a number its bin (ColumnBins).
  std::vector<std::uint16_t> codes;
  /// Columns of numbers: the values in their units, unclamped; NaN where missing or not a number.
  std::vector<double> numbers;
  /// Values that are missing.
  std::size_t missing = 0;
  /// Values that the schema does not allow: beyond the bounds, an unknown category, a fraction
  /// among integers, no number or date at all, missing where nothing may be.
  std::size_t invalid = 0;
};

/// A table in memory in the form that evaluation compares: 2 bytes a cell, and 8 more where it is a
/// number.
struct CodedTable {
  std::size_t rows = 0;
  /// One per used column of the schema but that of images, in the schema's order.
  std::vector<CodedColumn> columns;
  /// Where the schema has a column of images: bytes [rows][shape of the column].
  std::vector<std::uint8_t> pixels;
};

}  // namespace mehler
