#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace mehler {

/// Two frequencies of a cosine wave: half waves down the picture and across it.
struct WaveNumbers {
  std::size_t down = 0;
  std::size_t across = 0;

  bool operator==(const WaveNumbers&) const = default;
};

/// The low frequencies of the orthonormal cosine transform (DCT-II) of [rows][columns] numbers:
///
///   t_kl = sum_rc a_k(r) b_l(c) f_rc
///   a_k(r) = sqrt((k > 0 ? 2 : 1) / rows) cos(pi (r + 1/2) k / rows), b_l(c) the same of columns
///
/// for the frequencies k < rows, l < columns with k / L + l / L' < 1, row by row. Separable loops
/// in double precision: the frequencies of a column first, then of the few rows that are left.
class CosineTransform {
 public:
  /// The limits are L = limit_down / denominator and L' = limit_across / denominator, in half waves
  /// a picture.
  CosineTransform(std::size_t rows, std::size_t columns, std::size_t limit_down,
                  std::size_t limit_across, std::size_t denominator);

  /// The frequencies that are kept, in the order of their numbers.
  std::span<const WaveNumbers> waves() const { return waves_; }

  /// `field` is [rows][columns].
  void forward(std::span<const double> field, std::span<double> transformed) const;
  /// The field of these frequencies, all others being 0.
  void backward(std::span<const double> transformed, std::span<double> field) const;

 private:
  std::size_t rows_;
  std::size_t columns_;
  std::vector<std::size_t> counts_;  // for each frequency down, how many across are kept
  std::vector<WaveNumbers> waves_;
  std::vector<double> down_;           // [frequencies][rows]
  std::vector<double> down_turned_;    // [rows][frequencies]
  std::vector<double> across_;         // [frequencies][columns]
  std::vector<double> across_turned_;  // [columns][frequencies]
};

}  // namespace mehler
