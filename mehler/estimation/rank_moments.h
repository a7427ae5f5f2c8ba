#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mehler/estimation/marginal_estimates.h"

namespace mehler {

/// Scores of an ordered column's cells by rank: the share of records below the middle of each, with
/// mean 0 and, over all `rows` records, variance 1; 0 for missing values. Empty where the column
/// has no order, or all its records are in one cell.
std::vector<double> rank_scores(const ColumnPartition& cells, std::span<const double> counts,
                                double rows);

/// Gives the pairs of ordered columns among `targets` their rank moments: sum of the products of
/// both scores over the records, `rows` times Spearman's correlation of the cells.
///
/// What a pair's cells tell one by one is shrunk by as much as the noise hides of each cell; but
/// one number that all of them bear on is measured far more precisely, and dependence of ordered
/// columns is mostly that number. It has a strength of its own, with one prior for all pairs: the
/// moment is N(0, tau rows + its noise). A single number says little of its strength, so its weight
/// is such that the posterior mean is met, which of a moment that may be noise is next to nothing.
/// `tables` are those of `targets`, in their order after the columns.
void add_rank_moments(std::span<const std::shared_ptr<const ColumnPartition>> cells,
                      std::span<const MarginalEstimate> tables, double rows,
                      CliqueTargets& targets);

}  // namespace mehler
