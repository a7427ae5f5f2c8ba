#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/estimation/marginal_estimates.h"
#include "mehler/synthesis/marginals/joint_cells.h"
#include "mehler/synthesis/marginals/marginals_options.h"

namespace mehler {

/// `triples` is their number, `pairs` are the estimates of the pairs, `rows` the records.
bool are_triples_wanted(Triples choice, double epsilon, std::size_t triples,
                        std::span<const MarginalEstimate> pairs, double rows);

/// Three columns, ascending.
using ColumnTriple = std::vector<std::size_t>;

/// All triples of columns whose three pairs are among `pairs`, which ascend; none if there are more
/// than kMostTriples.
std::vector<ColumnTriple> triples_of(std::span<const ColumnPair> pairs);

/// The most triples that are measured.
inline constexpr std::size_t kMostTriples = 5000;

/// Coarser cells of the columns, for a first look at triples: at most 6 each, missing values
/// included. Numbers have ranges of about as many records each; of categories the most frequent
/// stay apart. Where a column has no more cells than that, they are its own.
std::vector<std::shared_ptr<const ColumnPartition>> scout_cells(
    std::span<const ColumnEstimate> columns,
    std::span<const std::shared_ptr<const ColumnPartition>> cells);

/// What is known of a triple after a first look.
struct ScoutedTriple {
  ColumnTriple columns;
  /// In the pairs' cells: the counts that are expected given the pairs, at least kLeastExpected.
  std::vector<double> expected;
  /// How much three columns have in common beyond their pairs; all triples share one prior.
  double tau = 0.0;
  /// Variance of the noise of a cell where the first look was in the pairs' cells; else 0.
  double cell_variance = 0.0;
};

/// Judges triples by the measurements of them. `pairs` are the estimates of all pairs.
std::vector<ScoutedTriple> scout_triples(const MarginalMeasurements& measurements,
                                         std::span<const ColumnEstimate> columns,
                                         std::span<const MarginalEstimate> pairs,
                                         const Context& context);

}  // namespace mehler
