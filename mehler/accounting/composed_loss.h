#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mehler/accounting/loss_grid.h"
#include "mehler/accounting/loss_pair.h"
#include "mehler/accounting/privacy_loss_distribution.h"

namespace mehler {

/// The sum of independent privacy losses in one direction, as a bound of delta at every epsilon.
///
/// Each pair is put on one grid (LossDistribution), weighted with exp(tilt loss), transformed,
/// raised to its count, multiplied, transformed back and unweighted. The weight makes rounding
/// errors relative to exp(-tilt epsilon) E[exp(tilt loss)], Chernoff's bound of delta, instead of
/// to 1. Everything that is left out or rounded is added to delta; docs/design/
/// 0014-charges-and-composition.md has the list.
///
/// Cost: transforms of at most 2^20 points for all kinds of pairs together.
class ComposedLoss {
 public:
  /// Whether the above gives a bound worth having: at most 16 kinds of pairs, none with losses
  /// beyond 500.
  static bool applies_to(const LossPairCounts& pairs);

  ComposedLoss(const LossPairCounts& pairs, LossDirection direction, const LossFocus& focus);

  /// At most 1.
  double delta_at(double epsilon) const;
  /// At least 0; infinity if no epsilon is known to be enough.
  double epsilon_at(double delta) const;

 private:
  void compose(const LossGrid& grid, LossDirection direction);
  /// tilted_deltas_ from the tilted probabilities of all losses on a circle, each raised by error.
  void add_up(const std::vector<std::complex<double>>& losses, double error);
  double loss_at(std::size_t i) const;
  double delta_on_grid(std::size_t i) const;

  double step_ = 0.0;
  std::int64_t first_ = 0;
  double tilt_step_ = 0.0;   ///< tilt per step
  double log_moment_ = 0.0;  ///< of all losses, at the tilt
  double left_over_ = 0.0;   ///< added to every delta: losses that are infinite or beyond the grid
  double slack_ = 0.0;       ///< losses may be larger by this
  /// delta at (first_ + i) step_, times exp(tilt_step_ (first_ + i) - log_moment_).
  std::vector<double> tilted_deltas_;
};

}  // namespace mehler
