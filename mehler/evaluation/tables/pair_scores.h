#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/encoding/encoder.h"
#include "mehler/evaluation/tables/coded_table.h"
#include "mehler/evaluation/tables/column_scores.h"

namespace mehler {

/// How alike the dependence of two columns is in two tables. Names and definitions are those of
/// SDMetrics 0.32.
enum class PairMetric {
  kCorrelationSimilarity,  ///< two numbers: 1 - |difference of Pearson's correlations| / 2
  kContingencySimilarity,  ///< else: 1 - total variation distance of the shares of value pairs
};
std::string_view metric_name(PairMetric metric);

struct PairScore {
  std::size_t first = 0;  ///< indices into Encoder::columns(), first < second
  std::size_t second = 0;
  PairMetric metric = PairMetric::kContingencySimilarity;
  /// In [0, 1]; nothing where a correlation is not defined: a column is constant, or has no values.
  std::optional<double> score;
  /// How strongly the two depend on each other in the real table: Pearson's correlation, or
  /// Cramer's V of the value pairs; nothing where a column does not vary.
  std::optional<double> real_association;

  /// Whether the package's own report counts the pair (its default thresholds): a correlation
  /// beyond .5 either way, or a V above .3.
  bool is_strong() const;
};

/// One score per pair of columns.
///
/// A number beside a category is cut into ten bins over the range of its own table, as the package
/// does it: each table has bins of its own, the largest value is a bin by itself and shares it with
/// missing values. A shift of a number is therefore not seen here; the marginals, whose bins come
/// from the schema, see it. Between two numbers, records with a missing value are left out.
///
/// Privacy: reads the records of both. The result is covered by no guarantee.
std::vector<PairScore> score_pairs(const Encoder& encoder, const CodedTable& real,
                                   const CodedTable& synthetic, const Context& context);

/// The quality score of SDMetrics: means of the scores that are defined.
struct QualityScore {
  std::optional<double> column_shapes;
  /// The mean over all pairs.
  std::optional<double> column_pair_trends;
  /// The mean of the two, or the one that is defined.
  std::optional<double> overall;
  /// The same two of strong pairs only: what the report of SDMetrics 0.32 shows by default.
  std::optional<double> strong_pair_trends;
  std::optional<double> strong_overall;
};
QualityScore quality_score(const std::vector<ColumnScore>& columns,
                           const std::vector<PairScore>& pairs);

/// Pearson's correlation over the rows that have both values; nothing if one does not vary.
std::optional<double> correlation(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace mehler
