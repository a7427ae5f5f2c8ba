// The order of these includes matters to Highway.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mehler/simd/exact_products.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#include "mehler/simd/exact_products.h"

#include <hwy/aligned_allocator.h>

#include <algorithm>

#include "mehler/core/wiping.h"

#ifndef MEHLER_SIMD_EXACT_PRODUCTS_ONCE_
#define MEHLER_SIMD_EXACT_PRODUCTS_ONCE_
namespace mehler {

/// A product as the kernels see it.
struct ExactProducts {
  std::size_t rows;
  const double* a;
  std::size_t a_stride;
  std::size_t m;
  const double* b;
  std::size_t b_stride;
  std::size_t n;
  double* sums;
  std::size_t sums_stride;
};

/// Rows whose numbers of b stay in a core's cache while all of a is gone through.
constexpr std::size_t kExactDepth = 128;

}  // namespace mehler
#endif  // MEHLER_SIMD_EXACT_PRODUCTS_ONCE_

HWY_BEFORE_NAMESPACE();
namespace mehler {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// kColumns columns of a by two vectors of columns of b, in registers. `panel` has those of b, one
/// row after the other: where rows are as far apart as a power of two, their own places would share
/// a few lines of the cache.
template <size_t kColumns, class Tag>
HWY_INLINE void add_tile(Tag d, const ExactProducts& task, const double* panel, size_t first_row,
                         size_t rows, size_t i, size_t left, size_t right) {
  using Vector = hn::Vec<Tag>;
  Vector left_sums[kColumns];
  Vector right_sums[kColumns];
  for (size_t c = 0; c < kColumns; ++c) {
    left_sums[c] = hn::Zero(d);
    right_sums[c] = hn::Zero(d);
  }
  const double* HWY_RESTRICT a = task.a + first_row * task.a_stride + i;
  const double* HWY_RESTRICT b = panel;
  for (size_t row = 0; row < rows; ++row) {
    const Vector of_left = hn::LoadU(d, b);
    const Vector of_right = hn::LoadU(d, b + hn::Lanes(d));
    for (size_t c = 0; c < kColumns; ++c) {
      const Vector factor = hn::Set(d, a[c]);
      left_sums[c] = hn::MulAdd(factor, of_left, left_sums[c]);
      right_sums[c] = hn::MulAdd(factor, of_right, right_sums[c]);
    }
    a += task.a_stride;
    b += 2 * hn::Lanes(d);
  }
  for (size_t c = 0; c < kColumns; ++c) {
    double* const place = task.sums + (i + c) * task.sums_stride;
    hn::StoreU(hn::Add(hn::LoadU(d, place + left), left_sums[c]), d, place + left);
    if (right != left) {
      hn::StoreU(hn::Add(hn::LoadU(d, place + right), right_sums[c]), d, place + right);
    }
  }
}

template <class Tag>
HWY_INLINE void add_columns(Tag d, const ExactProducts& task, double* panel, size_t first_row,
                            size_t rows, size_t left, size_t right) {
  constexpr size_t kColumns = 4;
  const size_t lanes = hn::Lanes(d);
  for (size_t row = 0; row < rows; ++row) {
    const double* const b = task.b + (first_row + row) * task.b_stride;
    hn::StoreU(hn::LoadU(d, b + left), d, panel + 2 * row * lanes);
    hn::StoreU(hn::LoadU(d, b + right), d, panel + (2 * row + 1) * lanes);
  }
  size_t i = 0;
  for (; i + kColumns <= task.m; i += kColumns) {
    add_tile<kColumns>(d, task, panel, first_row, rows, i, left, right);
  }
  for (; i < task.m; ++i) {
    add_tile<1>(d, task, panel, first_row, rows, i, left, right);
  }
}

/// Pairs of vectors, then one, then single numbers.
void add_exact_products_of_target(const ExactProducts& task) {
  const hn::ScalableTag<double> d;
  const size_t lanes = hn::Lanes(d);
  const size_t panel_size = 2 * lanes * std::min(kExactDepth, task.rows);
  const auto panel = hwy::AllocateAligned<double>(panel_size);
  for (size_t first = 0; first < task.rows; first += kExactDepth) {
    const size_t rows = std::min(kExactDepth, task.rows - first);
    size_t j = 0;
    for (; j + 2 * lanes <= task.n; j += 2 * lanes) {
      add_columns(d, task, panel.get(), first, rows, j, j + lanes);
    }
    for (; j + lanes <= task.n; j += lanes) {
      add_columns(d, task, panel.get(), first, rows, j, j);
    }
    for (; j < task.n; ++j) {
      add_columns(hn::CappedTag<double, 1>(), task, panel.get(), first, rows, j, j);
    }
  }
  wipe_memory(panel.get(), panel_size * sizeof(double));
}

}  // namespace HWY_NAMESPACE
}  // namespace mehler
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mehler {
namespace {

HWY_EXPORT(add_exact_products_of_target);

}  // namespace

void add_exact_products(std::size_t rows, const double* a, std::size_t a_stride, std::size_t m,
                        const double* b, std::size_t b_stride, std::size_t n, double* sums,
                        std::size_t sums_stride) {
  HWY_DYNAMIC_DISPATCH(add_exact_products_of_target)
  (ExactProducts{rows, a, a_stride, m, b, b_stride, n, sums, sums_stride});
}

}  // namespace mehler
#endif  // HWY_ONCE
