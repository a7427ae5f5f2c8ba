#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mehler/measurement/private_counter.h"

namespace mehler {

/// Reads what nothing else can: exact counts, in multiples of their block's grid. For tests alone.
struct PrivateCounterTestPeer {
  static std::vector<std::vector<std::int64_t>> sums(PrivateCounter& counter,
                                                     std::span<const CountBlock> blocks) {
    std::vector<std::vector<std::int64_t>> result;
    for (const CountBlock& block : blocks) {
      // One after the other: rounds may repeat a table.
      counter.count_tables(std::span(&block, 1), Context{});
      std::vector<std::int64_t>& sums = result.emplace_back();
      for (const std::int64_t count : counter.exact_counts(block, Context{})) {
        sums.push_back(count * (std::int64_t{1} << block.grid_exponent()));
      }
    }
    return result;
  }

  static std::vector<std::int64_t> scores(const PrivateCounter& counter) {
    return {counter.scores_.begin(), counter.scores_.end()};
  }
};

}  // namespace mehler
