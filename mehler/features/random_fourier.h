#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mehler {

/// Random Fourier features of d numbers: those of DP-MERF.
///
///   phi(x) = (1 / sqrt F) (cos(w_1 x), sin(w_1 x), .., cos(w_F x), sin(w_F x)),
///   w_j ~ N(0, I / length_scale^2)
///
/// By Bochner's theorem <phi(x), phi(y)> has the mean exp(-||x - y||^2 / (2 length_scale^2)) over
/// the frequencies w_j; its standard deviation falls only with 1 / sqrt F.
///
/// The frequencies come from a public seed through SeededRandom, one frequency after the other: the
/// same seed gives the same frequencies everywhere, and fewer of them are the first of more.
///
/// Privacy: ||phi(x)||_2 = 1 for every x, because cos^2 + sin^2 = 1 (computed: within 1e-12 of it).
class RandomFourierFeatures {
 public:
  static constexpr std::size_t kMaxInputs = 100'000;
  static constexpr std::size_t kMaxFrequencies = 1'000'000;
  /// Frequencies times inputs, that is, numbers that are kept: 1 GB of them.
  static constexpr std::size_t kMaxNumbers = std::size_t{1} << 27;

  /// Throws Error(kInvalidArgument) unless inputs and frequencies are at least 1 and within the
  /// limits above and the length scale is one that Hermite features take too.
  RandomFourierFeatures(std::size_t inputs, std::size_t frequencies, double length_scale,
                        std::uint64_t seed);

  /// d: how many numbers one x has.
  std::size_t inputs() const { return inputs_; }
  /// F.
  std::size_t frequencies() const { return frequencies_; }
  /// 2 F.
  std::size_t dimension() const { return 2 * frequencies_; }
  double length_scale() const { return length_scale_; }
  std::uint64_t seed() const { return seed_; }
  /// All frequencies, [frequencies][inputs].
  std::span<const double> weights() const { return weights_; }
  /// w_j: `inputs` numbers.
  std::span<const double> frequency(std::size_t j) const {
    return std::span(weights_).subspan(j * inputs_, inputs_);
  }

  /// phi(x) of x[0 .. inputs) into out[0 .. dimension). Absolute error of an entry below 1e-14
  /// (1 + |w_j x|).
  void evaluate(const double* x, double* out) const;

  bool operator==(const RandomFourierFeatures&) const = default;

 private:
  std::size_t inputs_;
  std::size_t frequencies_;
  double length_scale_;
  std::uint64_t seed_;
  std::vector<double> weights_;  ///< [frequencies][inputs]
};

}  // namespace mehler
