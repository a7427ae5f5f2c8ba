#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "mehler/core/matrix.h"
#include "mehler/core/worker_pool.h"

namespace mehler {

/// The squared maximum mean discrepancy of generated and real records of the same classes, by the
/// Gaussian kernel of whole records,
///
///   k((x, y), (x', y')) = (y = y') exp(-|x - x'|^2 / (2 l^2)),
///
/// and the unbiased estimator: no pair of a record with itself counts, and of m records of a class
/// the m^2 pairs of generated and real ones count (m - 1)/m each, so that all three sums are of
/// m (m - 1). With all pairs records would be too close to one another: the mean between generated
/// ones would have k(x, x) in it (docs/design/0026-reference-runs.md). A class of which a batch has
/// one record has no other pair, and keeps that one: its generated records learn to be near real
/// ones, and nothing of how far they are from one another.
///
/// Rows are sorted by class, class_rows[c] of each, in both matrices, [rows][dimension]. Two matrix
/// products a class: inner products of all pairs, and their weights times the records. Results are
/// the same for any number of threads. Single precision.
class KernelDistance {
 public:
  /// `class_weights`: of each class's pairs; none: 1.
  explicit KernelDistance(double length_scale, std::vector<double> class_weights = {})
      : length_scale_(length_scale), class_weights_(std::move(class_weights)) {}

  /// The gradient by the generated records, [rows][dimension].
  Matrix gradient(const Matrix& generated, const Matrix& real,
                  const std::vector<std::size_t>& class_rows, WorkerPool& pool) const;

  /// The squared discrepancy itself, over all pairs of a batch; of two batches of the same law with
  /// at least two records of each class 0 on average, so that it is often below.
  double value(const Matrix& generated, const Matrix& real,
               const std::vector<std::size_t>& class_rows, WorkerPool& pool) const;

 private:
  double length_scale_;
  std::vector<double> class_weights_;
};

}  // namespace mehler
