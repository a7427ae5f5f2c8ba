#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mehler/core/context.h"

namespace mehler {

/// Records as a regression takes them: in each, at most one feature a column is not zero. The
/// constant, parameter 0, is 1 in every record and not listed.
struct SparseFeatures {
  std::size_t rows = 0;
  std::size_t width = 0;              ///< entries a record: columns
  std::size_t parameters = 1;         ///< the constant among them
  std::vector<std::uint32_t> active;  ///< [rows][width]: parameters; 0 where a column has none
  std::vector<double> values;         ///< of the same features; empty where all are 1

  /// The sum of coefficients times features of a record; one coefficient a parameter.
  double linear_part(std::size_t row, const std::vector<double>& coefficients) const;
};

struct LogisticOptions {
  /// Half of this, times the square of every parameter but the constant, is added to the loss, the
  /// sum of the records' losses. At least 0.
  double ridge = 1.0;
  /// Leave out features that repeat others; for a ridge that is next to nothing.
  bool drops_redundant = false;
};

struct LogisticFit {
  std::vector<double> parameters;
  /// Parameters that were fitted; fewer where redundant ones were dropped.
  std::size_t fitted = 0;
};

/// 1 / (1 + exp(-value)).
double logistic(double value);

/// Fits the probability of a positive outcome by Newton's method. `is_positive` has one entry a
/// record. Time: rows width^2 + parameters^3 a step, of which ten or so are needed.
/// Throws Error(kCancelled).
LogisticFit fit_logistic(const SparseFeatures& features, const std::vector<char>& is_positive,
                         const LogisticOptions& options, const Context& context);

}  // namespace mehler
