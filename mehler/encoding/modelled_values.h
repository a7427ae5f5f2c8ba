#pragma once

#include <span>

#include "mehler/encoding/findings.h"
#include "mehler/table/column_view.h"
#include "mehler/table/modelled_columns.h"

namespace mehler {

/// The values of a column of numbers in its own units, NaN where one is missing, into
/// out[0 .. rows). Reports everything but values out of range.
Finding read_physical(const Column& column, const ColumnView& view, std::span<double> out);

/// values = (values - from) / unit; missing where either is.
void subtract(std::span<const double> from, double unit, std::span<double> values);

/// Replaces moments by their day, or by their seconds since midnight, once they are held to the
/// bounds. Reports values out of range, once: with the day.
Finding take_part(const ModelledColumn& modelled, const Interval& bounds, std::span<double> values);

}  // namespace mehler
