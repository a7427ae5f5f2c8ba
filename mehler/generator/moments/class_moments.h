#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mehler/estimation/measured_products.h"
#include "mehler/release/measured_sums.h"

namespace mehler {

/// The classes' moments in the subspace, in half-whitened coordinates.
class ClassMoments {
 public:
  /// Sums of a vector and of its products, by class; `counts`: of each class, positive.
  ClassMoments(const MeasuredSum& means, const MeasuredSum& scatters,
               std::span<const double> counts);

  const Dense& means() const { return means_; }  ///< [class][direction]
  const Dense& total() const { return total_; }  ///< covariance of all records
  const std::vector<Dense>& covariances() const { return covariances_; }

 private:
  double share(std::size_t k) const { return counts_[k] / rows_; }

  /// Means of classes, shrunk to that of all by as much as the noise makes of their distance.
  void set_means(const MeasuredSum& measured);
  /// Covariances by class: in coordinates where the pooled one is the identity, a scale for each
  /// class, and of the rest as much as stands out of the noise.
  void set_covariances(const MeasuredSum& measured);
  /// `sizes`: by how much noise on an entry is multiplied in these coordinates.
  Dense shrunk(Dense relative, std::span<const double> sizes, double noise) const;

  std::size_t size_;
  std::vector<double> counts_;
  double rows_ = 0.0;
  Dense means_;
  Dense pooled_;  ///< covariance within classes
  Dense total_;
  std::vector<Dense> covariances_;
};

}  // namespace mehler
