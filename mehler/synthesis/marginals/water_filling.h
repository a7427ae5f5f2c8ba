#pragma once

#include <span>
#include <vector>

namespace mehler {

/// A table of counts whose cells can be measured more precisely.
struct MeasurementCandidate {
  std::vector<double> variances;  ///< of what is known of each cell
  double price = 1.0;             ///< mu^2 for a precision of 1 on each cell
  double importance = 1.0;
};

/// The precisions beta >= 0 to add to the tables' cells that minimise
///
///   sum over tables of importance * sum over cells of sqrt(variance / (1 + variance beta)),
///
/// the expected absolute errors, where sum of price * beta is `budget` > 0. All zero if no cell has
/// a variance.
std::vector<double> fill_with_precision(std::span<const MeasurementCandidate> tables,
                                        double budget);

}  // namespace mehler
