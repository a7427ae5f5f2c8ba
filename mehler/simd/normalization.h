#pragma once

#include <cstddef>
#include <span>

namespace mehler {

// Batch normalisation and what may follow it, a ReLU, forward and backward, on a tile of rows in
// single precision. A tile is [rows][columns] with columns = the length of the per-column spans;
// sums over its rows are in single precision, so a tile should have some hundreds of rows at most.
// `floor`: the least that comes out; 0 for a ReLU, -infinity for none.

/// Per column: sum = sum of v, squares = sum of (v - sum / rows)^2.
void column_moments(const float* tile, std::size_t rows, std::span<float> sum,
                    std::span<float> squares);

/// v becomes (v - mean) / deviation; output = max(floor, scale v + shift) of the new v.
void normalize_and_rectify(float* tile, std::size_t rows, std::span<const float> mean,
                           std::span<const float> inverse_deviation, std::span<const float> scale,
                           std::span<const float> shift, float floor, float* output);

/// v becomes max(floor, factor v + offset).
void scale_and_rectify(float* tile, std::size_t rows, std::span<const float> factor,
                       std::span<const float> offset, float floor);

/// Backward through the ReLU: g becomes 0 where scale normalized + shift is not above the floor.
/// Per column: sum = sum of the new g, product_sum = sum of g * normalized.
void rectified_gradient_sums(float* gradient, std::size_t rows, const float* normalized,
                             std::span<const float> scale, std::span<const float> shift,
                             float floor, std::span<float> sum, std::span<float> product_sum);

/// Backward through the normalisation: g becomes factor (g - mean - normalized product_mean).
void normalization_gradient(float* gradient, std::size_t rows, const float* normalized,
                            std::span<const float> factor, std::span<const float> mean,
                            std::span<const float> product_mean);

}  // namespace mehler
