// The order of these includes matters to Highway.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mehler/simd/pixel_changes.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "mehler/simd/column_loops-inl.h"
// clang-format on

#include "mehler/simd/pixel_changes.h"

#include <algorithm>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace mehler {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Vectors of columns; the last one of a row ends where the row ends and repeats what overlaps.
template <class Tag>
HWY_INLINE void warp_by_vectors(Tag d, const BorderedPicture& from, const float* down,
                                const float* across, float* image) {
  const hn::RebindToSigned<Tag> di;
  const size_t lanes = hn::Lanes(d);
  const size_t channels = from.channels;
  const auto width = static_cast<int32_t>((from.columns + 3) * channels);
  const auto one = hn::Set(d, 1.0F);
  const auto zero = hn::Zero(d);
  const auto lowest = hn::Set(d, static_cast<float>(from.rows + 1));
  const auto furthest = hn::Set(d, static_cast<float>(from.columns + 1));
  for (size_t r = 0; r < from.rows; ++r) {
    const auto row = hn::Set(d, static_cast<float>(r + 1));
    for (size_t column = 0; column < from.columns; column += lanes) {
      const size_t c = std::min(column, from.columns - lanes);
      const size_t place = r * from.columns + c;
      const auto columns = hn::Iota(d, static_cast<float>(c + 1));
      const auto y = hn::Min(hn::Max(hn::Add(row, hn::LoadU(d, down + place)), zero), lowest);
      const auto x =
          hn::Min(hn::Max(hn::Add(columns, hn::LoadU(d, across + place)), zero), furthest);
      const auto top = hn::ConvertTo(di, y);
      const auto left = hn::ConvertTo(di, x);
      const auto below = hn::Sub(y, hn::ConvertTo(d, top));
      const auto right = hn::Sub(x, hn::ConvertTo(d, left));
      const auto above = hn::Sub(one, below);
      const auto before = hn::Sub(one, right);
      const auto corner = hn::Add(hn::Mul(top, hn::Set(di, width)),
                                  hn::Mul(left, hn::Set(di, static_cast<int32_t>(channels))));
      for (size_t channel = 0; channel < channels; ++channel) {
        const float* first = from.pixels + channel;
        const auto upper = hn::Add(hn::Mul(before, hn::GatherIndex(d, first, corner)),
                                   hn::Mul(right, hn::GatherIndex(d, first + channels, corner)));
        const auto lower =
            hn::Add(hn::Mul(before, hn::GatherIndex(d, first + width, corner)),
                    hn::Mul(right, hn::GatherIndex(d, first + width + channels, corner)));
        const auto value = hn::Add(hn::Mul(above, upper), hn::Mul(below, lower));
        if (channels == 1) {
          hn::StoreU(value, d, image + place);
        } else {
          const auto places = hn::Mul(hn::Iota(di, 0), hn::Set(di, static_cast<int32_t>(channels)));
          hn::ScatterIndex(value, d, image + place * channels + channel, places);
        }
      }
    }
  }
}

void warp_of_target(const BorderedPicture& from, const float* down, const float* across,
                    float* image) {
  const hn::ScalableTag<float> whole;
  const hn::CappedTag<float, 4> small;
  if (from.columns >= hn::Lanes(whole)) {
    warp_by_vectors(whole, from, down, across, image);
  } else if (from.columns >= hn::Lanes(small)) {
    warp_by_vectors(small, from, down, across, image);
  } else {
    warp_by_vectors(hn::CappedTag<float, 1>(), from, down, across, image);
  }
}

/// log2 x for normal x in (0, 1]; nothing is fused, since not every machine can.
template <class Tag>
HWY_INLINE hn::Vec<Tag> binary_logarithm(Tag d, hn::Vec<Tag> x) {
  const hn::RebindToSigned<Tag> di;
  // x = 2^e (1 + f), -1/3 <= f < 1/3, and with s = f / (2 + f): ln (1 + f) = 2 (s + s^3/3 + ...).
  const auto bits = hn::BitCast(di, x);
  const auto exponent = hn::ShiftRight<23>(hn::Sub(bits, hn::Set(di, 0x3F2AAAAB)));
  const auto mantissa = hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<23>(exponent)));
  const auto f = hn::Sub(mantissa, hn::Set(d, 1.0F));
  const auto s = hn::Div(f, hn::Add(f, hn::Set(d, 2.0F)));
  const auto square = hn::Mul(s, s);
  // 2 / (k ln 2) of the odd k from 9 down to 3.
  constexpr float kSeries[] = {0.4121985831F, 0.5770780164F, 0.9617966939F};
  auto sum = hn::Set(d, 0.3205988980F);
  for (const float term : kSeries) {
    sum = hn::Add(hn::Mul(sum, square), hn::Set(d, term));
  }
  sum = hn::Mul(hn::Mul(sum, square), s);
  return hn::Add(hn::ConvertTo(d, exponent), hn::Add(hn::Mul(s, hn::Set(d, 2.8853900818F)), sum));
}

/// 2^t for t in [-126, 0].
template <class Tag>
HWY_INLINE hn::Vec<Tag> binary_power(Tag d, hn::Vec<Tag> t) {
  const hn::RebindToSigned<Tag> di;
  // Truncation goes up here: the rest is in (-1, 0], and moved to the middle.
  const auto half = hn::Set(d, 0.5F);
  const auto whole = hn::ConvertTo(di, hn::Sub(t, half));
  const auto rest = hn::Mul(hn::Sub(t, hn::ConvertTo(d, whole)), hn::Set(d, 0.6931471806F));
  constexpr float kSeries[] = {1.0F / 720.0F, 1.0F / 120.0F, 1.0F / 24.0F, 1.0F / 6.0F,
                               0.5F,          1.0F,          1.0F};
  auto sum = hn::Set(d, 1.0F / 5040.0F);
  for (const float term : kSeries) {
    sum = hn::Add(hn::Mul(sum, rest), hn::Set(d, term));
  }
  return hn::BitCast(d, hn::Add(hn::BitCast(di, sum), hn::ShiftLeft<23>(whole)));
}

void raise_of_target(float exponent, float factor, std::span<float> pixels) {
  for_columns(pixels.size(), [&](auto d, size_t c) HWY_ATTR {
    const auto x = hn::LoadU(d, &pixels[c]);
    const auto one = hn::Set(d, 1.0F);
    const auto within = hn::Min(hn::Max(x, hn::Set(d, 1e-37F)), one);
    const auto raised = hn::Mul(hn::Set(d, exponent), binary_logarithm(d, within));
    const auto power = binary_power(d, hn::Min(hn::Max(raised, hn::Set(d, -125.0F)), hn::Zero(d)));
    const auto changed = hn::Min(hn::Mul(hn::Set(d, factor), power), one);
    hn::StoreU(hn::IfThenElseZero(hn::Gt(x, hn::Zero(d)), changed), d, &pixels[c]);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace mehler
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mehler {
namespace {

HWY_EXPORT(warp_of_target);
HWY_EXPORT(raise_of_target);

}  // namespace

void warp_picture(const BorderedPicture& from, const float* down, const float* across,
                  float* image) {
  HWY_DYNAMIC_DISPATCH(warp_of_target)(from, down, across, image);
}

void raise_pixels(float exponent, float factor, std::span<float> pixels) {
  HWY_DYNAMIC_DISPATCH(raise_of_target)(exponent, factor, pixels);
}

}  // namespace mehler
#endif  // HWY_ONCE
