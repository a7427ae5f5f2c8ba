#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mehler/embedding/private_codes.h"

namespace mehler {

/// Reads what nothing else can: exact sums. For tests alone.
struct PrivateCodesTestPeer {
  static std::vector<std::vector<std::int64_t>> sums(PrivateCodes& codes,
                                                     std::span<const FeatureBlock> blocks) {
    codes.prepare(blocks);
    std::vector<std::vector<std::int64_t>> result;
    for (const FeatureBlock& block : blocks) {
      result.push_back(codes.exact_sums(block));
    }
    return result;
  }
};

}  // namespace mehler
