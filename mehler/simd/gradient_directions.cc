// The order of these includes matters to Highway.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mehler/simd/gradient_directions.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "mehler/simd/column_loops-inl.h"
// clang-format on

#include "mehler/simd/gradient_directions.h"

HWY_BEFORE_NAMESPACE();
namespace mehler {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// atan(r) 4/pi for r in [0, 1], error below 1e-6: the series of Abramowitz and Stegun, 4.4.49.
template <class Tag>
HWY_INLINE hn::Vec<Tag> eighths_of_arctangent(Tag d, hn::Vec<Tag> r) {
  constexpr float kSeries[] = {-0.0161657367F, 0.0429096138F, -0.0752896400F, 0.1065626393F,
                               -0.1420889944F, 0.1999355085F, -0.3333314528F, 1.0F};
  const auto square = hn::Mul(r, r);
  auto sum = hn::Set(d, 0.0028662257F);
  for (const float term : kSeries) {
    sum = hn::Add(hn::Mul(sum, square), hn::Set(d, term));  // not fused: not every machine can
  }
  return hn::Mul(hn::Mul(hn::Set(d, 1.2732395447F), r), sum);
}

/// The direction of (x, y), not both 0, in eighths of a turn, in [0, 8].
template <class Tag>
HWY_INLINE hn::Vec<Tag> eighths_of_turn(Tag d, hn::Vec<Tag> x, hn::Vec<Tag> y) {
  const auto zero = hn::Zero(d);
  const auto across = hn::Abs(x);
  const auto down = hn::Abs(y);
  const auto part = eighths_of_arctangent(d, hn::Div(hn::Min(across, down), hn::Max(across, down)));
  const auto quarter = hn::IfThenElse(hn::Lt(across, down), hn::Sub(hn::Set(d, 2.0F), part), part);
  const auto half = hn::IfThenElse(hn::Lt(x, zero), hn::Sub(hn::Set(d, 4.0F), quarter), quarter);
  return hn::IfThenElse(hn::Lt(y, zero), hn::Sub(hn::Set(d, 8.0F), half), half);
}

void directions_of_target(const PixelNeighbours& first, float scale, float faint,
                          std::span<float> lengths, std::span<float> directions) {
  for_columns(lengths.size(), [&](auto d, size_t c) HWY_ATTR {
    const auto factor = hn::Set(d, scale);
    const auto x =
        hn::Mul(factor, hn::Sub(hn::LoadU(d, first.right + c), hn::LoadU(d, first.left + c)));
    const auto y =
        hn::Mul(factor, hn::Sub(hn::LoadU(d, first.below + c), hn::LoadU(d, first.above + c)));
    const auto squares = hn::Add(hn::Mul(x, x), hn::Mul(y, y));
    const auto length = hn::Sqrt(hn::Add(squares, hn::Set(d, 1e-12F)));
    const auto clear = hn::Gt(length, hn::Set(d, faint));
    const auto clear_x = hn::IfThenElse(clear, x, hn::Set(d, 1.0F));
    const auto clear_y = hn::IfThenElseZero(clear, y);
    hn::StoreU(length, d, &lengths[c]);
    hn::StoreU(eighths_of_turn(d, clear_x, clear_y), d, &directions[c]);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace mehler
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mehler {
namespace {

HWY_EXPORT(directions_of_target);

}  // namespace

void gradient_directions(const PixelNeighbours& first, float scale, float faint,
                         std::span<float> lengths, std::span<float> directions) {
  HWY_DYNAMIC_DISPATCH(directions_of_target)(first, scale, faint, lengths, directions);
}

}  // namespace mehler
#endif  // HWY_ONCE
