#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace mehler {

/// The nearest table (in the 2-norm) without negative counts that adds up to `total` >= 0.
std::vector<double> project_to_counts(std::span<const double> values, double total);

/// Shrinks noise out of the counts of ordered cells: their discrete cosine coefficients, in bands
/// {1}, {2, 3}, {4..7}, ..., by positive-part James-Stein factors. `variance` is that of an
/// orthonormal coefficient. The mean stays.
std::vector<double> smooth_ordered(std::span<const double> values, double variance);

/// How much the cells of a table differ from what independence lets expect: the deviation of a cell
/// has the variance tau * expected, and its measurement `noise` more.
class PriorVariance {
 public:
  /// `deviations` and `expected` (positive) are tables of the same size; `freedom` is the share of
  /// the deviations that is free, prod (d - 1) / prod d.
  PriorVariance(std::span<const double> deviations, std::span<const double> expected, double noise,
                double freedom);

  /// The tau with the largest likelihood; 0 if that is larger still.
  double most_likely() const { return most_likely_; }
  /// The posterior mean: half of the prior at 0, half spread evenly over the logarithms.
  double mean() const { return mean_; }

 private:
  double most_likely_ = 0.0;
  double mean_ = 0.0;
};

}  // namespace mehler
