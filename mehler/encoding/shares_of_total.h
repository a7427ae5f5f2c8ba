#pragma once

#include <span>
#include <vector>

#include "mehler/table/column.h"

namespace mehler {

/// Makes numbers add up to a fixed total: each is scaled by the same factor, held to its bounds and
/// put on its step; what is then left goes, a step at a time, to those that lost most of theirs by
/// rounding (largest remainders). In whole steps the sum is exact.
class SharesOfTotal {
 public:
  /// Columns with bounds and the same step or decimals, whose bounds let them add up to the total.
  SharesOfTotal(const std::vector<Column>& columns, double total);

  /// In place, one value a column.
  void apply(std::span<double> values) const;

 private:
  std::vector<double> lows_;
  std::vector<double> most_;  ///< steps above the lower bound
  double spacing_ = 1.0;
  double steps_ = 0.0;  ///< of all columns together
  int decimals_ = -1;
};

}  // namespace mehler
