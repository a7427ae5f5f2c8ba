#pragma once

#include <cstddef>
#include <span>

namespace mehler {

/// The weighted mean of each pixel's surroundings, weights[i] weights[j] being those of the pixel
/// i - radius further down and j - radius further to the right, 2 radius + 1 weights; outside of
/// the picture is 0. `field` and `blurred` are [rows][columns] and may be the same; `scratch` is
/// rows (columns + 2 radius) numbers. The same bits on every instruction set.
void separable_blur(std::span<const float> weights, const float* field, std::size_t rows,
                    std::size_t columns, std::span<float> scratch, float* blurred);

}  // namespace mehler
