#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/encoding/encoder.h"
#include "mehler/evaluation/tables/coded_table.h"

namespace mehler {

/// How alike one column is in two tables. Names and definitions are those of SDMetrics.
enum class ColumnMetric {
  kKSComplement,  ///< numbers, dates, times: 1 - largest distance of the distribution functions
  kTVComplement,  ///< categories: 1 - total variation distance of their shares
};
std::string_view metric_name(ColumnMetric metric);

/// The likeness of one column in two tables; missing values are left out.
struct ColumnScore {
  std::size_t column = 0;  ///< index into Encoder::columns()
  ColumnMetric metric = ColumnMetric::kKSComplement;
  /// In [0, 1], 1 for equal distributions; nothing where a table has no value at all.
  std::optional<double> score;
  /// Columns of numbers: the Wasserstein-1 distance, in the column's units (days, microseconds).
  std::optional<double> wasserstein;
  /// The same as a share of the width of the declared bounds.
  std::optional<double> relative_wasserstein;
};

/// One score per used column. Cost: sorts each column of numbers. Threads share the columns.
///
/// Privacy: reads the records of both. The result is covered by no guarantee.
std::vector<ColumnScore> score_columns(const Encoder& encoder, const CodedTable& real,
                                       const CodedTable& synthetic, const Context& context);

/// The largest distance of the empirical distribution functions of two samples, and the area
/// between them. Both samples are sorted and not empty.
struct DistributionDistance {
  double kolmogorov_smirnov = 0.0;
  double wasserstein = 0.0;
};
DistributionDistance distribution_distance(const std::vector<double>& a,
                                           const std::vector<double>& b);

}  // namespace mehler
