#pragma once

#include <cstddef>
#include <span>

#include "mehler/encoding/findings.h"
#include "mehler/table/column.h"
#include "mehler/table/column_view.h"

namespace mehler {

/// One column of numbers, dates or times to [-1, 1] and back.
///
/// encode(v) = 2 (g(v) - g(low)) / (g(high) - g(low)) - 1 after clamping to the bounds, where g is
/// the column's transform (g(v) = v if it declares none); decode inverts it and restores the step
/// or decimals and the bounds.
///
/// decode(encode(v)) == v for every v on the declared grid within the bounds, as far as a double
/// goes: without a transform for |v| <= 2^53 and at most 2^50 steps; with one for
/// (m + transform_scale) max(1, g(m)) <= 2^47 steps, m the larger absolute bound. (The coordinate
/// errs by a few 2^-53, which a logarithm widens at the far end to about 18 (m + transform_scale)
/// max(1, g(m)) 2^-53 in units; half a step is allowed.) With whole numbers and the scale 1 that
/// is m <= 4 * 10^12.
///
/// Privacy: a value's coordinate depends on the schema alone and lies in [-1, 1] exactly.
class NumberCoding {
 public:
  /// The column is a number with declared bounds.
  explicit NumberCoding(const Column& column);

  double encode(double value) const;
  double decode(double coordinate) const;

  /// The nearest value that the column can have: within the bounds and on the step or decimals.
  double nearest_value(double value) const;

  /// Encodes a column of the right type into out[0 .. rows); NaN where a value is missing. A NaN in
  /// the table is a missing value too.
  Finding encode_column(const ColumnView& view, double* out) const;
  /// Encodes values in the column's own units in place; NaN where one is missing, which stays and
  /// is no finding here. They need not be whole.
  Finding encode_values(std::span<double> values) const;

  /// The values in the column's own units (days, microseconds), neither clamped nor rounded, into
  /// out[0 .. rows). What stands at missing places, and where no date can be read, is not defined.
  /// Reports kNotDate only.
  Finding read_values(const ColumnView& view, double* out) const {
    return read_values(column_.kind, view, out);
  }
  static Finding read_values(ColumnKind kind, const ColumnView& view, double* out);

 private:
  double clamped(double value) const;
  /// The coordinate of a transformed value that lies within the bounds.
  double coordinate_of(double transformed) const;

  Column column_;
  double low_;
  double high_;
  double start_;  ///< g(low)
  double width_;  ///< g(high) - g(low)
  double to_unit_;
};

}  // namespace mehler
