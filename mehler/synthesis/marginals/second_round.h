#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mehler/measurement/measurement_rounds.h"
#include "mehler/synthesis/marginals/water_filling.h"

namespace mehler {

/// Spends everything that is left on tables of counts, where it lowers the expected errors most.
class SecondRound {
 public:
  /// `cells`: of each column, its cells in tables of several columns. All arguments must outlive
  /// it.
  SecondRound(const Encoder& encoder, std::span<const std::shared_ptr<const ColumnPartition>> cells,
              MeasurementRounds& rounds)
      : encoder_(encoder), cells_(cells), rounds_(rounds) {}

  /// A table that can be measured. Its cells deviate from `expected` with the variance
  /// tau * expected, and are known up to a noise of `cell_variance`, or not at all if that is 0.
  void add(std::span<const std::size_t> columns, std::span<const double> expected, double tau,
           double cell_variance, double importance);

  /// Measures the tables. Where nothing is left to learn, measures the first of them with
  /// precisions proportional to `fallback_shares`.
  void measure(std::span<const double> fallback_shares, const Context& context);

 private:
  const Encoder& encoder_;
  std::span<const std::shared_ptr<const ColumnPartition>> cells_;
  MeasurementRounds& rounds_;
  std::vector<CountBlock> blocks_;
  std::vector<double> norms_;
  std::vector<MeasurementCandidate> tables_;
};

}  // namespace mehler
