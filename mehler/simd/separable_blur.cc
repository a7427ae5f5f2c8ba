// The order of these includes matters to Highway.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mehler/simd/separable_blur.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#include "mehler/simd/separable_blur.h"

#include <algorithm>

#include "mehler/core/error.h"

#ifndef MEHLER_SIMD_SEPARABLE_BLUR_ONCE_
#define MEHLER_SIMD_SEPARABLE_BLUR_ONCE_
namespace mehler {

struct BlurTask {
  std::span<const float> weights;
  const float* field;
  std::size_t rows;
  std::size_t columns;
  float* scratch;
  float* blurred;
};

}  // namespace mehler
#endif  // MEHLER_SIMD_SEPARABLE_BLUR_ONCE_

HWY_BEFORE_NAMESPACE();
namespace mehler {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Two vectors of columns at a time; the last ones end where the row ends and repeat what overlaps.
template <class Tag>
HWY_INLINE void sum_row(Tag d, const float* weights, size_t count, const float* from, size_t stride,
                        size_t columns, float* HWY_RESTRICT to) {
  const size_t lanes = hn::Lanes(d);
  const size_t last = columns - lanes;
  for (size_t column = 0; column < columns; column += 2 * lanes) {
    const size_t left = std::min(column, last);
    const size_t right = std::min(column + lanes, last);
    auto left_sum = hn::Zero(d);
    auto right_sum = hn::Zero(d);
    const float* row = from;
    for (size_t i = 0; i < count; ++i, row += stride) {
      const auto weight = hn::Set(d, weights[i]);
      left_sum = hn::Add(left_sum, hn::Mul(weight, hn::LoadU(d, row + left)));
      right_sum = hn::Add(right_sum, hn::Mul(weight, hn::LoadU(d, row + right)));
    }
    hn::StoreU(left_sum, d, to + left);
    hn::StoreU(right_sum, d, to + right);
  }
}

template <class Tag>
HWY_INLINE void blur_by_vectors(Tag d, const BlurTask& task) {
  const size_t radius = task.weights.size() / 2;
  const size_t width = task.columns + 2 * radius;
  // Down: rows outside of the picture are left out.
  for (size_t r = 0; r < task.rows; ++r) {
    float* to = task.scratch + r * width;
    std::fill_n(to, radius, 0.0F);
    std::fill_n(to + radius + task.columns, radius, 0.0F);
    const size_t first = r < radius ? radius - r : 0;
    const size_t end = std::min(task.weights.size(), task.rows + radius - r);
    sum_row(d, task.weights.data() + first, end - first,
            task.field + (r + first - radius) * task.columns, task.columns, task.columns,
            to + radius);
  }
  for (size_t r = 0; r < task.rows; ++r) {
    sum_row(d, task.weights.data(), task.weights.size(), task.scratch + r * width, 1, task.columns,
            task.blurred + r * task.columns);
  }
}

void blur_of_target(const BlurTask& task) {
  const hn::ScalableTag<float> whole;
  const hn::CappedTag<float, 4> small;
  if (task.columns >= hn::Lanes(whole)) {
    blur_by_vectors(whole, task);
  } else if (task.columns >= hn::Lanes(small)) {
    blur_by_vectors(small, task);
  } else {
    blur_by_vectors(hn::CappedTag<float, 1>(), task);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace mehler
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mehler {
namespace {

HWY_EXPORT(blur_of_target);

}  // namespace

void separable_blur(std::span<const float> weights, const float* field, std::size_t rows,
                    std::size_t columns, std::span<float> scratch, float* blurred) {
  MEHLER_ASSERT(weights.size() % 2 == 1 && scratch.size() >= rows * (columns + weights.size() - 1));
  HWY_DYNAMIC_DISPATCH(blur_of_target)
  ({weights, field, rows, columns, scratch.data(), blurred});
}

}  // namespace mehler
#endif  // HWY_ONCE
