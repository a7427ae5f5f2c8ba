#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

namespace mehler {

/// 2^-53: by how much of its size a double can be wrong that was rounded.
inline constexpr double kUnitRoundoff = 0x1p-53;

/// Without the checks for infinities of the library's product, which take most of its time.
inline std::complex<double> product(std::complex<double> a, std::complex<double> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// The discrete Fourier transform of one size, with a proven bound of its rounding error.
///
/// Error: an output is a sum of all inputs, each multiplied by log2(size) roots of unity and added
/// log2(size) times. A product of complex numbers is wrong by at most sqrt(5) u of its size
/// (Brent, Percival and Zimmermann 2007), a sum by u, a root as computed here by 5 u, where u =
/// 2^-53. So every output is wrong by at most relative_error() = 9 u log2(size) times the sum of
/// the absolute values of the inputs.
class FourierTransform {
 public:
  /// `size` is a power of two, at least 2.
  explicit FourierTransform(std::size_t size);

  double relative_error() const;

  /// Replaces values by sum_j values[j] exp(-2 pi i j k / size), in place.
  void transform(std::span<std::complex<double>> values) const;

  /// The inverse of a spectrum of real numbers: the real parts of sum_k values[k] exp(2 pi i j k /
  /// size) / size end in the real parts of `values`. The error is relative_error() times the mean
  /// absolute value of the spectrum.
  void invert_to_real(std::span<std::complex<double>> values) const;

 private:
  std::size_t size_;
  std::vector<std::complex<double>> roots_;  ///< exp(-2 pi i k / size), k < size / 2
};

}  // namespace mehler
