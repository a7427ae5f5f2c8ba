#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

#include "mehler/core/image_shape.h"
#include "mehler/core/seeded_random.h"

namespace mehler {

/// A slanted ellipse with texture on black, 28 x 28, of whole numbers only.
inline std::vector<std::uint8_t> textured_ellipse() {
  std::vector<std::uint8_t> pixels;
  for (int r = 0; r < 28; ++r) {
    for (int c = 0; c < 28; ++c) {
      const int value = 300 - 3 * (r - 12) * (r - 12) - 2 * (c - 15) * (c - 15) -
                        (r - 12) * (c - 15) + (37 * r + 101 * c + 13 * r * c) % 60 - 30;
      pixels.push_back(static_cast<std::uint8_t>(std::clamp(value, 0, 255)));
    }
  }
  return pixels;
}

/// A bright spot of soft edges on black, a little different in each channel: one picture, in as
/// many pixels as the shape has.
inline std::vector<std::uint8_t> soft_spot(const ImageShape& shape) {
  std::vector<std::uint8_t> pixels;
  for (std::size_t r = 0; r < shape.rows; ++r) {
    for (std::size_t c = 0; c < shape.columns; ++c) {
      const double y = (static_cast<double>(r) + 0.5) / static_cast<double>(shape.rows) - 0.45;
      const double x = (static_cast<double>(c) + 0.5) / static_cast<double>(shape.columns) - 0.55;
      for (std::size_t channel = 0; channel < shape.channels; ++channel) {
        const double tint = 1.0 - 0.2 * static_cast<double>(channel);
        const double value = 240.0 * tint * std::exp(-18.0 * (1.5 * x * x + y * y + 0.8 * x * y));
        pixels.push_back(static_cast<std::uint8_t>(std::lround(value)));
      }
    }
  }
  return pixels;
}

/// Independent bytes, a third of them 0.
inline std::vector<std::uint8_t> random_pixels(const ImageShape& shape, std::uint64_t seed) {
  SeededRandom random(seed);
  std::vector<std::uint8_t> pixels(shape.size());
  for (std::uint8_t& pixel : pixels) {
    pixel = random.flip(1.0 / 3.0) ? 0 : static_cast<std::uint8_t>(random.next_word() >> 56);
  }
  return pixels;
}

/// Shapes from one pixel to the largest, grey and colour.
inline std::vector<ImageShape> odd_shapes() {
  return {{1, 1, 1}, {1, 1, 3}, {1, 64, 1},  {64, 1, 3},  {2, 3, 1},
          {8, 8, 1}, {5, 9, 3}, {28, 28, 1}, {32, 32, 3}, {64, 64, 3}};
}

/// Three sums that change if any of the values does: of squares, and of values and squares times
/// cos(their place).
struct ValueSums {
  double squares = 0.0;
  double values = 0.0;
  double placed_squares = 0.0;
};

template <class Number>
ValueSums sums_of(const std::vector<Number>& values) {
  ValueSums sums;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = static_cast<double>(values[i]);
    const double wave = std::cos(static_cast<double>(i));
    sums.squares += value * value;
    sums.values += value * wave;
    sums.placed_squares += value * value * wave;
  }
  return sums;
}

}  // namespace mehler
