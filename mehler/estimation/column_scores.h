#pragma once

#include <memory>
#include <optional>
#include <span>

#include "mehler/counts/record_vector.h"
#include "mehler/estimation/marginal_estimates.h"

namespace mehler {

/// x with Phi(x) = probability, for probabilities from Phi(-4) to Phi(4); others count as these.
double normal_quantile(double probability);

/// Normal scores by the columns' estimated counts: a cell's score is the mean of the standard
/// normal between the quantiles that the cell reaches from and to, and all scores of a column are
/// scaled to variance 1; at most 3. Missing values have the score 0, the mean. Columns of a single
/// cell, and the one that is left out, have none.
std::shared_ptr<const ScoreTables> normal_scores(std::span<const ColumnEstimate> columns,
                                                 std::optional<std::size_t> left_out);

}  // namespace mehler
