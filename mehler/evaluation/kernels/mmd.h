#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/encoding/encoded_batch.h"
#include "mehler/evaluation/kernels/record_kernel.h"
#include "mehler/features/feature_map.h"

namespace mehler {

/// The squared maximum mean discrepancy of two sets of records, for both kernels, by the biased
/// estimator
///
///   (1/m^2) sum k(x_i, x_j) + (1/n^2) sum k(y_i, y_j) - (2/(m n)) sum k(x_i, y_j),
///
/// which is at least 0, and 0 for two equal sets. Absolute error below 1e-12.
///
/// Cost: (m^2 + n^2) / 2 + m n pairs, each one exponential a column of numbers; memory for one copy
/// of the records. Threads share the work; the result is the same for any number of them. Throws
/// Error(kInvalidArgument) for an empty set, Error(kCancelled).
///
/// Privacy: reads the records of both. The result is covered by no guarantee.
KernelValues exact_squared_mmd(const RecordKernel& kernel, const EncodedBatch& x,
                               const EncodedBatch& y, const Context& context);

/// The features of the sum kernel: Hermite features of numbers (with the best rho for order and
/// length scale), one-hot codes of categories, times the one-hot label, over sqrt(D).
class SumKernelFeatures {
 public:
  /// Throws Error(kInvalidArgument) for an order outside its limits.
  SumKernelFeatures(const RecordKernel& kernel, std::size_t order);

  /// Entries of a mean: classes times the entries of all columns.
  std::size_t dimension() const { return classes_ * entries_; }

  /// The mean of the features over the records, [classes][entries of the columns]. Throws
  /// Error(kInvalidArgument) if there are none. Cost: linear in the records.
  ///
  /// Privacy: exact, so covered by no guarantee; measurement/embedding.h makes private ones.
  std::vector<double> mean(const EncodedBatch& records) const;

 private:
  std::vector<FeatureMap> maps_;
  std::optional<std::size_t> label_;
  std::size_t classes_;
  std::size_t entries_ = 0;
};

/// ||a - b||^2: of two mean features, the approximate squared MMD.
double squared_distance(std::span<const double> a, std::span<const double> b);

}  // namespace mehler
