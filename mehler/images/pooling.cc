#include "mehler/images/pooling.h"

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/core/wiping.h"
#include "mehler/simd/row_combination.h"

namespace mehler {

std::vector<PoolingWindow> pooling_windows(std::size_t pixels, std::size_t cells, double margin) {
  MEHLER_ASSERT(pixels > 0 && cells > 0 && margin >= 0.0);
  const auto side = static_cast<double>(pixels);
  const double cell = side / static_cast<double>(cells);
  std::vector<PoolingWindow> windows(cells);
  for (std::size_t i = 0; i < cells; ++i) {
    const double begin = std::max((static_cast<double>(i) - margin) * cell, 0.0);
    const double end = std::min((static_cast<double>(i + 1) + margin) * cell, side);
    windows[i].first = std::min(static_cast<std::size_t>(begin), pixels - 1);
    const std::size_t last = std::min(static_cast<std::size_t>(std::ceil(end)), pixels);
    for (std::size_t p = windows[i].first; p < last; ++p) {
      const double covered =
          std::min(static_cast<double>(p + 1), end) - std::max(static_cast<double>(p), begin);
      windows[i].weights.push_back(static_cast<float>(std::max(covered, 0.0) / (end - begin)));
    }
  }
  return windows;
}

Pooling::Pooling(std::size_t rows, std::size_t columns, std::size_t depth, std::size_t cells_down,
                 std::size_t cells_across, double margin)
    : columns_(columns),
      depth_(depth),
      down_(pooling_windows(rows, cells_down, margin)),
      across_(pooling_windows(columns, cells_across, margin)) {}

void Pooling::apply(std::span<const float> field, std::span<float> pooled) const {
  const std::size_t width = columns_ * depth_;
  MEHLER_ASSERT(pooled.size() == down_.size() * across_.size() * depth_);
  WipedVector<float> sums(width);
  float* result = pooled.data();
  for (const PoolingWindow& down : down_) {
    combine_rows(down.weights, &field[down.first * width], width, sums);
    for (const PoolingWindow& across : across_) {
      for (std::size_t channel = 0; channel < depth_; ++channel) {
        const float* value = &sums[across.first * depth_ + channel];
        float sum = 0.0F;
        for (const float weight : across.weights) {
          sum += weight * *value;
          value += depth_;
        }
        *result++ = sum;
      }
    }
  }
}

}  // namespace mehler
