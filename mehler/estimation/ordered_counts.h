#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace mehler {

/// The noisy counts of an ordered column's cells.
struct NoisyColumn {
  std::vector<double> counts;  ///< of all cells; may be negative
  double sigma = 1.0;          ///< standard deviation of their noise; positive
  /// Runs of cells [first, second) whose neighbours have counts of about the same size: ranges of
  /// one width, grades of a scale. Cells in no run (missing values, a single frequent value) stand
  /// for themselves. Disjoint.
  std::vector<std::pair<std::size_t, std::size_t>> runs;
};

/// In a column with more cells than this, the chain below would cost too much.
inline constexpr std::size_t kMostChainedCells = 1024;

/// Possible counts of ordered columns: at least 0, each column's with the sum `rows`.
///
/// A cell's count has a prior on a grid, 0 and steps up to `rows`, which is estimated from the
/// cells of all columns (EM). Along a run the counts are a Markov chain on this grid:
///
///   P(x' | x) = a prior(x') + (1 - a) K_s(x, x'),   K_s ~ exp(-|log x' - log x| / s),
///
/// a jump with probability a, else a step by a factor of about e^s. What s and a are is averaged
/// over sixteen models with weights that are estimated from all columns. The result are posterior
/// means; what they lack of `rows` goes where the posterior variances are. Cells at the ends of a
/// column's runs, and in none, that are more likely empty than not are empty: noise makes no tails.
///
/// Where the noise is finer than the grid a count is as measured: the prior says nothing there.
std::vector<std::vector<double>> estimate_ordered_counts(std::span<const NoisyColumn> columns,
                                                         double rows);

}  // namespace mehler
