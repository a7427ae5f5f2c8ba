#pragma once

#include <cstddef>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/encoding/encoder.h"
#include "mehler/evaluation/release/compared_counts.h"
#include "mehler/evaluation/tables/coded_table.h"

namespace mehler {

/// Real and synthetic records in the cells of one column or of two, to be drawn.
struct BinnedShares {
  std::vector<CellAxis> axes;
  /// Shares of each table's records, which add up to 1; the last column runs fastest.
  std::vector<double> real;
  std::vector<double> synthetic;
  /// Of the bins that marginals are compared by, which may be finer than these cells.
  double total_variation = 0.0;
};

/// How much of two tables is drawn.
struct BinnedSharesLimits {
  std::size_t columns = 60;
  /// Columns whose pairs are.
  std::size_t paired_columns = 40;
  /// Cells of a column of numbers or of categories in a pair; neighbouring bins are put together,
  /// and rarer categories are. Missing and unknown values have cells of their own.
  std::size_t cells_of_pair = 10;
};

/// What there is to be drawn of two tables.
struct DrawnShares {
  std::vector<BinnedShares> columns;  ///< those that differ most, the worst first
  std::vector<BinnedShares> pairs;    ///< all pairs of `paired`, in their order
  /// Among the encoder's columns, rising: of all where there are not more than the limit, else of
  /// those that differ most.
  std::vector<std::size_t> paired;
};

/// Cost: a pass over the records a column and two a pair. Throws Error(kCancelled).
///
/// Privacy: reads the records of both. The result is covered by no guarantee.
DrawnShares drawn_shares(const Encoder& encoder, const std::vector<ColumnBins>& bins,
                         const CodedTable& real, const CodedTable& synthetic,
                         const BinnedSharesLimits& limits, const Context& context);

}  // namespace mehler
