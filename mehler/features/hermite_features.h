#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "mehler/simd/hermite_sums.h"

namespace mehler {

/// Throws Error(kInvalidArgument), with the range and a remedy, unless a length scale is within its
/// limits. `owner` says whose it is in the message: "" or " of 'age'".
void require_length_scale(double length_scale, std::string_view owner);
/// The same for an order, which must be a whole number.
void require_order(double order, std::string_view owner);

/// Hermite features of one numeric coordinate x in [-1, 1].
///
/// By Mehler's formula the Gaussian kernel k(x, y) = exp(-(x - y)^2 / (2 length_scale^2)) has, with
/// z = scale x, the features
///
///   phi_0(x)     = (1 - rho^2)^(1/4) exp(-rho z^2 / (1 + rho))
///   phi_{k+1}(x) = sqrt(2 rho / (k+1)) z phi_k(x) - rho sqrt(k / (k+1)) phi_{k-1}(x)
///
/// with the eigenvalues folded in, so <phi(x), phi(y)> tends to k(x, y) as the order grows. The
/// kernel fixes only scale^2 rho / (1 - rho^2) = 1 / (2 length_scale^2): rho is free, and the
/// series is cut off best for one rho (docs/design/0003-hermite-features.md).
///
/// Privacy: ||phi(x)||_2 <= 1 for every x and order (a partial sum of the series for k(x, x) = 1);
/// certified suprema over [-1, 1] are in hermite_bounds.h.
class HermiteFeatures {
 public:
  /// Orders 1 to this one are accepted; features have order + 1 entries.
  static constexpr std::size_t kMaxOrder = 1000;
  /// Length scales from this one up are accepted: 1/2000 of the declared range.
  static constexpr double kMinLengthScale = 1e-3;
  static constexpr double kMaxLengthScale = 1e3;
  /// Documented defaults: with them the features lose at most 0.13% of their norm on [-1, 1].
  static constexpr std::size_t kDefaultOrder = 20;
  static constexpr double kDefaultLengthScale = 0.15;

  /// With a given rho. Throws Error(kInvalidArgument) unless 1 <= order <= kMaxOrder, 0 < rho < 1
  /// and the length scale is within its limits.
  HermiteFeatures(std::size_t order, double length_scale, double rho);

  /// With the rho for which the largest loss of norm, max_x 1 - ||phi(x)||^2, is smallest.
  static HermiteFeatures with_best_rho(std::size_t order, double length_scale);

  std::size_t order() const { return order_; }
  std::size_t dimension() const { return order_ + 1; }
  double length_scale() const { return length_scale_; }
  double rho() const { return rho_; }
  /// z = scale() x.
  double scale() const { return scale_; }

  /// phi_0 .. phi_order of x in [-1, 1] into out[0 .. order]. Absolute error below 1e-13 an entry.
  void evaluate(double x, double* out) const;
  /// ||phi(x)||^2.
  double squared_norm(double x) const;

  /// The recursion's coefficients, for the kernels. Borrows from this object.
  HermiteRecursion recursion() const { return {scale_, front_, decay_, up_, down_}; }

  bool operator==(const HermiteFeatures&) const = default;

 private:
  std::size_t order_;
  double length_scale_;
  double rho_;
  double scale_;
  double front_;
  double decay_;
  std::vector<double> up_;
  std::vector<double> down_;
};

}  // namespace mehler
