#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mehler/core/wiping.h"

namespace mehler {

/// One encoded column: exactly one of the vectors is used, one entry per row. Wiped when it is
/// destroyed, as the records may be private.
struct EncodedColumn {
  /// Numbers, dates and times: in [-1, 1], the declared bounds; a quiet NaN where the value is
  /// missing.
  WipedVector<double> numbers;
  /// Categories: the code in [0, Column::code_count()); a missing value has the last one.
  WipedVector<std::int32_t> codes;
  /// Images: bytes [rows][Column::shape->size()].
  WipedVector<std::uint8_t> pixels;
};

/// Records as numbers: one EncodedColumn per used column of the schema, in the schema's order.
struct EncodedBatch {
  std::size_t rows = 0;
  std::vector<EncodedColumn> columns;
};

}  // namespace mehler
