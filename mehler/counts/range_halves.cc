#include "mehler/counts/range_halves.h"

#include <fmt/format.h>

#include <algorithm>

#include "mehler/core/error.h"

namespace mehler {

std::size_t RangeHalves::range_of(std::uint32_t leaf) const {
  const auto after =
      std::upper_bound(ranges.begin(), ranges.end(), leaf,
                       [](std::uint32_t value, const auto& range) { return value < range.first; });
  if (after == ranges.begin() || leaf >= std::prev(after)->second) {
    return kNone;
  }
  return static_cast<std::size_t>(after - ranges.begin()) - 1;
}

void RangeHalves::validate() const {
  bool valid = leaves.column().is_number() && !ranges.empty();
  std::size_t end = 0;
  for (const auto& [first, second] : ranges) {
    valid = valid && first >= end && second >= 2 && first <= second - 2;
    end = second;
  }
  if (!valid || end > leaves.value_leaves()) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the ranges of column '{}' are not disjoint ranges of at least two of "
                            "its values, in ascending order",
                            leaves.column().name));
  }
}

}  // namespace mehler
