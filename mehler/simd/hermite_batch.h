#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "mehler/simd/chebyshev_route.h"
#include "mehler/simd/hermite_sums.h"
#include "mehler/simd/recursion_route.h"

namespace mehler {

/// How features of a batch are summed and series of them evaluated.
enum class HermiteRoute {
  kRecursion,  ///< order by order; for every value
  kChebyshev,  ///< through Chebyshev moments and series; for values in [-1, 1]
};

/// Hermite features of generated records, in single precision: they need gradients, not exactness.
///
/// Prepared once for a feature map; nothing that depends on the map alone is computed in a call.
/// Thread-safe; a call runs on its caller's thread.
///
/// Values may be any finite numbers, and results are then finite (as long as weights and counts
/// leave room). A NaN or an infinity among the values gives NaN, so that divergence shows.
///
/// Both routes keep to these errors, on every instruction set, for orders up to 150, rho up to
/// 0.99998 and |scale x| up to 16 (beyond, they grow with order and scale): a sum, 4e-6 of the sum
/// of the presences; a series, 6e-6 of the Euclidean norm of its weights; a gradient, 6e-6 of that
/// norm times sqrt(2 order + 1) scale, the steepest slope of a feature.
class HermiteBatchKernel {
 public:
  /// Copies what it needs. Cost: below 10 ms for orders up to 150.
  explicit HermiteBatchKernel(const HermiteRecursion& recursion);

  std::size_t order() const { return recursion_.order; }

  /// Degree of the Chebyshev series that replace the features on [-1, 1] to single precision, or
  /// nothing where there is no such degree up to 2 order + 56, or the order is above 256.
  std::optional<std::size_t> chebyshev_degree() const;

  /// The cheaper route for this many values in [-1, 1], by the number of multiplications: in the
  /// recursion 2 order a value; with Chebyshev series degree a value, and order x degree a call.
  HermiteRoute cheaper_route(std::size_t values) const;

  /// Adds to sums[k], for k = 0 .. order, the sum over the values of presence[i] phi_k(values[i]).
  /// An empty `presence` stands for ones. Gives the route it took: the cheaper one, unless a value
  /// lies outside [-1, 1].
  HermiteRoute add_feature_sums(std::span<const float> values, std::span<const float> presence,
                                std::span<float> sums) const;

  /// series[i] = sum_k weights[k] phi_k(x) and gradient[i] = its derivative with respect to x, at x
  /// = values[i]. An empty `series` is not computed, which saves half of the work. Gives the route
  /// it took.
  HermiteRoute evaluate_series(std::span<const float> values, std::span<const float> weights,
                               std::span<float> series, std::span<float> gradient) const;

 private:
  HermiteRoute route_for(std::span<const float> values) const;

  RecursionRoute recursion_;
  std::optional<ChebyshevRoute> chebyshev_;
};

/// For tests and benchmarks: takes this route wherever it is possible, from here on, in the whole
/// process; nothing restores the choice by cost.
void force_hermite_route(std::optional<HermiteRoute> route);

}  // namespace mehler
