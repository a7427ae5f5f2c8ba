#include "mehler/encoding/number_coding.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "mehler/core/error.h"
#include "mehler/table/calendar.h"

namespace mehler {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

std::optional<std::int64_t> parse_moment(ColumnKind kind, std::string_view text) {
  if (kind == ColumnKind::kDatetime) {
    return parse_datetime(text);
  }
  // A date may be written with a time of day behind it, which the declared kind drops.
  if (const auto days = parse_date(text)) {
    return days;
  }
  const auto moment = parse_datetime(text);
  return moment ? parse_date(text.substr(0, 10)) : std::nullopt;
}

}  // namespace

NumberCoding::NumberCoding(const Column& column)
    : column_(column), low_(0.0), high_(0.0), start_(0.0), width_(0.0), to_unit_(0.0) {
  MEHLER_ASSERT(column.is_number() && column.bounds.has_value());
  low_ = column.bounds->low;
  high_ = column.bounds->high;
  start_ = column.transformed(low_);
  width_ = column.transformed(high_) - start_;
  to_unit_ = 2.0 / width_;
}

double NumberCoding::encode(double value) const {
  return coordinate_of(column_.transformed(clamped(value)));
}

double NumberCoding::clamped(double value) const { return std::min(std::max(value, low_), high_); }

double NumberCoding::coordinate_of(double transformed) const {
  // Rounding may leave the interval by an ulp; sensitivities are certified for [-1, 1] exactly.
  return std::clamp((transformed - start_) * to_unit_ - 1.0, -1.0, 1.0);
}

double NumberCoding::decode(double coordinate) const {
  const double unit = 0.5 * (std::clamp(coordinate, -1.0, 1.0) + 1.0);
  return nearest_value(column_.untransformed(start_ + unit * width_));
}

double NumberCoding::nearest_value(double value) const {
  value = std::clamp(value, low_, high_);
  if (column_.step) {
    value = low_ + std::round((value - low_) / *column_.step) * *column_.step;
    if (value > high_) {
      value -= *column_.step;
    }
  } else if (column_.decimals) {
    const double power = std::pow(10.0, *column_.decimals);
    value = std::round(value * power) / power;
  }
  return std::clamp(value, low_, high_);
}

Finding NumberCoding::read_values(ColumnKind kind, const ColumnView& view, double* out) {
  Finding found = Finding::kNone;
  if (view.type() == ColumnType::kText) {
    for (std::size_t row = 0; row < view.rows(); ++row) {
      if (view.may_miss() && view.is_missing(row)) {
        out[row] = 0.0;
        continue;
      }
      const auto moment = parse_moment(kind, view.text(row));
      if (!moment) {
        found |= Finding::kNotDate;
      }
      out[row] = static_cast<double>(moment.value_or(0));
    }
    return found;
  }
  view.copy_numbers(out);
  constexpr auto kDay = static_cast<double>(kMicrosecondsPerDay);
  if (kind == ColumnKind::kDate && view.type() == ColumnType::kTimestamp) {
    std::transform(out, out + view.rows(), out, [](double v) { return std::floor(v / kDay); });
  } else if (kind == ColumnKind::kDatetime && view.type() == ColumnType::kDate) {
    std::transform(out, out + view.rows(), out, [](double v) { return v * kDay; });
  }
  return found;
}

Finding NumberCoding::encode_column(const ColumnView& view, double* out) const {
  Finding found = read_values(view, out);
  const bool whole = column_.kind == ColumnKind::kInteger && view.type() != ColumnType::kInteger;
  bool missing = false;
  bool nan = false;
  std::vector<bool> is_missing;
  const bool any_nan =
      view.type() == ColumnType::kFloating &&
      std::any_of(out, out + view.rows(), [](double value) { return std::isnan(value); });
  if (view.may_miss() || any_nan) {
    is_missing.resize(view.rows());
    for (std::size_t row = 0; row < view.rows(); ++row) {
      const bool absent = view.may_miss() && view.is_missing(row);
      if (absent || std::isnan(out[row])) {
        (absent ? missing : nan) = true;
        is_missing[row] = true;
        out[row] = low_;  // what stands there must not count as a finding
      }
    }
  }
  bool not_finite = false;
  bool not_whole = false;
  bool out_of_range = false;
  // The loop without a transform has no branch for one.
  const auto encode_rows = [&](auto transformed) {
    for (std::size_t row = 0; row < view.rows(); ++row) {
      const double value = out[row];
      not_finite |= !std::isfinite(value);
      not_whole |= whole && std::trunc(value) != value;
      out_of_range |= value < low_ || value > high_;
      out[row] = coordinate_of(transformed(clamped(value)));
    }
  };
  if (column_.transform == NumberTransform::kNone) {
    encode_rows([](double value) { return value; });
  } else {
    encode_rows([&](double value) { return column_.transformed(value); });
  }
  if (missing || nan) {
    for (std::size_t row = 0; row < view.rows(); ++row) {
      if (is_missing[row]) {
        out[row] = kMissing;
      }
    }
  }
  found |= missing && !column_.missing ? Finding::kMissing : Finding::kNone;
  found |= nan && !column_.missing ? Finding::kNaN : Finding::kNone;
  found |= not_finite ? Finding::kNotFinite : Finding::kNone;
  found |= not_whole && !not_finite ? Finding::kNotWhole : Finding::kNone;
  found |= out_of_range ? Finding::kOutOfRange : Finding::kNone;
  return found;
}

Finding NumberCoding::encode_values(std::span<double> values) const {
  Finding found = Finding::kNone;
  for (double& value : values) {
    if (std::isnan(value)) {
      continue;
    }
    found |= std::isfinite(value) ? Finding::kNone : Finding::kNotFinite;
    found |= value < low_ || value > high_ ? Finding::kOutOfRange : Finding::kNone;
    value = encode(value);
  }
  return found;
}

}  // namespace mehler
