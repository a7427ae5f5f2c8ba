// The order of these includes matters to Highway.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mehler/simd/adam_step.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "mehler/simd/column_loops-inl.h"
// clang-format on

#include "mehler/simd/adam_step.h"

HWY_BEFORE_NAMESPACE();
namespace mehler {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void adam_step_of_target(const AdamNumbers& numbers, float first_share, float second_share,
                         float rate) {
  for_columns(numbers.count, [&](auto d, size_t i) HWY_ATTR {
    // `mean` moved by a share of the way to `value`; no fused multiply-add.
    const auto moved = [&](float* mean, auto value, float share) HWY_ATTR {
      const auto old = hn::LoadU(d, mean + i);
      const auto result = hn::Add(old, hn::Mul(hn::Set(d, share), hn::Sub(value, old)));
      hn::StoreU(result, d, mean + i);
      return result;
    };
    const auto gradient = hn::LoadU(d, numbers.gradient + i);
    const auto first = moved(numbers.first, gradient, first_share);
    const auto second = moved(numbers.second, hn::Mul(gradient, gradient), second_share);
    const auto step =
        hn::Div(hn::Mul(hn::Set(d, rate), first), hn::Add(hn::Sqrt(second), hn::Set(d, 1e-8F)));
    float* const parameters = numbers.parameters + i;
    hn::StoreU(hn::Sub(hn::LoadU(d, parameters), step), d, parameters);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace mehler
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mehler {
namespace {

HWY_EXPORT(adam_step_of_target);

}  // namespace

void adam_step(const AdamNumbers& numbers, float first_share, float second_share, float rate) {
  HWY_DYNAMIC_DISPATCH(adam_step_of_target)(numbers, first_share, second_share, rate);
}

}  // namespace mehler
#endif  // HWY_ONCE
