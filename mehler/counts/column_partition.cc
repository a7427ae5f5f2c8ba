#include "mehler/counts/column_partition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <set>

#include "mehler/core/error.h"
#include "mehler/core/integer_math.h"

namespace mehler {
namespace {

[[noreturn]] void fail(const Column& column, std::string_view what) {
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("the cells of column '{}' {}", column.name, what));
}

bool ascends_below(const std::vector<std::uint32_t>& numbers, std::size_t limit) {
  return std::adjacent_find(numbers.begin(), numbers.end(), std::greater_equal<>()) ==
             numbers.end() &&
         (numbers.empty() || numbers.back() < limit);
}

}  // namespace

ColumnPartition ColumnPartition::even(const Column& column, std::size_t ranges) {
  if (!column.is_number()) {
    return grouped(column, {});
  }
  MEHLER_ASSERT(ranges >= 1);
  const ValueGrid leaves(column);
  std::vector<std::uint32_t> starts;
  if (leaves.is_even()) {
    const std::size_t width = ceil_divide(leaves.value_leaves(), ranges);
    for (std::size_t leaf = 0; leaf < leaves.value_leaves(); leaf += width) {
      starts.push_back(static_cast<std::uint32_t>(leaf));
    }
    return ColumnPartition::ranges(column, std::move(starts));
  }
  double last = -1.0;
  for (std::size_t leaf = 0; leaf < leaves.value_leaves(); ++leaf) {
    const double range = std::floor(leaves.position(leaf) * static_cast<double>(ranges) + 1e-9);
    if (range > last) {
      starts.push_back(static_cast<std::uint32_t>(leaf));
      last = range;
    }
  }
  return ColumnPartition::ranges(column, std::move(starts));
}

ColumnPartition ColumnPartition::even_and_spikes(const Column& column, std::size_t ranges) {
  constexpr std::size_t kManyValues = 16;  // for each range
  ColumnPartition result = even(column, ranges);
  const std::size_t leaves = result.leaves_.value_leaves();
  if (!column.is_number() || leaves < kManyValues * ranges) {
    return result;
  }
  std::set<std::uint32_t> starts(result.starts_.begin(), result.starts_.end());
  const auto put_alone = [&](std::size_t leaf) {
    starts.insert(static_cast<std::uint32_t>(leaf));
    if (leaf + 1 < leaves) {
      starts.insert(static_cast<std::uint32_t>(leaf + 1));
    }
  };
  put_alone(0);
  put_alone(leaves - 1);
  if (const std::optional<std::uint32_t> zero = result.leaves_.leaf_of_zero()) {
    put_alone(*zero);
  }
  return ColumnPartition::ranges(column, {starts.begin(), starts.end()});
}

ColumnPartition ColumnPartition::ranges(const Column& column, std::vector<std::uint32_t> starts) {
  ColumnPartition result(column);
  if (!column.is_number() || starts.empty() || starts.front() != 0 ||
      !ascends_below(starts, result.leaves_.value_leaves())) {
    fail(column, "are not ranges that ascend from 0 within its values");
  }
  result.size_ = starts.size() + (column.missing ? 1 : 0);
  result.starts_ = std::move(starts);
  return result;
}

ColumnPartition ColumnPartition::grouped(const Column& column, std::vector<std::uint32_t> rare) {
  ColumnPartition result(column);
  if (column.is_number() || rare.size() == 1 ||
      !ascends_below(rare, result.leaves_.value_leaves())) {
    fail(column, "do not group categories of the column, in ascending order and at least two");
  }
  result.size_ = result.leaves_.leaves() - (rare.empty() ? 0 : rare.size() - 1);
  result.rare_ = std::move(rare);
  return result;
}

std::size_t ColumnPartition::cell_of(std::uint32_t leaf) const {
  if (leaves_.is_missing(leaf)) {
    return size_ - 1;
  }
  if (!starts_.empty()) {
    return static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), leaf) -
                                    starts_.begin() - 1);
  }
  const auto place = std::lower_bound(rare_.begin(), rare_.end(), leaf);
  if (place != rare_.end() && *place == leaf) {
    return value_cells() - 1;
  }
  return leaf - static_cast<std::size_t>(place - rare_.begin());
}

std::pair<std::uint32_t, std::uint32_t> ColumnPartition::range(std::size_t cell) const {
  MEHLER_ASSERT(cell < starts_.size());
  return {starts_[cell], cell + 1 < starts_.size()
                             ? starts_[cell + 1]
                             : static_cast<std::uint32_t>(leaves_.value_leaves())};
}

bool ColumnPartition::refines(const ColumnPartition& other) const {
  return leaves_ == other.leaves_ && rare_ == other.rare_ &&
         std::includes(starts_.begin(), starts_.end(), other.starts_.begin(), other.starts_.end());
}

std::vector<std::size_t> ColumnPartition::cells_within(const ColumnPartition& other) const {
  MEHLER_ASSERT(refines(other));
  std::vector<std::size_t> result(size_);
  std::iota(result.begin(), result.end(), std::size_t{0});
  for (std::size_t cell = 0; cell < starts_.size(); ++cell) {
    result[cell] = other.cell_of(starts_[cell]);
  }
  if (column().missing) {
    result.back() = other.size_ - 1;
  }
  return result;
}

std::vector<std::uint32_t> ColumnPartition::codes(std::size_t cell) const {
  MEHLER_ASSERT(starts_.empty() && cell < size_);
  std::vector<std::uint32_t> result;
  for (std::size_t leaf = 0; leaf < leaves_.leaves(); ++leaf) {
    if (cell_of(static_cast<std::uint32_t>(leaf)) == cell) {
      result.push_back(static_cast<std::uint32_t>(leaf));
    }
  }
  return result;
}

}  // namespace mehler
