// The order of these includes matters to Highway.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mehler/simd/fourier_batch.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
#include "mehler/simd/column_loops-inl.h"
// clang-format on

#include "mehler/simd/fourier_batch.h"

HWY_BEFORE_NAMESPACE();
namespace mehler {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void add_sums_of_target(const float* angles, size_t rows, size_t count, float* cosines,
                        float* sines) {
  for_columns(count, [&](auto d, size_t j) HWY_ATTR {
    auto cosine = hn::LoadU(d, cosines + j);
    auto sine = hn::LoadU(d, sines + j);
    for (size_t r = 0; r < rows; ++r) {
      const auto angle = hn::LoadU(d, angles + r * count + j);
      cosine = hn::Add(cosine, hn::Cos(d, angle));
      sine = hn::Add(sine, hn::Sin(d, angle));
    }
    hn::StoreU(cosine, d, cosines + j);
    hn::StoreU(sine, d, sines + j);
  });
}

void replace_by_slopes_of_target(float* angles, size_t rows, size_t count,
                                 const float* cosine_weights, const float* sine_weights) {
  for_columns(count, [&](auto d, size_t j) HWY_ATTR {
    const auto cosine_weight = hn::LoadU(d, cosine_weights + j);
    const auto sine_weight = hn::LoadU(d, sine_weights + j);
    for (size_t r = 0; r < rows; ++r) {
      float* place = angles + r * count + j;
      const auto angle = hn::LoadU(d, place);
      const auto slope =
          hn::NegMulAdd(cosine_weight, hn::Sin(d, angle), hn::Mul(sine_weight, hn::Cos(d, angle)));
      hn::StoreU(slope, d, place);
    }
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace mehler
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mehler {
namespace {

HWY_EXPORT(add_sums_of_target);
HWY_EXPORT(replace_by_slopes_of_target);

}  // namespace

void add_cosine_sine_sums(const float* angles, std::size_t rows, std::size_t count, float* cosines,
                          float* sines) {
  HWY_DYNAMIC_DISPATCH(add_sums_of_target)(angles, rows, count, cosines, sines);
}

void replace_by_slopes(float* angles, std::size_t rows, std::size_t count,
                       const float* cosine_weights, const float* sine_weights) {
  HWY_DYNAMIC_DISPATCH(replace_by_slopes_of_target)
  (angles, rows, count, cosine_weights, sine_weights);
}

}  // namespace mehler
#endif  // HWY_ONCE
