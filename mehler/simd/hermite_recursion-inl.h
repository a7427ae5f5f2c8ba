// The recursion of Hermite features in double precision, the same bits for every instruction set.
// Included once for each of them, so it has no include guard of the usual kind.

#if defined(MEHLER_SIMD_HERMITE_RECURSION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MEHLER_SIMD_HERMITE_RECURSION_INL_H_
#undef MEHLER_SIMD_HERMITE_RECURSION_INL_H_
#else
#define MEHLER_SIMD_HERMITE_RECURSION_INL_H_
#endif

#include <hwy/highway.h>

#include "mehler/simd/hermite_sums.h"

HWY_BEFORE_NAMESPACE();
namespace mehler {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// 1.5 * 2^52: adding it rounds a double below 2^51 to the nearest integer, which then stands in the
// low bits.
constexpr double kRoundingShift = 6755399441055744.0;

// exp(y) for y <= 0, from products and sums alone, so that every instruction set gives the same
// bits. Range reduction y = n ln 2 + r, |r| <= ln 2 / 2, and the Taylor polynomial of degree 13 in
// r (error 5e-18).
template <class D, class V>
HWY_INLINE V exponential(D d, V y) {
  const hn::RebindToUnsigned<D> du;
  const V clamped = hn::Max(y, hn::Set(d, -700.0));
  const V shift = hn::Set(d, kRoundingShift);
  const V shifted = hn::Add(hn::Mul(clamped, hn::Set(d, 1.4426950408889634)), shift);
  const V n = hn::Sub(shifted, shift);
  V r = hn::Sub(clamped, hn::Mul(n, hn::Set(d, 0.693147180369123816490)));
  r = hn::Sub(r, hn::Mul(n, hn::Set(d, 1.90821492927058770002e-10)));
  V sum = hn::Set(d, 1.0 / 6227020800.0);
  for (const double inverse_factorial :
       {1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0, 1.0 / 362880.0, 1.0 / 40320.0,
        1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0}) {
    sum = hn::Add(hn::Mul(sum, r), hn::Set(d, inverse_factorial));
  }
  // The low bits of `shifted` are n; moved to the exponent, with its bias, they are 2^n.
  const auto exponent =
      hn::Add(hn::ShiftLeft<52>(hn::BitCast(du, shifted)), hn::Set(du, uint64_t{1023} << 52));
  return hn::Mul(sum, hn::BitCast(d, exponent));
}

// One vector of values on its way through the recursion.
template <class V>
struct Lane {
  V z;
  V current;
  V previous;
};

template <class D>
HWY_INLINE Lane<hn::Vec<D>> begin_lane(D d, const HermiteRecursion& recursion, double grid_scale,
                                       const double* HWY_RESTRICT values) {
  using V = hn::Vec<D>;
  const V x = hn::LoadU(d, values);
  const auto present = hn::Eq(x, x);
  const V z = hn::Mul(hn::IfThenElseZero(present, x), hn::Set(d, recursion.scale));
  const V exponent = hn::Mul(hn::Mul(z, z), hn::Set(d, -recursion.decay));
  const V front = hn::Mul(exponential(d, exponent), hn::Set(d, recursion.front * grid_scale));
  return {z, hn::IfThenElseZero(present, front), hn::Zero(d)};
}

template <class V>
HWY_INLINE void advance(Lane<V>& lane, V up, V down) {
  const V next = hn::Sub(hn::Mul(up, hn::Mul(lane.z, lane.current)), hn::Mul(down, lane.previous));
  lane.previous = lane.current;
  lane.current = next;
}

}  // namespace HWY_NAMESPACE
}  // namespace mehler
HWY_AFTER_NAMESPACE();

#endif
