#include "mehler/measurement/internal/domain_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "mehler/table/calendar.h"

namespace mehler {
namespace {

constexpr double kLargestNumber = 1e15;
constexpr int kSmallestDecimal = 9;
constexpr int kFirstYear = 1500;
constexpr int kLastYear = 2500;  ///< the first one beyond

std::vector<double> years(double microseconds_or_days) {
  std::vector<double> begins;
  for (int year = kFirstYear; year <= kLastYear; ++year) {
    begins.push_back(static_cast<double>(*parse_date(fmt::format("{}-01-01", year))) *
                     microseconds_or_days);
  }
  return begins;
}

/// 1, 2, 5, 10, ... times the unit. Each is the nearest double of its decimal digits where the unit
/// is a power of ten.
std::vector<double> magnitudes(const Column& column) {
  const bool is_decimal = !column.step || *column.step == 1.0;
  const int exponent = column.step ? 0 : -column.decimals.value_or(kSmallestDecimal);
  std::vector<double> begins;
  for (int power = exponent;; ++power) {
    for (const int digit : {1, 2, 5}) {
      const double value =
          std::stod(fmt::format("{}e{}", digit, power)) * (is_decimal ? 1.0 : *column.step);
      begins.push_back(value);
      if (value >= kLargestNumber) {
        return begins;
      }
    }
  }
}

/// What the type and the transform leave, in multiples of `unit`.
Interval allowed_values(const Column& column, double unit) {
  Interval allowed{-std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};
  const TimeStorage* times = time_storage(column.type);
  if (times != nullptr && times->meaning == TimeStorage::Meaning::kTimeOfDay) {
    constexpr double kSecondsPerDay = 86'400.0;
    allowed = {0.0, kSecondsPerDay - unit};
  }
  if (column.type == StoredType::kDecimal) {
    const double limit =
        std::pow(10.0, column.decimal_digits.precision - column.decimal_digits.scale);
    allowed = {unit - limit, limit - unit};
  }
  if (const auto range = integer_range(column.type)) {
    // Bounds are whole numbers that a double holds.
    constexpr double kLargestExact = 0x1p53;
    allowed = {std::max(static_cast<double>(range->first), -kLargestExact),
               std::min(static_cast<double>(range->second), kLargestExact)};
  }
  if (column.transform == NumberTransform::kLog) {
    allowed.low = std::max(allowed.low, 0.0);
  }
  return allowed;
}

}  // namespace

DomainCells::DomainCells(const Column& column)
    : is_calendar_(column.kind == ColumnKind::kDate || column.kind == ColumnKind::kDatetime),
      unit_(column.step.value_or(0.0)),
      ends_(column.kind == ColumnKind::kDate       ? years(1.0)
            : column.kind == ColumnKind::kDatetime ? years(static_cast<double>(kMicrosecondsPerDay))
                                                   : magnitudes(column)),
      allowed_{} {
  if (!is_calendar_) {
    unit_ = ends_.front();
  }
  allowed_ = allowed_values(column, unit_);
}

std::size_t DomainCells::size() const {
  const std::size_t ranges = ends_.size() - 1;
  return is_calendar_ ? ranges : 2 * ranges + 1;
}

std::size_t DomainCells::magnitude_of(double value) const {
  const auto above = std::upper_bound(ends_.begin(), ends_.end() - 1, value);
  return static_cast<std::size_t>(above - ends_.begin());
}

std::size_t DomainCells::cell_of(double value) const {
  if (is_calendar_) {
    return std::max<std::size_t>(magnitude_of(value), 1) - 1;
  }
  const std::size_t zero = ends_.size() - 1;
  const std::size_t magnitude = magnitude_of(std::fabs(value));
  return value < 0.0 ? zero - magnitude : zero + magnitude;
}

Interval DomainCells::bounds_of(std::size_t first, std::size_t last) const {
  Interval bounds{};
  if (is_calendar_) {
    bounds = {ends_[first], ends_[last + 1] - unit_};
  } else {
    const std::size_t zero = ends_.size() - 1;
    bounds.low = first == zero  ? 0.0
                 : first > zero ? ends_[first - zero - 1]
                                : -ends_[zero - first];
    bounds.high = last == zero ? 0.0 : last > zero ? ends_[last - zero] : -ends_[zero - last - 1];
  }
  bounds = {std::clamp(bounds.low, allowed_.low, allowed_.high),
            std::clamp(bounds.high, allowed_.low, allowed_.high)};
  if (!(bounds.low < bounds.high)) {
    // One value alone: bounds differ.
    bounds.high = bounds.low + unit_;
    if (bounds.high > allowed_.high) {
      bounds = {allowed_.high - unit_, allowed_.high};
    }
  }
  return bounds;
}

}  // namespace mehler
