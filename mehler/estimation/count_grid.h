#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace mehler {

/// The counts that the chain along ordered cells (ordered_counts.h) tells apart: 0, and points that
/// lie closer where the noise is smaller; and how likely a cell's count is after that of its
/// neighbour. Immutable and thread-safe.
class CountGrid {
 public:
  /// The scales of the models' steps, on the scale of logarithms of counts.
  static constexpr std::array<double, 4> kSteps = {0.15, 0.3, 0.6, 1.2};

  /// For counts up to `rows` with noise of about this standard deviation.
  CountGrid(double sigma, double rows);

  std::size_t size() const { return points_.size(); }
  double operator[](std::size_t g) const { return points_[g]; }
  /// Half for 0, half spread evenly over the logarithms.
  const std::vector<double>& before() const { return before_; }

  /// Where a step of model s leads that starts with these probabilities.
  std::vector<double> step_from(std::size_t s, std::span<const double> from) const;

  /// The expected value after a step of model s, for each start.
  std::vector<double> expect_after(std::size_t s, std::span<const double> values) const;

  /// Whether noise of this size around a count is too fine for the grid.
  bool is_too_coarse(double count, double sigma) const;

  /// How likely each point is for a measured count, relative to the nearest.
  void add_likelihood(double count, double sigma, std::vector<double>& out) const;

 private:
  /// sum over i of values_i exp(-|place_i - place_j| / s), for each j.
  std::vector<double> filter(std::size_t s, std::vector<double> values) const;

  std::vector<double> points_;
  std::vector<double> widths_;  ///< on the scale of logarithms
  std::vector<double> before_;
  std::array<std::vector<double>, kSteps.size()> ratios_;
  std::array<std::vector<double>, kSteps.size()> norms_;
};

}  // namespace mehler
