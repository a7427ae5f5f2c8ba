#include "mehler/simd/hermite_batch.h"

#include <atomic>
#include <cmath>
#include <vector>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#include "mehler/core/error.h"

namespace mehler {
namespace {

/// A HermiteRoute, or -1 for the choice by cost.
std::atomic<int> forced_route = -1;

/// Subnormal numbers count as 0 while this lives, on this thread: high orders reach them near 0,
/// and some machines take a hundred times longer for them.
class SubnormalsAreZero {
 public:
#if defined(__SSE__)
  SubnormalsAreZero() : before_(_mm_getcsr()) {
    _mm_setcsr(before_ | 0x8040U);  // flush results, and read operands as 0
  }
  ~SubnormalsAreZero() { _mm_setcsr(before_); }
#else
  SubnormalsAreZero() {}
#endif
  SubnormalsAreZero(const SubnormalsAreZero&) = delete;
  SubnormalsAreZero& operator=(const SubnormalsAreZero&) = delete;

 private:
#if defined(__SSE__)
  unsigned before_;
#endif
};

/// The weights of phi_0 .. phi_{order + 1} in the derivative of a series. That phi_k' is made of
/// phi_{k-1} and phi_{k+1} follows from phi_k'(z) = sqrt(2 rho k) phi_{k-1} - 2 rho / (1 + rho) z
/// phi_k and the recursion.
std::vector<double> derivative_weights(const std::vector<double>& slopes,
                                       std::span<const float> weights) {
  std::vector<double> derivative(weights.size() + 1, 0.0);
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const auto weight = static_cast<double>(weights[k]);
    if (k > 0) {
      derivative[k - 1] += slopes[k] * weight;
    }
    derivative[k + 1] -= slopes[k + 1] * weight;
  }
  return derivative;
}

}  // namespace

HermiteBatchKernel::HermiteBatchKernel(const HermiteRecursion& recursion)
    : recursion_(recursion), chebyshev_(ChebyshevRoute::find(recursion)) {}

std::optional<std::size_t> HermiteBatchKernel::chebyshev_degree() const {
  return chebyshev_ ? std::optional(chebyshev_->degree) : std::nullopt;
}

HermiteRoute HermiteBatchKernel::cheaper_route(std::size_t values) const {
  if (!chebyshev_ || chebyshev_->degree * (values + order()) >= 2 * order() * values) {
    return HermiteRoute::kRecursion;
  }
  return HermiteRoute::kChebyshev;
}

HermiteRoute HermiteBatchKernel::route_for(std::span<const float> values) const {
  const int forced = forced_route.load(std::memory_order_relaxed);
  const HermiteRoute wanted =
      forced < 0 ? cheaper_route(values.size()) : static_cast<HermiteRoute>(forced);
  return wanted == HermiteRoute::kChebyshev && chebyshev_ && all_in_chebyshev_range(values)
             ? HermiteRoute::kChebyshev
             : HermiteRoute::kRecursion;
}

HermiteRoute HermiteBatchKernel::add_feature_sums(std::span<const float> values,
                                                  std::span<const float> presence,
                                                  std::span<float> sums) const {
  MEHLER_ASSERT(sums.size() == order() + 1);
  MEHLER_ASSERT(presence.empty() || presence.size() == values.size());
  const SubnormalsAreZero subnormals_are_zero;
  const HermiteRoute route = route_for(values);
  if (route == HermiteRoute::kChebyshev) {
    add_sums_by_chebyshev(*chebyshev_, values, presence, sums);
  } else {
    add_sums_by_recursion(recursion_, values, presence, sums);
  }
  return route;
}

HermiteRoute HermiteBatchKernel::evaluate_series(std::span<const float> values,
                                                 std::span<const float> weights,
                                                 std::span<float> series,
                                                 std::span<float> gradient) const {
  MEHLER_ASSERT(weights.size() == order() + 1);
  MEHLER_ASSERT(gradient.size() == values.size());
  MEHLER_ASSERT(series.empty() || series.size() == values.size());
  const SubnormalsAreZero subnormals_are_zero;
  const HermiteRoute route = route_for(values);
  if (route == HermiteRoute::kChebyshev) {
    evaluate_by_chebyshev(*chebyshev_, weights, values, series, gradient);
    return route;
  }
  evaluate_by_recursion(recursion_, derivative_weights(recursion_.slopes, weights), values,
                        gradient);
  if (!series.empty()) {
    const std::vector<double> in_double(weights.begin(), weights.end());
    evaluate_by_recursion(recursion_, in_double, values, series);
  }
  return route;
}

void force_hermite_route(std::optional<HermiteRoute> route) {
  forced_route.store(route ? static_cast<int>(*route) : -1, std::memory_order_relaxed);
}

}  // namespace mehler
