#include "mehler/accounting/fourier_transform.h"

#include <bit>
#include <cmath>
#include <numbers>
#include <utility>

#include "mehler/core/error.h"

namespace mehler {
namespace {

void reverse_bits_of_indices(std::span<std::complex<double>> values) {
  std::size_t reversed = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    std::size_t bit = values.size() / 2;
    for (; reversed & bit; bit /= 2) {
      reversed ^= bit;
    }
    reversed ^= bit;
    if (i < reversed) {
      std::swap(values[i], values[reversed]);
    }
  }
}

}  // namespace

FourierTransform::FourierTransform(std::size_t size) : size_(size), roots_(size / 2) {
  MEHLER_ASSERT(size >= 2 && std::has_single_bit(size));
  for (std::size_t k = 0; k < roots_.size(); ++k) {
    const double angle =
        -2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(size);
    roots_[k] = {std::cos(angle), std::sin(angle)};
  }
}

double FourierTransform::relative_error() const {
  return 9.0 * kUnitRoundoff * static_cast<double>(std::bit_width(size_) - 1);
}

void FourierTransform::transform(std::span<std::complex<double>> values) const {
  MEHLER_ASSERT(values.size() == size_);
  reverse_bits_of_indices(values);
  for (std::size_t half = 1; half < size_; half *= 2) {
    const std::size_t stride = size_ / (2 * half);
    for (std::size_t start = 0; start < size_; start += 2 * half) {
      for (std::size_t k = 0; k < half; ++k) {
        const auto even = values[start + k];
        const auto odd = product(values[start + half + k], roots_[k * stride]);
        values[start + k] = even + odd;
        values[start + half + k] = even - odd;
      }
    }
  }
}

void FourierTransform::invert_to_real(std::span<std::complex<double>> values) const {
  for (auto& value : values) {
    value = std::conj(value) / static_cast<double>(size_);
  }
  transform(values);
}

}  // namespace mehler
