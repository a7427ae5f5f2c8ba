#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/encoding/encoder.h"
#include "mehler/evaluation/tables/closest_record.h"
#include "mehler/evaluation/tables/coded_table.h"
#include "mehler/evaluation/tables/column_scores.h"
#include "mehler/evaluation/tables/marginals.h"
#include "mehler/evaluation/tables/pair_scores.h"
#include "mehler/evaluation/tables/propensity.h"

namespace mehler {

struct EvaluationOptions {
  /// Sizes of the column subsets whose marginals are compared. Empty: 1, 2 and 3, as far as there
  /// are columns.
  std::vector<std::size_t> ways;
  /// The most subsets of each size; of more, a random sample.
  std::size_t max_subsets = MarginalDistanceOptions{}.max_subsets;
  /// The seed of all samples.
  std::uint64_t seed = 1;

  /// `ways`, with the default filled in. Throws Error(kInvalidArgument) for a size that is larger
  /// than the number of the schema's columns.
  std::vector<std::size_t> ways_of(const Encoder& encoder) const;
};

/// Everything that two tables of one schema are compared by.
struct TableEvaluation {
  std::size_t real_rows = 0;
  std::size_t synthetic_rows = 0;
  std::vector<ColumnScore> columns;
  std::vector<PairScore> pairs;
  QualityScore quality;
  std::vector<MarginalDistances> marginals;
  PropensityScore propensity;
  /// The share of synthetic records that occur among the real ones.
  double matches_real = 0.0;

  /// With a table of training records only.
  struct Training {
    std::size_t rows = 0;
    ClosestRecords closest;
    /// The share of synthetic records that occur among the training records, and, beside it, that
    /// of held-out records.
    double synthetic_matches = 0.0;
    double held_out_matches = 0.0;
  };
  std::optional<Training> training;
};

/// Compares a synthetic table with real records, best with records that were not trained on; and,
/// where `training` is not null, with those that were.
///
/// Throws Error(kInvalidArgument) for options out of range, Error(kCancelled).
///
/// Privacy: reads real records without noise. The result is covered by no guarantee; it is for the
/// data's owner.
TableEvaluation evaluate_tables(const Encoder& encoder, const CodedTable& real,
                                const CodedTable& synthetic, const CodedTable* training,
                                const EvaluationOptions& options, const Context& context);

}  // namespace mehler
