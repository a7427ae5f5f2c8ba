#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "mehler/simd/hermite_sums.h"

namespace mehler {

/// Hermite features on [-1, 1] as Chebyshev series: phi_k(x) = sum_j a_kj T_j(x), j = 0 .. degree.
///
/// Sums of features are then sums of T_j, one multiplication each, times a small matrix; a series
/// in the features is a Chebyshev series, and so is its derivative. phi_k is even or odd as k is,
/// so a_kj = 0 unless k and j are both even or both odd, and only those entries are kept.
///
/// Matrices are rows of `row_length` floats, a multiple of 16, filled up with zeros. They are
/// computed in double and rounded once. The matrix of derivatives is made from unrounded ones:
/// derivatives of rounded a_kj would lose degree^2 roundings at x = -1 and 1.
struct ChebyshevRoute {
  struct Matrix {
    std::size_t row_length = 0;
    std::vector<float> values;
  };

  /// Orders up to this one have a Chebyshev route.
  static constexpr std::size_t kMaxOrder = 256;

  /// With the smallest degree whose remainder, for all features together, is below 1e-7 of the
  /// largest norm of phi, and its derivative below 2e-6 of that of phi'; nothing if the order is
  /// above kMaxOrder or the degree would be above 2 order + 56.
  static std::optional<ChebyshevRoute> find(const HermiteRecursion& recursion);

  std::size_t order = 0;
  std::size_t degree = 0;
  Matrix features_of_moments;      ///< row j: a_kj for k = j mod 2, j mod 2 + 2, ..
  Matrix coefficients_of_weights;  ///< row k: a_kj for j = k mod 2, k mod 2 + 2, ..
  Matrix slopes_of_weights;        ///< row k: those of phi_k', for j = (k + 1) mod 2, ..
};

/// Whether all values lie in [-1, 1]; false if one is NaN.
bool all_in_chebyshev_range(std::span<const float> values);

/// Adds to sums[k] the sum over the values of presence[i] phi_k(values[i]), k = 0 .. order.
/// |values| <= 1.
void add_sums_by_chebyshev(const ChebyshevRoute& route, std::span<const float> values,
                           std::span<const float> presence, std::span<float> sums);

/// series[i] = sum_k weights[k] phi_k(values[i]), unless `series` is empty, and gradient[i] is its
/// derivative. |values| <= 1.
void evaluate_by_chebyshev(const ChebyshevRoute& route, std::span<const float> weights,
                           std::span<const float> values, std::span<float> series,
                           std::span<float> gradient);

}  // namespace mehler
