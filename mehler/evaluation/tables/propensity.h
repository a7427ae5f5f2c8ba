#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/evaluation/tables/coded_table.h"

namespace mehler {

/// How well a logistic regression tells synthetic records from real ones.
struct PropensityScore {
  /// The mean of (p - c)^2 over all records, where p is the fitted probability that a record is
  /// synthetic and c the share of synthetic ones. 0: not to be told apart; c (1 - c): told apart
  /// without error.
  double pmse = 0.0;
  /// What pmse is on average when both tables are samples of one distribution:
  /// (parameters - 1) c (1 - c) / records. (Snoke et al. 2018 have a further factor 1 - c, for
  /// synthetic records drawn from a model that was fitted to the very records compared with.)
  double expected_pmse = 0.0;
  /// Fitted parameters, the constant among them.
  std::size_t parameters = 0;
  /// Records of each table that were used; fewer than it has if they were sampled.
  std::size_t real_rows = 0;
  std::size_t synthetic_rows = 0;

  /// About 1 when both tables are samples of one distribution; nothing where only the constant was
  /// fitted.
  std::optional<double> ratio() const {
    return parameters > 1 ? std::optional(pmse / expected_pmse) : std::nullopt;
  }
};

struct PropensityOptions {
  /// The most records of each table that are used; of more, a random sample.
  std::size_t max_rows = 100'000;
  /// The most parameters. The codes that are rarest in both tables together are left out first.
  std::size_t max_parameters = 400;
  /// The seed of that sample.
  std::uint64_t seed = 1;
};

/// Fits the regression on the codes of all columns: one parameter for each code that occurs in
/// either table, but for the commonest of its column, so columns act independently and what is told
/// apart is their shape, not their dependence (the marginals are for that). Newton's method with a
/// ridge so small (10^-6 of the curvature of one record) that it only keeps coefficients finite
/// when a code separates the tables. Throws Error(kCancelled).
///
/// Privacy: reads the records of both. The result is covered by no guarantee.
PropensityScore propensity_score(const CodedTable& real, const CodedTable& synthetic,
                                 const PropensityOptions& options, const Context& context);

/// The rows of a table that a sample of at most `size` holds: all, or as many drawn at random
/// without replacement; rising.
std::vector<std::size_t> sample_rows(std::size_t rows, std::size_t size, std::uint64_t seed);

}  // namespace mehler
