#pragma once

#include <cstdint>
#include <vector>

#include "mehler/measurement/embedding.h"

namespace mehler {

/// Lets tests see the exact sums. Exists only under tests/.
struct EmbeddingTestPeer {
  static std::vector<std::vector<std::int64_t>> sums(const Embedding& embedding) {
    std::vector<std::vector<std::int64_t>> result;
    for (const auto& sums : embedding.sums_) {
      result.emplace_back(sums.begin(), sums.end());
    }
    return result;
  }
  static std::uint64_t rows(const Embedding& embedding) { return embedding.rows_; }
};

}  // namespace mehler
