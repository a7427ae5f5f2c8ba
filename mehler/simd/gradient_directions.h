#pragma once

#include <cstddef>
#include <span>

namespace mehler {

/// The neighbours of the first of some pixels that follow each other in memory.
struct PixelNeighbours {
  const float* above = nullptr;
  const float* left = nullptr;
  const float* right = nullptr;
  const float* below = nullptr;
};

/// For each pixel the length of its gradient (x, y) = scale (right - left, below - above),
/// sqrt(x^2 + y^2 + 1e-12), and its direction in eighths of a turn, in [0, 8], from x to y: 0 where
/// the length is at most `faint`. Directions are within 2e-6 of the exact ones. The same bits on
/// every instruction set; spans are of equal length.
void gradient_directions(const PixelNeighbours& first, float scale, float faint,
                         std::span<float> lengths, std::span<float> directions);

}  // namespace mehler
