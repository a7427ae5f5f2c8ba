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

/// Calls work(d, i) for vectors of places, and for single ones at the end.
template <class Work>
HWY_INLINE void for_places(size_t count, const Work& work) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    work(d, i);
  }
  for (; i < count; ++i) {
    work(hn::CappedTag<float, 1>(), i);
  }
}

void rectify_of_target(std::span<const float> values, float* results) {
  for_places(values.size(), [&](auto d, size_t i) HWY_ATTR {
    const auto value = hn::LoadU(d, &values[i]);
    hn::StoreU(hn::IfThenZeroElse(hn::Lt(value, hn::Zero(d)), value), d, results + i);
  });
}

void rectifier_gradient_of_target(std::span<const float> rectified, const float* slopes,
                                  float* gradient) {
  for_places(rectified.size(), [&](auto d, size_t i) HWY_ATTR {
    const auto is_above = hn::Gt(hn::LoadU(d, &rectified[i]), hn::Zero(d));
    hn::StoreU(hn::IfThenElseZero(is_above, hn::LoadU(d, slopes + i)), d, gradient + i);
  });
}

void leaky_gradient_of_target(std::span<const float> rectified, const float* slopes, float leak,
                              float* gradient) {
  for_places(rectified.size(), [&](auto d, size_t i) HWY_ATTR {
    const auto is_above = hn::Gt(hn::LoadU(d, &rectified[i]), hn::Zero(d));
    const auto slope = hn::LoadU(d, slopes + i);
    hn::StoreU(hn::IfThenElse(is_above, slope, hn::Mul(slope, hn::Set(d, leak))), d, gradient + i);
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
HWY_EXPORT(rectify_of_target);
HWY_EXPORT(rectifier_gradient_of_target);
HWY_EXPORT(leaky_gradient_of_target);

}  // namespace

void exponential_in_place(std::span<float> values) {
  HWY_DYNAMIC_DISPATCH(exponential_of_target)(values);
}

void tanh_in_place(std::span<float> values) { HWY_DYNAMIC_DISPATCH(tanh_of_target)(values); }

void logistic_in_place(std::span<float> values) {
  HWY_DYNAMIC_DISPATCH(logistic_of_target)(values);
}

void rectify(std::span<const float> values, float* results) {
  HWY_DYNAMIC_DISPATCH(rectify_of_target)(values, results);
}

void rectifier_gradient(std::span<const float> rectified, const float* slopes, float* gradient) {
  HWY_DYNAMIC_DISPATCH(rectifier_gradient_of_target)(rectified, slopes, gradient);
}

void rectify_leaky(std::span<const float> values, float leak, float* results) {
  leaky_gradient(values, values.data(), leak, results);
}

void leaky_gradient(std::span<const float> rectified, const float* slopes, float leak,
                    float* gradient) {
  HWY_DYNAMIC_DISPATCH(leaky_gradient_of_target)(rectified, slopes, leak, gradient);
}

}  // namespace mehler
#endif  // HWY_ONCE
