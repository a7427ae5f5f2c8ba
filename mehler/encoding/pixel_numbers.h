#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace mehler {

/// Bytes that a pixel's channel can have.
inline constexpr std::size_t kPixelValues = 256;

/// A pixel as a number in [-1, 1]: 0 is -1, 255 is 1.
inline double number_of_pixel(std::uint8_t pixel) {
  return (2.0 * static_cast<double>(pixel) - 255.0) / 255.0;
}

/// One of the two nearest pixels, such that the mean over all `chance` in [0, 1) is the number: the
/// nearest would take all that lies below half a pixel to 0, and its spread with it. Numbers
/// outside of [-1, 1] have the pixel at its end.
inline std::uint8_t pixel_of_number(double number, double chance) {
  return static_cast<std::uint8_t>(
      std::min(255.0, std::floor(std::clamp(127.5 * (number + 1.0), 0.0, 255.0) + chance)));
}

}  // namespace mehler
