// The order of these includes matters to Highway.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mehler/simd/fourier_sums.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "mehler/simd/hermite_recursion-inl.h"
// clang-format on

#include "mehler/simd/fourier_sums.h"

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"

HWY_BEFORE_NAMESPACE();
namespace mehler {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class V>
struct CosineAndSine {
  V cosine;
  V sine;
};

// cos and sin of |angle| <= 10^6, from products and sums alone, so that every instruction set gives
// the same bits. angle = n pi/2 + r, |r| <= pi/4, with pi/2 in three parts of 33 bits, whose
// products by n are exact; Taylor polynomials of degree 16 and 17 in r (error 1e-17).
template <class D, class V>
HWY_INLINE CosineAndSine<V> cosine_and_sine(D d, V angle) {
  const hn::RebindToUnsigned<D> du;
  const V shift = hn::Set(d, kRoundingShift);
  const V shifted = hn::Add(hn::Mul(angle, hn::Set(d, 0.63661977236758138243)), shift);
  const V n = hn::Sub(shifted, shift);
  V r = hn::Sub(angle, hn::Mul(n, hn::Set(d, 1.57079632673412561417)));
  r = hn::Sub(r, hn::Mul(n, hn::Set(d, 6.07710050630396597660e-11)));
  r = hn::Sub(r, hn::Mul(n, hn::Set(d, 2.02226624879595063154e-21)));
  const V square = hn::Mul(r, r);
  V cosine = hn::Set(d, 1.0 / 20922789888000.0);
  for (const double coefficient : {-1.0 / 87178291200.0, 1.0 / 479001600.0, -1.0 / 3628800.0,
                                   1.0 / 40320.0, -1.0 / 720.0, 1.0 / 24.0, -0.5, 1.0}) {
    cosine = hn::Add(hn::Mul(cosine, square), hn::Set(d, coefficient));
  }
  V sine = hn::Set(d, 1.0 / 355687428096000.0);
  for (const double coefficient : {-1.0 / 1307674368000.0, 1.0 / 6227020800.0, -1.0 / 39916800.0,
                                   1.0 / 362880.0, -1.0 / 5040.0, 1.0 / 120.0, -1.0 / 6.0, 1.0}) {
    sine = hn::Add(hn::Mul(sine, square), hn::Set(d, coefficient));
  }
  sine = hn::Mul(sine, r);
  // The low bits of `shifted` are n: odd n exchange the two, n = 2, 3 mod 4 turn the sine's sign
  // and n = 1, 2 mod 4 the cosine's.
  const auto bits = hn::BitCast(du, shifted);
  const auto one = hn::Set(du, uint64_t{1});
  const auto swapped = hn::RebindMask(d, hn::Ne(hn::And(bits, one), hn::Zero(du)));
  const auto sine_sign = hn::ShiftLeft<62>(hn::And(bits, hn::Set(du, uint64_t{2})));
  const auto cosine_sign = hn::ShiftLeft<62>(hn::And(hn::Add(bits, one), hn::Set(du, uint64_t{2})));
  return {hn::Xor(hn::IfThenElse(swapped, sine, cosine), hn::BitCast(d, cosine_sign)),
          hn::Xor(hn::IfThenElse(swapped, cosine, sine), hn::BitCast(d, sine_sign))};
}

void add_fourier_sums_of_target(std::span<const double> frequencies, NumberColumns columns,
                                size_t records, double scale, std::span<int64_t> sums) {
  const hn::ScalableTag<double> d;
  const hn::RebindToSigned<decltype(d)> di;
  using V = hn::Vec<decltype(d)>;
  const size_t lanes = hn::Lanes(d);
  const size_t inputs = columns.size();
  const size_t count = frequencies.size() / inputs;
  const V shift = hn::Set(d, kRoundingShift);
  const V factor = hn::Set(d, scale);
  const auto rest = hwy::AllocateAligned<double>(inputs * lanes);
  const auto shift_bits = hn::BitCast(di, shift);
  const auto totals = hwy::AllocateAligned<int64_t>(2 * count * lanes);
  std::fill_n(totals.get(), 2 * count * lanes, int64_t{0});
  for (size_t start = 0; start < records; start += lanes) {
    // Records that fill no vector are padded with zeros; their lanes are left out of the sums.
    const size_t used = std::min(lanes, records - start);
    std::fill_n(rest.get(), inputs * lanes, 0.0);
    for (size_t i = 0; i < inputs; ++i) {
      std::copy_n(columns[i] + start, used, rest.get() + i * lanes);
    }
    const auto present = hn::FirstN(d, used);
    for (size_t j = 0; j < count; ++j) {
      V angle = hn::Zero(d);
      for (size_t i = 0; i < inputs; ++i) {
        angle = hn::Add(angle, hn::Mul(hn::Set(d, frequencies[j * inputs + i]),
                                       hn::Load(d, rest.get() + i * lanes)));
      }
      const auto features = cosine_and_sine(d, angle);
      const auto add = [&](V feature, int64_t* total) HWY_ATTR {
        const auto rounded =
            hn::Sub(hn::BitCast(di, hn::Add(hn::Mul(feature, factor), shift)), shift_bits);
        const auto kept = hn::IfThenElseZero(hn::RebindMask(di, present), rounded);
        hn::Store(hn::Add(hn::Load(di, total), kept), di, total);
      };
      add(features.cosine, totals.get() + 2 * j * lanes);
      add(features.sine, totals.get() + (2 * j + 1) * lanes);
    }
  }
  for (size_t k = 0; k < 2 * count; ++k) {
    uint64_t total = static_cast<uint64_t>(sums[k]);
    for (size_t lane = 0; lane < lanes; ++lane) {
      total += static_cast<uint64_t>(totals[k * lanes + lane]);
    }
    sums[k] = static_cast<int64_t>(total);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace mehler
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mehler {
namespace {

HWY_EXPORT(add_fourier_sums_of_target);

}  // namespace

void add_fourier_sums(std::span<const double> frequencies, NumberColumns columns,
                      std::size_t records, int grid_exponent, std::span<std::int64_t> sums) {
  MEHLER_ASSERT(!columns.empty() && sums.size() * columns.size() == 2 * frequencies.size());
  const double count = static_cast<double>(sums.size()) / 2.0;
  HWY_DYNAMIC_DISPATCH(add_fourier_sums_of_target)
  (frequencies, columns, records, std::ldexp(1.0, grid_exponent) / std::sqrt(count), sums);
}

}  // namespace mehler
#endif  // HWY_ONCE
