// The order of these includes matters to Highway.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mehler/kernels/hermite_batch.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
// clang-format on

#include "mehler/kernels/hermite_batch.h"

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <vector>

#include "mehler/core/error.h"

HWY_BEFORE_NAMESPACE();
namespace mehler {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// phi_0 of z.
template <class D, class V>
HWY_INLINE V first_feature(D d, const HermiteRecursion& recursion, V z) {
  const V exponent = hn::Mul(hn::Mul(z, z), hn::Set(d, static_cast<float>(-recursion.decay)));
  return hn::Mul(hn::Exp(d, exponent), hn::Set(d, static_cast<float>(recursion.front)));
}

void feature_sums_of_target(const HermiteRecursion& recursion, std::span<const float> up,
                            std::span<const float> down, std::span<const float> values,
                            std::span<const float> presence, std::span<float> sums) {
  const hn::ScalableTag<float> d;
  using V = hn::Vec<decltype(d)>;
  const size_t lanes = hn::Lanes(d);
  const size_t order = up.size();
  const auto totals = hwy::AllocateAligned<float>((order + 1) * lanes);
  std::fill_n(totals.get(), (order + 1) * lanes, 0.0F);
  const auto rest = hwy::AllocateAligned<float>(2 * lanes);
  const auto weights = hwy::AllocateAligned<float>(2 * lanes);
  for (size_t start = 0; start < values.size(); start += 2 * lanes) {
    const size_t count = std::min(2 * lanes, values.size() - start);
    const float* source = values.data() + start;
    if (count < 2 * lanes) {
      std::fill_n(rest.get(), 2 * lanes, 0.0F);
      std::copy_n(source, count, rest.get());
      source = rest.get();
    }
    const V scale = hn::Set(d, static_cast<float>(recursion.scale));
    const V z1 = hn::Mul(hn::LoadU(d, source), scale);
    const V z2 = hn::Mul(hn::LoadU(d, source + lanes), scale);
    // Lanes past the end carry phi_0 = 0, which the recursion keeps at 0.
    std::fill_n(weights.get(), 2 * lanes, 0.0F);
    if (presence.empty()) {
      std::fill_n(weights.get(), count, 1.0F);
    } else {
      std::copy_n(presence.data() + start, count, weights.get());
    }
    V current1 = hn::Mul(hn::Load(d, weights.get()), first_feature(d, recursion, z1));
    V current2 = hn::Mul(hn::Load(d, weights.get() + lanes), first_feature(d, recursion, z2));
    V previous1 = hn::Zero(d);
    V previous2 = hn::Zero(d);
    for (size_t k = 0;; ++k) {
      hn::Store(hn::Add(hn::Load(d, totals.get() + k * lanes), hn::Add(current1, current2)), d,
                totals.get() + k * lanes);
      if (k == order) {
        break;
      }
      const V up_k = hn::Set(d, up[k]);
      const V down_k = hn::Set(d, down[k]);
      const V next1 = hn::MulSub(hn::Mul(up_k, z1), current1, hn::Mul(down_k, previous1));
      const V next2 = hn::MulSub(hn::Mul(up_k, z2), current2, hn::Mul(down_k, previous2));
      previous1 = current1;
      previous2 = current2;
      current1 = next1;
      current2 = next2;
    }
  }
  for (size_t k = 0; k <= order; ++k) {
    sums[k] += hn::GetLane(hn::SumOfLanes(d, hn::Load(d, totals.get() + k * lanes)));
  }
}

void series_of_target(const HermiteRecursion& recursion, std::span<const float> up,
                      std::span<const float> down, std::span<const float> raised,
                      std::span<const float> weights, std::span<const float> values,
                      std::span<float> series, std::span<float> gradient) {
  const hn::ScalableTag<float> d;
  using V = hn::Vec<decltype(d)>;
  const size_t lanes = hn::Lanes(d);
  const size_t order = up.size();
  const auto rest = hwy::AllocateAligned<float>(lanes);
  for (size_t start = 0; start < values.size(); start += lanes) {
    const size_t count = std::min(lanes, values.size() - start);
    const float* source = values.data() + start;
    if (count < lanes) {
      std::fill_n(rest.get(), lanes, 0.0F);
      std::copy_n(source, count, rest.get());
      source = rest.get();
    }
    const V z = hn::Mul(hn::LoadU(d, source), hn::Set(d, static_cast<float>(recursion.scale)));
    V current = first_feature(d, recursion, z);
    V previous = hn::Zero(d);
    V same = hn::Zero(d);   // sum_k weights[k] phi_k
    V lower = hn::Zero(d);  // sum_k weights[k + 1] sqrt(2 (k + 1) rho) phi_k
    for (size_t k = 0; k <= order; ++k) {
      same = hn::MulAdd(hn::Set(d, weights[k]), current, same);
      if (k == order) {
        break;
      }
      lower = hn::MulAdd(hn::Set(d, raised[k]), current, lower);
      const V next = hn::MulSub(hn::Mul(hn::Set(d, up[k]), z), current,
                                hn::Mul(hn::Set(d, down[k]), previous));
      previous = current;
      current = next;
    }
    const V slope = hn::Mul(z, hn::Set(d, static_cast<float>(2.0 * recursion.decay)));
    const V result =
        hn::Mul(hn::NegMulAdd(slope, same, lower), hn::Set(d, static_cast<float>(recursion.scale)));
    if (count < lanes) {
      hn::Store(result, d, rest.get());
      std::copy_n(rest.get(), count, gradient.data() + start);
      hn::Store(same, d, rest.get());
      std::copy_n(rest.get(), count, series.data() + start);
    } else {
      hn::StoreU(result, d, gradient.data() + start);
      hn::StoreU(same, d, series.data() + start);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace mehler
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mehler {
namespace {

HWY_EXPORT(feature_sums_of_target);
HWY_EXPORT(series_of_target);

/// Coefficients are computed in double and rounded once.
std::vector<float> rounded(std::span<const double> coefficients) {
  return std::vector<float>(coefficients.begin(), coefficients.end());
}

}  // namespace

void add_hermite_feature_sums(const HermiteRecursion& recursion, std::span<const float> values,
                              std::span<const float> presence, std::span<float> sums) {
  MEHLER_ASSERT(sums.size() == recursion.up.size() + 1);
  MEHLER_ASSERT(presence.empty() || presence.size() == values.size());
  HWY_DYNAMIC_DISPATCH(feature_sums_of_target)
  (recursion, rounded(recursion.up), rounded(recursion.down), values, presence, sums);
}

void evaluate_hermite_series(const HermiteRecursion& recursion, std::span<const float> values,
                             std::span<const float> weights, std::span<float> series,
                             std::span<float> gradient) {
  MEHLER_ASSERT(weights.size() == recursion.up.size() + 1);
  MEHLER_ASSERT(gradient.size() == values.size() && series.size() == values.size());
  std::vector<float> raised(recursion.up.size());
  for (std::size_t k = 0; k < raised.size(); ++k) {
    // sqrt(2 (k + 1) rho) = (k + 1) sqrt(2 rho / (k + 1))
    raised[k] = static_cast<float>(static_cast<double>(k + 1) * recursion.up[k] *
                                   static_cast<double>(weights[k + 1]));
  }
  HWY_DYNAMIC_DISPATCH(series_of_target)
  (recursion, rounded(recursion.up), rounded(recursion.down), raised, weights, values, series,
   gradient);
}

}  // namespace mehler
#endif  // HWY_ONCE
