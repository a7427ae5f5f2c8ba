#pragma once

#include <cstddef>

namespace mehler {

/// Rows and columns of an image: at most this many pixels.
inline constexpr std::size_t kLongestImageSide = 64;

/// The shape of an image column. Pixels are bytes, row by row, the channels of a pixel together.
struct ImageShape {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t channels = 1;  ///< 1: grey, 3: red, green, blue

  /// Bytes of one image.
  std::size_t size() const { return rows * columns * channels; }
  bool operator==(const ImageShape&) const = default;
};

}  // namespace mehler
