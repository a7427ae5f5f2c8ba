#pragma once

#include <span>

#include "mehler/kernels/hermite_sums.h"

namespace mehler {

/// Adds to sums[k], for k = 0 .. order, the sum over the values of presence[i] phi_k(values[i]), in
/// single precision. An empty `presence` stands for ones.
///
/// For generated records, which need gradients rather than exactness. Values lie in [-1, 1].
/// Relative error of a sum about 1e-5 of the sum of absolute values.
void add_hermite_feature_sums(const HermiteRecursion& recursion, std::span<const float> values,
                              std::span<const float> presence, std::span<float> sums);

/// series[i] = sum_k weights[k] phi_k(x) and gradient[i] = its derivative by x, at x = values[i].
///
/// With phi_c'(z) = sqrt(2 c rho) phi_{c-1} - b z phi_c the derivative of a series in phi is again
/// made of two such series, so nothing of size values x order is stored. Absolute error about 1e-4
/// of the largest weight.
void evaluate_hermite_series(const HermiteRecursion& recursion, std::span<const float> values,
                             std::span<const float> weights, std::span<float> series,
                             std::span<float> gradient);

}  // namespace mehler
