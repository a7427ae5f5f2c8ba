#include "mehler/accounting/fourier_transform.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace mehler {
namespace fourier_transform_test {

using Values = std::vector<std::complex<double>>;

/// Positive numbers of very different sizes, without a pattern.
Values uneven_values(std::size_t size) {
  Values values(size);
  for (std::size_t i = 0; i < size; ++i) {
    values[i] = std::exp(8.0 * std::sin(static_cast<double>(i * i) + 0.3));
  }
  return values;
}

double sum_of_sizes(const Values& values) {
  double sum = 0.0;
  for (const auto& value : values) {
    sum += std::abs(value);
  }
  return sum;
}

std::complex<long double> plain_transform(const Values& values, std::size_t k) {
  std::complex<long double> sum = 0.0L;
  for (std::size_t j = 0; j < values.size(); ++j) {
    const long double turn =
        static_cast<long double>(j * k % values.size()) / static_cast<long double>(values.size());
    sum += std::complex<long double>(values[j]) *
           std::polar(1.0L, -2.0L * std::numbers::pi_v<long double> * turn);
  }
  return sum;
}

TEST(FourierTransform, ErrsByNoMoreThanItsBound) {
  for (const std::size_t size : {2, 8, 64, 1024, 4096}) {
    const Values values = uneven_values(size);
    const FourierTransform fourier(size);
    Values spectrum = values;
    fourier.transform(spectrum);
    const double bound = fourier.relative_error() * sum_of_sizes(values);
    for (std::size_t k = 0; k < size; k += 1 + size / 64) {
      const auto error = std::complex<long double>(spectrum[k]) - plain_transform(values, k);
      EXPECT_LE(std::abs(error), bound) << size << " " << k;
    }
    EXPECT_LT(bound, 1e-13 * sum_of_sizes(values));
  }
}

TEST(FourierTransform, InvertsItself) {
  const Values values = uneven_values(2048);
  const FourierTransform fourier(2048);
  Values back = values;
  fourier.transform(back);
  fourier.invert_to_real(back);
  const double bound = 2.0 * fourier.relative_error() * sum_of_sizes(values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(back[i].real(), values[i].real(), bound);
  }
}

TEST(FourierTransform, TurnsProductsIntoSumsOfIndices) {
  const FourierTransform fourier(16);
  Values a(16), b(16);
  a[3] = 2.0;
  b[15] = 5.0;
  fourier.transform(a);
  fourier.transform(b);
  for (std::size_t k = 0; k < a.size(); ++k) {
    a[k] *= b[k];
  }
  fourier.invert_to_real(a);
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_NEAR(a[i].real(), i == 2 ? 10.0 : 0.0, 1e-13);  // 3 + 15 on a circle of 16
  }
}

}  // namespace fourier_transform_test
}  // namespace mehler
