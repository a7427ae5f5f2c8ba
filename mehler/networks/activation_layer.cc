#include <algorithm>

#include "mehler/networks/layers.h"
#include "mehler/simd/activations.h"

namespace mehler {

void ActivationLayer::forward(const float* below, std::size_t rows, const float* /*parameters*/,
                              float* results) const {
  const std::size_t count = rows * size;
  if (function == Function::kRectifier) {
    rectify({below, count}, results);
    return;
  }
  if (function == Function::kLeakyRectifier) {
    rectify_leaky({below, count}, kLeak, results);
    return;
  }
  if (results != below) {
    std::copy_n(below, count, results);
  }
  logistic_in_place({results, count});
}

void ActivationLayer::backward(const float* slopes, std::size_t rows, const float* kept,
                               const float* /*parameters*/, float* below_slopes) const {
  const std::size_t count = rows * size;
  if (function == Function::kRectifier) {
    rectifier_gradient({kept, count}, slopes, below_slopes);
    return;
  }
  if (function == Function::kLeakyRectifier) {
    leaky_gradient({kept, count}, slopes, kLeak, below_slopes);
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    below_slopes[i] = slopes[i] * kept[i] * (1.0F - kept[i]);
  }
}

}  // namespace mehler
