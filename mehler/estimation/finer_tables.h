#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "mehler/estimation/marginal_estimates.h"

namespace mehler {

/// What is known of two columns in finer cells than those of other pairs.
struct FinerTable {
  std::size_t first = 0;
  std::size_t second = 0;
  std::shared_ptr<const ColumnPartition> first_cells;
  std::shared_ptr<const ColumnPartition> second_cells;
  /// [first_cells][second_cells], all above 0; their totals are those of the columns.
  std::vector<double> counts;

  /// The mutual information of the two, in nats: how much they tell of one another.
  double information() const;
};

/// The mutual information of a table of counts, [rows][columns], in nats.
double mutual_information(std::span<const double> counts, std::size_t columns);

/// Estimates the counts of a finer look. `cells` are those of joint tables, `pair` the estimate of
/// the same two columns in them.
FinerTable estimate_finer_table(const MeasuredMarginal& look, const MarginalEstimate& pair,
                                std::span<const ColumnEstimate> columns,
                                std::span<const std::shared_ptr<const ColumnPartition>> cells);

/// Of each pair that was looked at, the last look; `pairs` are the estimates of joint tables.
std::vector<FinerTable> estimate_finer_tables(
    const MarginalMeasurements& measurements, std::span<const ColumnEstimate> columns,
    std::span<const std::shared_ptr<const ColumnPartition>> cells,
    std::span<const MarginalEstimate> pairs, const Context& context);

}  // namespace mehler
