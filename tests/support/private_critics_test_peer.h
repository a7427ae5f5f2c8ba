#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mehler/core/error.h"
#include "mehler/measurement/internal/private_critic.h"
#include "mehler/measurement/private_critics.h"

namespace mehler {

/// Reaches what nothing else can: private critics, and what they say without noise. For tests
/// alone.
struct PrivateCriticsTestPeer {
  static std::vector<std::int64_t> exact_gradient(PrivateCritics& critics, std::size_t critic,
                                                  std::span<const float> generated,
                                                  double clip_norm, std::size_t numbers) {
    std::vector<std::int64_t> gradient(numbers);
    critics.clipped_gradient(critic, generated, clip_norm, gradient);
    return gradient;
  }
  static std::vector<std::vector<std::uint32_t>> shards(const PrivateCritics& critics) {
    std::vector<std::vector<std::uint32_t>> result;
    for (const auto& shard : critics.shards_) {
      result.emplace_back(shard.begin(), shard.end());
    }
    return result;
  }
  static std::vector<float> weights(const PrivateCritics& critics, std::size_t critic) {
    const auto& parameters = critics.critics_[critic].parameters;
    return {parameters.begin(), parameters.end()};
  }
  static void set_weights(PrivateCritics& critics, std::size_t critic,
                          const std::vector<float>& weights) {
    MEHLER_ASSERT(weights.size() == critics.critics_[critic].parameters.size());
    std::copy(weights.begin(), weights.end(), critics.critics_[critic].parameters.begin());
  }
};

}  // namespace mehler
