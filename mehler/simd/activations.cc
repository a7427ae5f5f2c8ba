// The order of these includes matters to Highway.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mehler/simd/activations.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
// clang-format on

#include "mehler/simd/activations.h"

#include <hwy/aligned_allocator.h>

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace mehler {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Applies a vector function to all values; the rest that fills no vector goes through a buffer.
template <class Function>
HWY_INLINE void apply_to_all(std::span<float> values, const Function& function) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  size_t place = 0;
  for (; place + lanes <= values.size(); place += lanes) {
    hn::StoreU(function(d, hn::LoadU(d, &values[place])), d, &values[place]);
  }
  if (place < values.size()) {
    const auto rest = hwy::AllocateAligned<float>(lanes);
    std::fill_n(rest.get(), lanes, 0.0F);
    std::copy(values.begin() + static_cast<std::ptrdiff_t>(place), values.end(), rest.get());
    hn::Store(function(d, hn::Load(d, rest.get())), d, rest.get());
    std::copy_n(rest.get(), values.size() - place, &values[place]);
  }
}

void exponential_of_target(std::span<float> values) {
  apply_to_all(values, [](auto d, auto v) HWY_ATTR { return hn::Exp(d, v); });
}

void tanh_of_target(std::span<float> values) {
  apply_to_all(values, [](auto d, auto v) HWY_ATTR { return hn::Tanh(d, v); });
}

void logistic_of_target(std::span<float> values) {
  apply_to_all(values, [](auto d, auto v) HWY_ATTR {
    const auto one = hn::Set(d, 1.0F);
    // Beyond 80 the result is 0 or 1 in single precision.
    const auto bounded = hn::Min(hn::Max(v, hn::Set(d, -80.0F)), hn::Set(d, 80.0F));
    return hn::Div(one, hn::Add(one, hn::Exp(d, hn::Neg(bounded))));
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace mehler
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mehler {
namespace {

HWY_EXPORT(exponential_of_target);
HWY_EXPORT(tanh_of_target);
HWY_EXPORT(logistic_of_target);

}  // namespace

void exponential_in_place(std::span<float> values) {
  HWY_DYNAMIC_DISPATCH(exponential_of_target)(values);
}

void tanh_in_place(std::span<float> values) { HWY_DYNAMIC_DISPATCH(tanh_of_target)(values); }

void logistic_in_place(std::span<float> values) {
  HWY_DYNAMIC_DISPATCH(logistic_of_target)(values);
}

}  // namespace mehler
#endif  // HWY_ONCE
