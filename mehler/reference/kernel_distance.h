#pragma once

#include <cstddef>
#include <vector>

#include "mehler/core/matrix.h"
#include "mehler/core/worker_pool.h"

namespace mehler {

/// The squared maximum mean discrepancy of generated and real records of the same classes, by the
/// Gaussian kernel of whole records,
///
///   k((x, y), (x', y')) = (y = y') exp(-|x - x'|^2 / (2 l^2)),
///
/// and the biased estimator: over all pairs the mean of k between generated records, less twice
/// that between generated and real ones, and that between real ones. The unbiased one differs by
/// factors and by k(x, x), which is constant.
///
/// Rows are sorted by class, class_rows[c] of each, in both matrices, [rows][dimension]. Two matrix
/// products a class: inner products of all pairs, and their weights times the records. Results are
/// the same for any number of threads. Single precision.
class KernelDistance {
 public:
  explicit KernelDistance(double length_scale) : length_scale_(length_scale) {}

  /// The gradient by the generated records, [rows][dimension].
  Matrix gradient(const Matrix& generated, const Matrix& real,
                  const std::vector<std::size_t>& class_rows, WorkerPool& pool) const;

  /// The squared discrepancy itself.
  double value(const Matrix& generated, const Matrix& real,
               const std::vector<std::size_t>& class_rows, WorkerPool& pool) const;

 private:
  double length_scale_;
};

}  // namespace mehler
