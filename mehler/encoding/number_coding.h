#pragma once

#include <cstddef>

#include "mehler/encoding/findings.h"
#include "mehler/table/column.h"
#include "mehler/table/column_view.h"

namespace mehler {

/// One column of numbers, dates or times to [-1, 1] and back.
///
/// encode(v) = 2 (v - low) / (high - low) - 1 after clamping to the bounds; decode inverts it and
/// restores the step or decimals and the bounds. decode(encode(v)) == v for every v on the declared
/// grid within the bounds (|v| <= 2^53, at most 2^50 steps).
class NumberCoding {
 public:
  /// The column is a number with declared bounds.
  explicit NumberCoding(const Column& column);

  double encode(double value) const;
  double decode(double coordinate) const;

  /// Encodes a column of the right type into out[0 .. rows); NaN where a value is missing.
  Finding encode_column(const ColumnView& view, double* out) const;

  /// The values in the column's own units (days, microseconds), neither clamped nor rounded, into
  /// out[0 .. rows). What stands at missing places, and where no date can be read, is not defined.
  /// Reports kNotDate only.
  Finding read_values(const ColumnView& view, double* out) const;

 private:
  Column column_;
  double low_;
  double high_;
  double to_unit_;
};

}  // namespace mehler
