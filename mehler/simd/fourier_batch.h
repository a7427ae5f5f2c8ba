#pragma once

#include <cstddef>

namespace mehler {

// Cosines and sines of GENERATED records' angles in single precision: a tile [rows][count] of
// angles, |angle| <= 30,000. Absolute error of a cosine below 4e-6 (1 + |angle|).

/// cosines[j] += sum over the rows of cos(angles[r][j]); the same for sines.
void add_cosine_sine_sums(const float* angles, std::size_t rows, std::size_t count, float* cosines,
                          float* sines);

/// Replaces every angle a by the derivative at a of cosine_weights[j] cos(a) + sine_weights[j]
/// sin(a).
void replace_by_slopes(float* angles, std::size_t rows, std::size_t count,
                       const float* cosine_weights, const float* sine_weights);

}  // namespace mehler
