#include "mehler/encoding/modelled_values.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mehler/core/error.h"
#include "mehler/encoding/number_coding.h"
#include "mehler/table/calendar.h"

namespace mehler {

Finding read_physical(const Column& column, const ColumnView& view, std::span<double> out) {
  MEHLER_ASSERT(out.size() == view.rows());
  Finding found = NumberCoding::read_values(column.kind, view, out.data());
  const bool whole = column.kind == ColumnKind::kInteger && view.type() != ColumnType::kInteger;
  for (std::size_t row = 0; row < out.size(); ++row) {
    if (view.may_miss() && view.is_missing(row)) {
      out[row] = std::numeric_limits<double>::quiet_NaN();
      found |= column.missing ? Finding::kNone : Finding::kMissing;
    } else if (std::isnan(out[row])) {
      found |= column.missing ? Finding::kNone : Finding::kNaN;
    } else if (!std::isfinite(out[row])) {
      found |= Finding::kNotFinite;
    } else if (whole && std::trunc(out[row]) != out[row]) {
      found |= Finding::kNotWhole;
    }
  }
  return found;
}

void subtract(std::span<const double> from, double unit, std::span<double> values) {
  for (std::size_t row = 0; row < values.size(); ++row) {
    values[row] = (values[row] - from[row]) / unit;
  }
}

Finding take_part(const ModelledColumn& modelled, const Interval& bounds,
                  std::span<double> values) {
  constexpr auto kDayLength = static_cast<double>(kMicrosecondsPerDay);
  Finding found = Finding::kNone;
  for (double& value : values) {
    if (std::isnan(value)) {
      continue;
    }
    if (modelled.as == ModelledAs::kDay && (value < bounds.low || value > bounds.high)) {
      found |= Finding::kOutOfRange;
    }
    value = std::clamp(value, bounds.low, bounds.high);
    const double day = std::floor(value / kDayLength);
    value = modelled.as == ModelledAs::kDay
                ? day
                : (value - day * kDayLength) / static_cast<double>(kMicrosecondsPerSecond);
  }
  return found;
}

}  // namespace mehler
