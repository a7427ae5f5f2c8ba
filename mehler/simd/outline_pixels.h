#pragma once

#include <span>

namespace mehler {

// What lies between a picture and the distances to its outline, pixel by pixel. The same bits on
// every instruction set; spans are of equal length.

/// distances[i] = sqrt(min(first[i], second[i])), negative where heights[i] > 0.
void signed_roots(std::span<const double> heights, std::span<const double> first,
                  std::span<const double> second, std::span<double> distances);

/// shown[i] = clamp(values[i], 0, 1) clamp(1 - reach distances[i], 0, 1), and 0 where that is below
/// `black`.
void show_inside(std::span<const double> values, std::span<const double> distances, double reach,
                 double black, std::span<float> shown);

}  // namespace mehler
