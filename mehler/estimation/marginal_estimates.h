#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/encoding/encoder.h"
#include "mehler/estimation/clique_targets.h"
#include "mehler/estimation/value_tree.h"
#include "mehler/release/marginal_measurements.h"

namespace mehler {

/// What is known of one column by itself.
struct ColumnEstimate {
  std::shared_ptr<const ColumnPartition> cells;  ///< the cells that it was counted in
  std::vector<double> counts;                    ///< per cell; at least 0, all records together
  /// For columns of numbers: where values lie within the cells.
  std::optional<ValueTree> values;

  /// The counts in other cells of the same column.
  std::vector<double> counts_in(const ColumnPartition& other) const;
};

/// The noisy counts of each column made possible (of ordered columns by ordered_counts.h, of others
/// the nearest), and refined by the measured differences between halves of ranges.
std::vector<ColumnEstimate> estimate_columns(const MarginalMeasurements& measurements);

/// Refines estimates by further differences, in the order of measuring.
void split_values(std::span<const MeasuredSplits> splits, std::span<ColumnEstimate> columns);

/// What is known of a table of counts of two or three columns.
struct MarginalEstimate {
  std::vector<std::size_t> columns;
  /// The measured counts: the totals that are expected, and the measured deviations from them; not
  /// shrunk, may be negative.
  std::vector<double> target;
  /// Of a pair: the counts if its columns were independent. Of a triple: the counts that its pairs
  /// imply. At least kLeastExpected.
  std::vector<double> expected;
  double cell_variance = 0.0;  ///< of the noise
  double precision = 0.0;      ///< of the orthonormal contrasts
  double tau = 0.0;            ///< see estimate_strengths()

  /// Cell by cell: what is expected, and as much of the deviation from it as the strength says.
  std::vector<double> posterior_mean() const;
};

inline constexpr double kLeastExpected = 0.5;

/// Counts of two columns if they were independent, the second running fastest.
std::vector<double> expect_pair(std::span<const double> first, std::span<const double> second,
                                double rows);

/// The deviations of a measured table from what is expected of it, without those of its totals over
/// a column.
std::vector<double> deviations_from(const MeasuredMarginal& measured, std::vector<double> expected);

/// How likely these deviations are for each of some strengths: see strength_likelihood().
std::vector<double> table_likelihood(const MeasuredMarginal& measured,
                                     std::span<const double> deviations,
                                     std::span<const double> expected, double rows);

/// One for each joint table: the pairs in their order, then the triples in theirs.
std::vector<MarginalEstimate> estimate_tables(const MarginalMeasurements& measurements,
                                              std::span<const ColumnEstimate> columns,
                                              const Context& context);

/// Of each column, its cells in joint tables. A column that is in none has its own cells, or, if it
/// has many categories, a single cell for all of them.
std::vector<std::shared_ptr<const ColumnPartition>> joint_cells(
    const MarginalMeasurements& measurements, std::span<const ColumnEstimate> columns);

/// What a table of codes is fitted to: the columns' counts with weight 1, and the joint tables with
/// weight tau / sigma^2, which makes the fitted table the posterior mean under the prior that
/// deviations from independence have the variance tau * expected; tau counts as 3 at least
/// (docs/methods/marginals.md).
CliqueTargets make_clique_targets(const MarginalMeasurements& measurements,
                                  std::span<const ColumnEstimate> columns,
                                  std::vector<MarginalEstimate>&& tables);

}  // namespace mehler
