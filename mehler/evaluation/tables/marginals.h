#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/evaluation/tables/coded_table.h"

namespace mehler {

/// Which marginals of two tables are compared.
struct MarginalDistanceOptions {
  /// Columns of a subset; at least 1, at most the tables' columns.
  std::size_t ways = 3;
  /// The most subsets that are compared; of more, this many are drawn at random, without
  /// replacement. At least 1.
  std::size_t max_subsets = 2'000;
  /// The seed of that draw.
  std::uint64_t seed = 1;
};

/// The distance of two tables on one subset of columns.
struct SubsetDistance {
  std::vector<std::size_t> columns;  ///< rising
  /// Half the sum of |share in one table - share in the other| over all cells; in [0, 1].
  double total_variation = 0.0;
};

/// The distances of two tables on subsets of one size.
struct MarginalDistances {
  std::size_t ways = 0;
  /// Subsets that exist (UINT64_MAX if there are more), and those compared.
  std::uint64_t all_subsets = 0;
  std::vector<SubsetDistance> subsets;  ///< in lexicographic order
  /// Over the subsets that were compared.
  double mean = 0.0;
  /// Standard error of the mean as an estimate of the mean over all subsets; 0 when all were
  /// compared.
  double standard_error = 0.0;

  bool is_sample() const { return subsets.size() < all_subsets; }
  /// The k-marginal score of the NIST challenges: 1000 for equal marginals, 0 for disjoint ones.
  double nist_score() const { return 1000.0 * (1.0 - mean); }
};

/// Compares two tables of one schema on subsets of columns; a cell is one combination of codes,
/// missing and unknown values included.
///
/// Exact: counts are whole numbers, and the result is the same for any number of threads. Cost: a
/// few nanoseconds a record and subset. Throws Error(kInvalidArgument) for options out of range,
/// Error(kCancelled).
///
/// Privacy: reads the records of both. The result is covered by no guarantee.
MarginalDistances compare_marginals(const CodedTable& a, const CodedTable& b,
                                    const MarginalDistanceOptions& options, const Context& context);

/// The subsets of `ways` out of `columns` that are compared: all, or a random sample of
/// `max_subsets`. In lexicographic order.
std::vector<std::vector<std::size_t>> choose_subsets(std::size_t columns,
                                                     const MarginalDistanceOptions& options);

/// Throws Error(kInvalidArgument) if tables of that many columns have no such marginals.
void require_valid(const MarginalDistanceOptions& options, std::size_t columns);

/// n over k, or UINT64_MAX if it is larger.
std::uint64_t count_subsets(std::size_t n, std::size_t k);

}  // namespace mehler
