#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "mehler/encoding/value_grid.h"

namespace mehler {

/// Ranges of a number's leaves, each split into two halves. The feature of a range is 1 for a value
/// in its first half, -1 for one in its second, 0 elsewhere: summed, the difference between the
/// halves' counts.
struct RangeHalves {
  ValueGrid leaves;
  /// [first, second) in ascending order, disjoint, of at least two leaves.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges;

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  /// The first leaf of the second half.
  static std::uint32_t middle(const std::pair<std::uint32_t, std::uint32_t>& range) {
    return range.first + (range.second - range.first + 1) / 2;
  }
  /// The range that holds a leaf, or kNone.
  std::size_t range_of(std::uint32_t leaf) const;

  /// Throws Error(kInvalidArgument) unless the ranges are as described.
  void validate() const;

  bool operator==(const RangeHalves&) const = default;
};

}  // namespace mehler
