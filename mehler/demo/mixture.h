#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "mehler/table/schema.h"
#include "mehler/table/table.h"

namespace mehler {

/// The paper's two-dimensional example: 25 Gaussian clusters of standard deviation 0.2 on the grid
/// {-2, ..., 2}^2, equally likely, in 5 classes. The cluster at (i, j) has the class (i + 2 j) mod
/// 5, so that each class has one cluster in every row and in every column.
Schema mixture_schema();

Table simulate_mixture(std::size_t rows, std::uint64_t seed);

/// The logarithm of the true density of (x, y), whatever the class. Its mean over the truth itself
/// is -2.783 (-2.838 if the clusters did not overlap).
double mixture_log_density(double x, double y);
/// The same of (x, y) together with a class in 0 .. 4. Its mean over the truth itself is -2.833.
double mixture_log_density(double x, double y, std::size_t label);

/// How well records follow the mixture.
struct MixtureScore {
  /// Mean of -log density of point and class: about 2.833 for records of the mixture itself. Less
  /// means collapsed modes, so look at covered_modes beside it.
  double negative_log_likelihood = 0.0;
  /// The same of the points alone, about 2.783.
  double without_class = 0.0;
  /// Clusters, of 25, that have at least a fifth of their fair share of records: of their class and
  /// within 3 standard deviations.
  std::size_t covered_modes = 0;
  /// The share of records within 3 standard deviations of a cluster of their class; .989 of the
  /// mixture's own.
  double near_a_mode = 0.0;
};

/// The score of records (x[i], y[i], labels[i]); those with a NaN or a label above 4 are left out.
/// Throws Error(kInvalidTable) if none is left.
MixtureScore score_mixture(std::span<const double> x, std::span<const double> y,
                           std::span<const std::uint16_t> labels);

}  // namespace mehler
