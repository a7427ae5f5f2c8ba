#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mehler/measurement/private_counter.h"

namespace mehler {

/// Reads what nothing else can: exact sums. For tests alone.
struct PrivateCounterTestPeer {
  static std::vector<std::vector<std::int64_t>> sums(PrivateCounter& codes,
                                                     std::span<const FeatureBlock> blocks) {
    std::vector<std::vector<std::int64_t>> result;
    for (const FeatureBlock& block : blocks) {
      codes.prepare(std::span(&block, 1));  // one after the other: rounds may repeat a table
      const auto sums = codes.exact_sums(block);
      result.emplace_back(sums.begin(), sums.end());
    }
    return result;
  }
};

}  // namespace mehler
