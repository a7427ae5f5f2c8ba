// The order of these includes matters to Highway.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mehler/simd/outline_pixels.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#include "mehler/simd/outline_pixels.h"

#include "mehler/core/error.h"

HWY_BEFORE_NAMESPACE();
namespace mehler {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Calls work(d, place) for vectors of doubles, then for single ones that fill no vector.
template <class Work>
HWY_INLINE void for_doubles(size_t count, const Work& work) {
  const hn::ScalableTag<double> d;
  const size_t lanes = hn::Lanes(d);
  size_t place = 0;
  for (; place + lanes <= count; place += lanes) {
    work(d, place);
  }
  for (; place < count; ++place) {
    work(hn::CappedTag<double, 1>(), place);
  }
}

void signed_roots_of_target(std::span<const double> heights, std::span<const double> first,
                            std::span<const double> second, std::span<double> distances) {
  for_doubles(heights.size(), [&](auto d, size_t i) HWY_ATTR {
    const auto root = hn::Sqrt(hn::Min(hn::LoadU(d, &first[i]), hn::LoadU(d, &second[i])));
    const auto inside = hn::Gt(hn::LoadU(d, &heights[i]), hn::Zero(d));
    hn::StoreU(hn::IfThenElse(inside, hn::Neg(root), root), d, &distances[i]);
  });
}

void show_inside_of_target(std::span<const double> values, std::span<const double> distances,
                           double reach, double black, std::span<float> shown) {
  for_doubles(values.size(), [&](auto d, size_t i) HWY_ATTR {
    const hn::Rebind<float, decltype(d)> floats;
    const auto one = hn::Set(d, 1.0);
    const auto zero = hn::Zero(d);
    const auto value = hn::Min(hn::Max(hn::LoadU(d, &values[i]), zero), one);
    const auto part = hn::Sub(one, hn::Mul(hn::Set(d, reach), hn::LoadU(d, &distances[i])));
    const auto seen = hn::Mul(value, hn::Min(hn::Max(part, zero), one));
    const auto lit = hn::IfThenElseZero(hn::Ge(seen, hn::Set(d, black)), seen);
    hn::StoreU(hn::DemoteTo(floats, lit), floats, &shown[i]);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace mehler
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mehler {
namespace {

HWY_EXPORT(signed_roots_of_target);
HWY_EXPORT(show_inside_of_target);

}  // namespace

void signed_roots(std::span<const double> heights, std::span<const double> first,
                  std::span<const double> second, std::span<double> distances) {
  MEHLER_ASSERT(first.size() == heights.size() && second.size() == heights.size() &&
                distances.size() == heights.size());
  HWY_DYNAMIC_DISPATCH(signed_roots_of_target)(heights, first, second, distances);
}

void show_inside(std::span<const double> values, std::span<const double> distances, double reach,
                 double black, std::span<float> shown) {
  MEHLER_ASSERT(distances.size() == values.size() && shown.size() == values.size());
  HWY_DYNAMIC_DISPATCH(show_inside_of_target)(values, distances, reach, black, shown);
}

}  // namespace mehler
#endif  // HWY_ONCE
