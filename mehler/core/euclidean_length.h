#pragma once

#include <cmath>
#include <span>

namespace mehler {

/// sqrt(a^2 + b^2) without overflow or underflow, to within an ulp. In the place of std::hypot,
/// whose rounding changed with glibc 2.35: this is the same on every system with one long double,
/// and a program that was built on a new one runs on an old one.
inline double euclidean_length(double a, double b) {
  const auto long_a = static_cast<long double>(a);
  const auto long_b = static_cast<long double>(b);
  return static_cast<double>(std::sqrt(long_a * long_a + long_b * long_b));
}

/// The 2-norm of numbers, summed in double precision.
inline double euclidean_length(std::span<const float> values) {
  double squares = 0.0;
  for (const float value : values) {
    squares += static_cast<double>(value) * static_cast<double>(value);
  }
  return std::sqrt(squares);
}

}  // namespace mehler
