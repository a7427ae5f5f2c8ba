// Gumbel noise by vectors, from a key and a place: no state, so it does not depend on the width of
// vectors or on the order of rows. Included once for each instruction set, so it has no include
// guard of the usual kind.

#if defined(MEHLER_SIMD_GUMBEL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MEHLER_SIMD_GUMBEL_INL_H_
#undef MEHLER_SIMD_GUMBEL_INL_H_
#else
#define MEHLER_SIMD_GUMBEL_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace mehler {
namespace HWY_NAMESPACE {

/// The key of a row's noise: SplitMix64's step `number` from the seed.
HWY_INLINE uint64_t noise_key(uint64_t seed, uint64_t number) {
  uint64_t z = seed + (number + 1) * 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

/// ln x for normal x > 0; relative error below 1e-5, also near 1.
template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE V short_log(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::RebindToSigned<D> di;
  // x = 2^e (1 + f), -1/3 <= f < 1/3; ln (1 + f) = f p(f), a Chebyshev fit.
  const auto bits = hn::BitCast(di, x);
  const auto two_thirds = hn::Set(di, 0x3F2AAAAB);
  const auto exponent = hn::ShiftRight<23>(hn::Sub(bits, two_thirds));
  const auto mantissa = hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<23>(exponent)));
  const V f = hn::Sub(mantissa, hn::Set(d, 1.0F));
  V p = hn::Set(d, -0.19407857954502106F);
  p = hn::MulAdd(p, f, hn::Set(d, 0.2264690101146698F));
  p = hn::MulAdd(p, f, hn::Set(d, -0.24841634929180145F));
  p = hn::MulAdd(p, f, hn::Set(d, 0.3321916162967682F));
  p = hn::MulAdd(p, f, hn::Set(d, -0.5000224113464355F));
  p = hn::MulAdd(p, f, hn::Set(d, 1.000007152557373F));
  return hn::MulAdd(hn::ConvertTo(d, exponent), hn::Set(d, 0.6931471805599453F), hn::Mul(p, f));
}

/// Standard Gumbel variates -ln(-ln u), u uniform on the odd multiples of 2^-24.
class GumbelNoise {
 public:
  explicit GumbelNoise(uint64_t key)
      : low_(static_cast<uint32_t>(key)), high_(static_cast<uint32_t>(key >> 32)) {}

  /// The variates of places [place, place + lanes).
  template <class D>
  HWY_INLINE hwy::HWY_NAMESPACE::Vec<D> at(D d, size_t place) const {
    namespace hn = hwy::HWY_NAMESPACE;
    const hn::RebindToUnsigned<D> du;
    const hn::RebindToSigned<D> di;
    // Two rounds of a 32-bit mixer (multiplications and shifts), a half of the key in each.
    auto x = hn::Add(hn::Iota(du, 0), hn::Set(du, static_cast<uint32_t>(place)));
    x = hn::Xor(hn::Mul(x, hn::Set(du, 0x9E3779B9U)), hn::Set(du, low_));
    x = hn::Xor(x, hn::ShiftRight<16>(x));
    x = hn::Mul(x, hn::Set(du, 0x7FEB352DU));
    x = hn::Add(hn::Xor(x, hn::ShiftRight<15>(x)), hn::Set(du, high_));
    x = hn::Mul(x, hn::Set(du, 0x846CA68BU));
    x = hn::Xor(x, hn::ShiftRight<16>(x));
    const auto steps = hn::ConvertTo(d, hn::BitCast(di, hn::ShiftRight<9>(x)));
    const auto uniform = hn::MulAdd(steps, hn::Set(d, 0x1p-23F), hn::Set(d, 0x1p-24F));
    const auto exponential = hn::Neg(short_log(d, uniform));
    return hn::Neg(short_log(d, exponential));
  }

 private:
  uint32_t low_;
  uint32_t high_;
};

}  // namespace HWY_NAMESPACE
}  // namespace mehler
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
