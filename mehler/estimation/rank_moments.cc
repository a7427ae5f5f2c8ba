#include "mehler/estimation/rank_moments.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mehler/core/error.h"
#include "mehler/estimation/count_estimates.h"

namespace mehler {
namespace {

/// Sum of squared deviations from the mean.
double squared_deviations(std::span<const double> values) {
  const double mean =
      std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  double sum = 0.0;
  for (const double value : values) {
    sum += (value - mean) * (value - mean);
  }
  return sum;
}

}  // namespace

std::vector<double> rank_scores(const ColumnPartition& cells, std::span<const double> counts,
                                double rows) {
  MEHLER_ASSERT(counts.size() == cells.size());
  const bool is_ordered = cells.column().is_number() || cells.column().kind == ColumnKind::kOrdinal;
  if (!is_ordered || !cells.rare().empty()) {
    return {};
  }
  std::vector<double> scores(cells.size(), 0.0);
  double below = 0.0;
  double sum = 0.0;
  for (std::size_t i = 0; i < cells.value_cells(); ++i) {
    scores[i] = below + 0.5 * counts[i];
    below += counts[i];
    sum += counts[i] * scores[i];
  }
  double squares = 0.0;
  for (std::size_t i = 0; i < cells.value_cells() && below > 0.0; ++i) {
    scores[i] -= sum / below;
    squares += counts[i] * scores[i] * scores[i];
  }
  if (!(squares > 1e-9 * rows)) {
    return {};
  }
  for (double& score : scores) {
    score *= std::sqrt(rows / squares);
  }
  return scores;
}

void add_rank_moments(std::span<const std::shared_ptr<const ColumnPartition>> cells,
                      std::span<const MarginalEstimate> tables, double rows,
                      CliqueTargets& targets) {
  std::vector<std::vector<double>> scores;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    scores.push_back(rank_scores(*cells[c], targets.cliques[c].target, rows));
  }
  std::vector<CliqueTarget*> pairs;
  std::vector<double> noises;  ///< of the moments, over what a strength of 1 gives them
  std::vector<std::vector<double>> likelihoods;
  MEHLER_ASSERT(targets.cliques.size() == cells.size() + tables.size());
  for (std::size_t i = 0; i < tables.size(); ++i) {
    CliqueTarget& clique = targets.cliques[cells.size() + i];
    if (clique.columns.size() != 2) {
      continue;
    }
    const std::vector<double>& first = scores[clique.columns[0]];
    const std::vector<double>& second = scores[clique.columns[1]];
    if (first.empty() || second.empty()) {
      continue;
    }
    clique.first_scores = first;
    clique.second_scores = second;
    // The contrasts' noise has this variance in any direction of length 1.
    const double noise =
        squared_deviations(first) * squared_deviations(second) / tables[i].precision;
    pairs.push_back(&clique);
    noises.push_back(noise / rows);
    likelihoods.push_back(strength_likelihood(std::vector{clique.moment(clique.target)},
                                              std::vector{rows}, noise, 1.0, rows));
  }
  if (pairs.empty()) {
    return;
  }
  constexpr double kMostKept = 1.0 - 1e-9;
  const std::vector<double> kept = estimate_kept_shares(likelihoods, noises, rows);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    // By chance a moment has the variance `rows`: with this weight so much of it is met.
    const double share = std::min(kept[i], kMostKept);
    pairs[i]->moment_weight = share / (1.0 - share) / rows;
  }
}

}  // namespace mehler
