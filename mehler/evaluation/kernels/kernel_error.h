#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mehler/features/hermite_features.h"
#include "mehler/features/random_fourier.h"

namespace mehler {

/// |k(x_i, y_j) - <phi(x_i), phi(y_j)>| over all pairs of some points: Figure 1 of the paper.
struct KernelError {
  double mean = 0.0;
  double largest = 0.0;
};

/// The error of the first 1, 2, .., order + 1 Hermite features, that is, of the orders 0 to
/// features.order(), for the kernel of features.length_scale().
///
/// x and y hold points of [-1, 1]. Throws Error(kInvalidArgument) if either is empty or holds a
/// number outside. Cost: x.size() y.size() order.
std::vector<KernelError> hermite_kernel_errors(const HermiteFeatures& features,
                                               std::span<const double> x,
                                               std::span<const double> y);

/// The error of the first counts[0], counts[1], .. frequencies of random Fourier features, each
/// normed anew, for the kernel of features.length_scale().
///
/// x and y hold points of features.inputs() finite numbers each, one after the other; counts rise
/// and end at features.frequencies() at most. Throws Error(kInvalidArgument) otherwise. Cost: pairs
/// of points times the largest count.
std::vector<KernelError> random_fourier_kernel_errors(const RandomFourierFeatures& features,
                                                      std::span<const double> x,
                                                      std::span<const double> y,
                                                      std::span<const std::size_t> counts);

/// An upper bound on the expected mean error of Hermite features of the given order at rho =
/// 1/3, for standard normal x and y and inputs of scale 1: (1/3)^order / (3 sqrt 2), the paper's
/// bound. It is the root of the mean squared error, which is exact there.
double hermite_error_bound(std::size_t order);

/// The paper's lower bound on the mean error of random features in the same setting: 1 / (8 C), C
/// counting cosines and sines.
double random_feature_error_bound(std::size_t entries);

}  // namespace mehler
