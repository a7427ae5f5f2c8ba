#include "mehler/encoding/value_grid.h"

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"

namespace mehler {
namespace {

/// The multiple of the largest power of ten, or of half of one, in [low, high].
double roundest_between(double low, double high) {
  if (low <= 0.0 && high >= 0.0) {
    return 0.0;
  }
  if (!(high > low)) {
    return low;
  }
  const double largest = std::max(std::fabs(low), std::fabs(high));
  constexpr int kDigits = 17;  // of a double
  const auto top = static_cast<int>(std::ceil(std::log10(largest)));
  for (int power = top; power > top - kDigits; --power) {
    for (const double unit : {std::pow(10.0, power), 0.5 * std::pow(10.0, power)}) {
      const double multiple = std::ceil(low / unit) * unit;
      if (multiple >= low && multiple <= high) {
        return multiple;
      }
    }
  }
  return low;
}

}  // namespace

ValueGrid::ValueGrid(const Column& column) : column_(column) {
  if (column.is_category()) {
    value_leaves_ = column.labels().size();
    return;
  }
  if (column.is_image()) {
    value_leaves_ = 1;
    return;
  }
  MEHLER_ASSERT(column.is_number() && column.bounds.has_value());
  numbers_.emplace(column);
  value_leaves_ = kMaxLeaves;
  if (column.step) {
    grid_step_ = *column.step;
    grid_origin_ = column.bounds->low;
  } else if (column.decimals) {
    grid_step_ = std::pow(10.0, -*column.decimals);
    grid_first_ = std::round(column.bounds->low / grid_step_);
  } else {
    return;
  }
  // A step that does not divide the range leaves its last values out, as decoding does.
  const double steps =
      column.step ? std::floor((column.bounds->high - column.bounds->low) / grid_step_ + 1e-9)
                  : std::round(column.bounds->high / grid_step_) - grid_first_;
  on_grid_ = steps + 1.0 <= static_cast<double>(kMaxLeaves);
  if (on_grid_) {
    value_leaves_ = static_cast<std::size_t>(steps) + 1;
  }
}

double ValueGrid::grid_value(double index) const {
  return std::clamp(grid_origin_ + (grid_first_ + index) * grid_step_, column_.bounds->low,
                    column_.bounds->high);
}

std::uint32_t ValueGrid::leaf_of(const EncodedColumn& values, std::size_t row) const {
  if (column_.is_image()) {
    return 0;
  }
  return numbers_ ? leaf_of_coordinate(values.numbers[row])
                  : static_cast<std::uint32_t>(values.codes[row]);
}

std::uint32_t ValueGrid::leaf_of_coordinate(double coordinate) const {
  if (std::isnan(coordinate)) {
    MEHLER_ASSERT(column_.missing);
    return static_cast<std::uint32_t>(value_leaves_);
  }
  const double place =
      on_grid_
          ? std::round((numbers_->decode(coordinate) - grid_origin_) / grid_step_ - grid_first_)
          : std::floor(0.5 * (coordinate + 1.0) * static_cast<double>(value_leaves_));
  return static_cast<std::uint32_t>(std::clamp(place, 0.0, static_cast<double>(value_leaves_ - 1)));
}

std::optional<std::uint32_t> ValueGrid::leaf_of_zero() const {
  const bool is_plain =
      column_.kind == ColumnKind::kNumeric || column_.kind == ColumnKind::kInteger;
  if (!is_plain || column_.bounds->low > 0.0 || column_.bounds->high < 0.0) {
    return std::nullopt;
  }
  return leaf_of_coordinate(numbers_->encode(0.0));
}

double ValueGrid::position(std::size_t leaf) const {
  const auto count = static_cast<double>(value_leaves_);
  if (!on_grid_ || leaf >= value_leaves_ || value_leaves_ == 1) {
    return static_cast<double>(leaf) / count;
  }
  // The first value begins at 0, and the last one ends at 1.
  return 0.5 * (coordinate(static_cast<std::uint32_t>(leaf), 0.0) + 1.0) * (count - 1.0) / count;
}

double ValueGrid::coordinate(std::uint32_t leaf, double fraction) const {
  MEHLER_ASSERT(numbers_ && leaf < value_leaves_);
  if (on_grid_) {
    return numbers_->encode(grid_value(static_cast<double>(leaf)));
  }
  return std::clamp(
      2.0 * (static_cast<double>(leaf) + fraction) / static_cast<double>(value_leaves_) - 1.0, -1.0,
      1.0);
}

double ValueGrid::frequent_coordinate(std::uint32_t leaf) const {
  if (on_grid_) {
    return coordinate(leaf, 0.0);
  }
  if (leaf == 0 || leaf + 1 == value_leaves_) {
    return leaf == 0 ? -1.0 : 1.0;
  }
  const double low = numbers_->decode(coordinate(leaf, 0.0));
  const double high = numbers_->decode(coordinate(leaf + 1, 0.0));
  return numbers_->encode(roundest_between(low, high));
}

}  // namespace mehler
