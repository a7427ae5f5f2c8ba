// The order of these includes matters to Highway.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mehler/simd/max_pooling.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#include "mehler/simd/max_pooling.h"

#include <algorithm>

#include "mehler/core/error.h"

HWY_BEFORE_NAMESPACE();
namespace mehler {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Calls work(d, column) for vectors of floats, the longest that fit. The last one ends where the
/// columns end: what it repeats of the one before must not change by being done twice.
template <class Work>
HWY_INLINE void for_pooled_columns(size_t columns, const Work& work) {
  const auto with = [&](auto d) HWY_ATTR {
    const size_t lanes = hn::Lanes(d);
    for (size_t column = 0; column < columns; column += lanes) {
      work(d, std::min(column, columns - lanes));
    }
  };
  const hn::CappedTag<float, 8> wide;  // rows of small images have 7 or 14 pairs of pixels
  const hn::CappedTag<float, 4> narrow;
  if (columns >= hn::Lanes(wide)) {
    with(wide);
  } else if (columns >= hn::Lanes(narrow)) {
    with(narrow);
  } else {
    with(hn::CappedTag<float, 1>());
  }
}

/// Pixels at even and at odd places of a row, from 2 * column on.
template <class D>
struct PixelPairs {
  HWY_INLINE PixelPairs(D d, const float* row, size_t column) {
#if HWY_TARGET == HWY_SCALAR
    even = hn::LoadU(d, row + 2 * column);
    odd = hn::LoadU(d, row + 2 * column + 1);
#else
    hn::LoadInterleaved2(d, row + 2 * column, even, odd);
#endif
  }
  hn::Vec<D> even;
  hn::Vec<D> odd;
};

template <class D>
HWY_INLINE void store_pairs(D d, hn::Vec<D> even, hn::Vec<D> odd, float* row, size_t column) {
#if HWY_TARGET == HWY_SCALAR
  hn::StoreU(even, d, row + 2 * column);
  hn::StoreU(odd, d, row + 2 * column + 1);
#else
  hn::StoreInterleaved2(even, odd, d, row + 2 * column);
#endif
}

void max_pool_of_target(const float* images, size_t planes, size_t rows, size_t columns,
                        float* results) {
  const size_t pooled = columns / 2;
  for (size_t plane = 0; plane < planes; ++plane) {
    for (size_t y = 0; y < rows / 2; ++y) {
      const float* upper = images + (plane * rows + 2 * y) * columns;
      float* result = results + (plane * (rows / 2) + y) * pooled;
      for_pooled_columns(pooled, [&](auto d, size_t x) HWY_ATTR {
        const PixelPairs above(d, upper, x);
        const PixelPairs below(d, upper + columns, x);
        hn::StoreU(hn::Max(hn::Max(above.even, above.odd), hn::Max(below.even, below.odd)), d,
                   result + x);
      });
    }
  }
}

void max_pool_gradient_of_target(const float* images, const float* slopes, size_t planes,
                                 size_t rows, size_t columns, float* gradient) {
  const size_t pooled = columns / 2;
  if (rows % 2 != 0 || columns % 2 != 0) {
    std::fill_n(gradient, planes * rows * columns, 0.0F);
  }
  for (size_t plane = 0; plane < planes; ++plane) {
    for (size_t y = 0; y < rows / 2; ++y) {
      const size_t first = (plane * rows + 2 * y) * columns;
      const float* upper = images + first;
      const float* of_results = slopes + (plane * (rows / 2) + y) * pooled;
      for_pooled_columns(pooled, [&](auto d, size_t x) HWY_ATTR {
        const PixelPairs above(d, upper, x);
        const PixelPairs below(d, upper + columns, x);
        const auto slope = hn::LoadU(d, of_results + x);
        const auto highest_above = hn::Max(above.even, above.odd);
        const auto highest_below = hn::Max(below.even, below.odd);
        // Of equals the first: rows before columns.
        const auto is_above = hn::Ge(highest_above, highest_below);
        const auto to_above = hn::IfThenElseZero(is_above, slope);
        const auto to_below = hn::IfThenZeroElse(is_above, slope);
        const auto even_above = hn::Ge(above.even, above.odd);
        const auto even_below = hn::Ge(below.even, below.odd);
        store_pairs(d, hn::IfThenElseZero(even_above, to_above),
                    hn::IfThenZeroElse(even_above, to_above), gradient + first, x);
        store_pairs(d, hn::IfThenElseZero(even_below, to_below),
                    hn::IfThenZeroElse(even_below, to_below), gradient + first + columns, x);
      });
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace mehler
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mehler {
namespace {

HWY_EXPORT(max_pool_of_target);
HWY_EXPORT(max_pool_gradient_of_target);

}  // namespace

void max_pool(const float* images, std::size_t planes, std::size_t rows, std::size_t columns,
              float* results) {
  MEHLER_ASSERT(rows >= 2 && columns >= 2);
  HWY_DYNAMIC_DISPATCH(max_pool_of_target)(images, planes, rows, columns, results);
}

void max_pool_gradient(const float* images, const float* slopes, std::size_t planes,
                       std::size_t rows, std::size_t columns, float* gradient) {
  MEHLER_ASSERT(rows >= 2 && columns >= 2);
  HWY_DYNAMIC_DISPATCH(max_pool_gradient_of_target)
  (images, slopes, planes, rows, columns, gradient);
}

}  // namespace mehler
#endif  // HWY_ONCE
