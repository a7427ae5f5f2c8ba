#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mehler {

/// A mean of weights over the last steps of a training, which circles around where it would go.
class RunningMean {
 public:
  /// `kept`, in [0, 1): what stays of the mean in a step, which so reaches back over 1 / (1 - kept)
  /// steps or so; over a tenth of the steps where that is less, if it does not begin with weights.
  explicit RunningMean(double kept, std::span<const float> first = {})
      : kept_(kept), begins_with_weights_(!first.empty()), mean_(first.begin(), first.end()) {}

  /// The weights after one more step; as many in each.
  void add(std::span<const float> weights) {
    mean_.resize(weights.size());
    const auto steps = static_cast<double>(steps_++);
    const auto kept =
        static_cast<float>(begins_with_weights_ ? kept_ : std::min(kept_, steps / (9.0 + steps)));
    for (std::size_t i = 0; i < weights.size(); ++i) {
      mean_[i] = kept * mean_[i] + (1.0F - kept) * weights[i];
    }
  }

  /// Nothing before the first step.
  std::span<const float> mean() const { return mean_; }

 private:
  double kept_;
  bool begins_with_weights_;
  std::uint64_t steps_ = 0;
  std::vector<float> mean_;
};

}  // namespace mehler
