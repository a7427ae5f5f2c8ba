#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "mehler/simd/hermite_sums.h"

namespace mehler {

/// The Hermite recursion in two multiplications an order, for single precision.
///
/// With phi_k = scales[k] q_k the recursion is q_{k+1} = (factor x) q_k - down[k] q_{k-1}, whose
/// factor is a power of two, so that its product with x is exact, and the same for all orders of a
/// segment. A segment ends where the scales would leave [2^-10, 2^10], so q_k has about the size of
/// phi_k. Sums of q are scaled at the end, weights of a series before.
///
/// All is computed in double and rounded once.
struct RecursionRoute {
  struct Segment {
    /// The segment has the steps k -> k + 1 with k below this that no earlier segment has. Even,
    /// except in the last segment.
    std::size_t end;
    float change;  ///< this factor over the previous one; in the first, the factor itself
  };

  /// Weights of a series are brought below 1 / kRoom, so that Clenshaw's sums, which are the series
  /// over phi_0, do not overflow.
  static constexpr float kRoom = 16777216.0F;

  explicit RecursionRoute(const HermiteRecursion& recursion);

  std::size_t order;
  /// sqrt(2 rho k) scale / (1 + rho), [order + 2]: the derivative of phi_k with respect to x is
  /// slopes[k] phi_{k-1} - slopes[k + 1] phi_{k+1}.
  std::vector<double> slopes;
  /// phi_0 = front 2^(-exponent x^2). The exponent is kept in two parts, and `front` inside the
  /// polynomial for 2^r, |r| <= 1/2.
  float exponent_high;
  float exponent_low;
  std::array<float, 7> power_of_two = {};
  /// Up to this x^2 phi_0 and its reciprocal are far from underflow and overflow (phi_0 > front
  /// 2^-110).
  float near_square;
  /// Beyond this |x| all features up to order + 1 are below 1e-12.
  float far;
  std::vector<Segment> segments;
  float last_factor;           ///< of the last segment
  std::vector<float> down;     ///< [order + 2]
  std::vector<double> scales;  ///< [order + 2]
};

/// Adds to sums[k] the sum over the values of presence[i] phi_k(values[i]), k = 0 .. order.
void add_sums_by_recursion(const RecursionRoute& route, std::span<const float> values,
                           std::span<const float> presence, std::span<float> sums);

/// results[i] = sum_k weights[k] phi_k(values[i]); up to order + 2 weights.
///
/// By Clenshaw's backward recursion, two multiplications an order, where x^2 <= near_square; by the
/// forward recursion, with an exponent of its own for each value, elsewhere.
void evaluate_by_recursion(const RecursionRoute& route, std::span<const double> weights,
                           std::span<const float> values, std::span<float> results);

}  // namespace mehler
