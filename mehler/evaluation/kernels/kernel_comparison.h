#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/evaluation/kernels/kernel_error.h"

namespace mehler {

/// The simulation behind Figure 1 of the paper: Hermite features against random ones on normal
/// points.
struct KernelComparison {
  static constexpr std::size_t kMaxPoints = 2'000;
  static constexpr std::size_t kMaxEntries = 20'000;
  static constexpr std::size_t kMaxDraws = 10'000;

  /// How many points each side has: x ~ N(0, 1) and y ~ N(shift, 1).
  std::size_t points = 100;
  double shift = 1.0;
  /// Draws of random features; their errors are averaged.
  std::size_t draws = 100;
  /// The seed of points and frequencies. Public: nothing private is read here.
  std::uint64_t seed = 1;

  /// Orders of Hermite features, rising, from 0 on.
  std::vector<std::size_t> orders;
  /// Numbers of random features, cosines and sines counted, rising; even.
  std::vector<std::size_t> entries;
};

/// Both sides' points: first all x, then all y.
struct SimulatedPoints {
  std::vector<double> x;
  std::vector<double> y;
};
SimulatedPoints simulate_points(const KernelComparison& comparison);

/// The error of one kind of features at one size.
struct ComparisonRow {
  /// The order of Hermite features; nothing for random ones.
  std::optional<std::size_t> order;
  /// Length of the feature vector.
  std::size_t entries = 0;
  /// Over all pairs of points: mean and largest; of random features, the mean over the draws of the
  /// former and the largest of the latter.
  KernelError error;
  /// Standard deviation of the mean error over the draws; nothing for Hermite features.
  std::optional<double> spread;
  /// The paper's bounds on the expected error, where they apply: rho = 1/3 and shift 0.
  std::optional<double> upper_bound;
  std::optional<double> lower_bound;
};

/// Errors of Hermite features of inputs as they are (scale 1) with this rho, and of random features
/// of the same kernel. Throws Error(kInvalidArgument) for a value outside its limits.
///
/// Cost: points^2 draws times the largest number of entries. Threads share the draws; the result is
/// the same for any number of them.
std::vector<ComparisonRow> compare_kernel_features(const KernelComparison& comparison, double rho,
                                                   const Context& context);

}  // namespace mehler
