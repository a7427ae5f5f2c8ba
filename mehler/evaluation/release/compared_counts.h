#pragma once

#include <string>
#include <vector>

namespace mehler {

/// The cells of one column in a table of counts.
struct CellAxis {
  std::string column;
  /// Of numbers, in the units of the column's bounds: where the cells of values begin, and where
  /// the last one ends. Empty for categories.
  std::vector<double> edges;
  /// One a cell, in words: "17 to 24", "north", "missing".
  std::vector<std::string> labels;
};

/// Noisy counts of a release beside those of synthetic records, cell by cell.
struct ComparedCounts {
  std::vector<CellAxis> axes;  ///< of one column or of two
  /// Of one column: counts. Of two: what of the counts their columns' counts do not tell, as it is
  /// released; its totals over each column are 0. The last column runs fastest.
  std::vector<double> released;
  double sigma = 0.0;  ///< standard deviation of the noise of each
  /// The same of the synthetic records, times the released number of records over theirs. Empty
  /// where there are no records.
  std::vector<double> synthetic;
};

}  // namespace mehler
