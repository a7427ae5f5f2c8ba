#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace mehler {

/// Blurs [rows][columns] floats with a Gaussian of `sigma` pixels, cut at radius
/// floor(3 sigma + .5) and of sum 1; outside of the picture is 0. Thread-safe; memory of its own is
/// wiped.
class GaussianBlur {
 public:
  /// sigma > 0.
  GaussianBlur(std::size_t rows, std::size_t columns, double sigma);

  /// `blurred` may be `field`.
  void apply(std::span<const float> field, std::span<float> blurred) const;
  /// The same in memory of scratch_size() numbers that the caller has, and wipes.
  void apply(std::span<const float> field, std::span<float> scratch,
             std::span<float> blurred) const;
  std::size_t scratch_size() const { return rows_ * (columns_ + weights_.size() - 1); }

  /// The standard deviation of blurred independent noise of standard deviation 1, away from the
  /// borders: the sum of the squared weights of one direction.
  double noise_deviation() const;

 private:
  std::size_t rows_;
  std::size_t columns_;
  std::vector<float> weights_;  // of distances -radius .. radius
};

}  // namespace mehler
