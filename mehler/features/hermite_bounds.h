#pragma once

#include <cstddef>

#include "mehler/features/hermite_features.h"

namespace mehler {

/// A proven upper bound, and how it was found.
struct CertifiedBound {
  double value = 0.0;
  /// Distance of neighbouring grid points, in z; 0 when the bound is analytic.
  double grid_step = 0.0;
  /// The largest value on the grid.
  double grid_maximum = 0.0;
  /// Points of the grid; 0 when the bound is analytic.
  std::size_t grid_points = 0;

  bool operator==(const CertifiedBound&) const = default;
};

/// The most entries of features that certify_squared_norm() evaluates. The best rho of an order
/// needs 345 dimension^2 at most, because its scale is at most 1.6 sqrt(dimension); a file may name
/// any rho.
inline double max_grid_work(std::size_t dimension) {
  const auto entries = static_cast<double>(dimension);
  return 400.0 * entries * entries;
}

/// An upper bound on S = sup ||phi(x)||^2 over x in [-1, 1], at most 1.
///
/// With phi_c' = sqrt(2 c rho) phi_{c-1} - b z phi_c, b = 2 rho / (1 + rho) and L = sqrt(2 order
/// rho) + b max|z|: |s''| <= (4 L^2 + 2 b) S, so a grid of step h with both ends has S <= G / (1 -
/// h^2 (4 L^2 + 2 b) / 8). Proof and derivation: docs/design/0002-sensitivity.md. Cost: about 40
/// order^1.5 evaluations of an entry, max_grid_work() at most: where the grid would need more, the
/// bound is 1, which holds for every x, order and rho.
CertifiedBound certify_squared_norm(const HermiteFeatures& features);

/// An upper bound on M1 = sup ||phi(x) - phi(y)||^2 over x, y in [-1, 1].
///
/// The smaller of two: a grid of pairs, M1 <= G + h^2 (2 L^2 + b) S; and 2 - 2 exp(-2 /
/// length_scale^2), because cutting the series off only brings two feature vectors nearer than k(x,
/// x) + k(y, y) - 2 k(x, y).
CertifiedBound certify_squared_difference(const HermiteFeatures& features);

}  // namespace mehler
