// The order of these includes matters to Highway.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mehler/simd/chebyshev_columns.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "mehler/simd/column_loops-inl.h"
// clang-format on

#include "mehler/simd/chebyshev_columns.h"

#include <algorithm>

#include "mehler/core/error.h"

HWY_BEFORE_NAMESPACE();
namespace mehler {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void fill_moments_of_target(const float* values, size_t stride, size_t rows, size_t columns,
                            size_t terms, float* moments) {
  const size_t odd = chebyshev_row(1, terms) * columns;
  for_columns(columns, [&](auto d, size_t column) HWY_ATTR {
    float* even_sums = moments + column;
    float* odd_sums = moments + odd + column;
    hn::StoreU(hn::Set(d, static_cast<float>(rows)), d, even_sums);
    for (size_t row = 0; row < rows; ++row) {
      const auto x = hn::LoadU(d, values + row * stride + column);
      const auto twice = hn::Add(x, x);
      auto before = hn::Set(d, 1.0F);
      auto now = x;
      for (size_t j = 1; j < terms; ++j) {
        float* place = (j % 2 == 0 ? even_sums : odd_sums) + j / 2 * columns;
        hn::StoreU(row == 0 ? now : hn::Add(now, hn::LoadU(d, place)), d, place);
        const auto next = hn::MulSub(twice, now, before);
        before = now;
        now = next;
      }
    }
  });
}

/// Clenshaw's recursion, backwards.
void evaluate_columns_of_target(const float* values, size_t stride, size_t rows, size_t columns,
                                size_t terms, const float* coefficients, float* results) {
  const size_t odd = chebyshev_row(1, terms) * columns;
  for_columns(columns, [&](auto d, size_t column) HWY_ATTR {
    for (size_t row = 0; row < rows; ++row) {
      const auto x = hn::LoadU(d, values + row * stride + column);
      const auto twice = hn::Add(x, x);
      auto above = hn::Zero(d);
      auto now = hn::Zero(d);
      for (size_t j = terms - 1; j >= 1; --j) {
        const float* place = coefficients + (j % 2 == 0 ? 0 : odd) + j / 2 * columns + column;
        const auto next = hn::Add(hn::LoadU(d, place), hn::MulSub(twice, now, above));
        above = now;
        now = next;
      }
      const auto sum = hn::Add(hn::LoadU(d, coefficients + column), hn::MulSub(x, now, above));
      hn::StoreU(sum, d, results + row * stride + column);
    }
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace mehler
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mehler {
namespace {

HWY_EXPORT(fill_moments_of_target);
HWY_EXPORT(evaluate_columns_of_target);

}  // namespace

void fill_chebyshev_moments(const float* values, std::size_t stride, std::size_t rows,
                            std::size_t columns, std::size_t terms, float* moments) {
  MEHLER_ASSERT(rows >= 1 && terms >= 2 && stride >= columns);
  HWY_DYNAMIC_DISPATCH(fill_moments_of_target)(values, stride, rows, columns, terms, moments);
}

void evaluate_chebyshev_columns(const float* values, std::size_t stride, std::size_t rows,
                                std::size_t columns, std::size_t terms, const float* coefficients,
                                float* results) {
  MEHLER_ASSERT(terms >= 1 && stride >= columns);
  HWY_DYNAMIC_DISPATCH(evaluate_columns_of_target)
  (values, stride, rows, columns, terms, coefficients, results);
}

}  // namespace mehler
#endif  // HWY_ONCE
