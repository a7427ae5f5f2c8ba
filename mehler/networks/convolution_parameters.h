#pragma once

#include <cstddef>
#include <span>

#include "mehler/core/matrix.h"
#include "mehler/core/seeded_random.h"
#include "mehler/core/worker_pool.h"
#include "mehler/simd/convolution.h"

namespace mehler {

// What layers with convolutions share.

/// The fewest images of a group that weight gradients are summed in.
constexpr std::size_t kConvolutionGroupImages = 16;

/// Weights that are uniform within 1 / sqrt(numbers that a result is made of).
void draw_kernels(std::span<float> weights, std::size_t numbers, SeededRandom& random);

/// The gradient by the bias of each channel: the sum of its slopes. A row of the slopes is
/// [gradient.size()][positions].
void sum_slopes_of_channels(const Matrix& slopes, std::span<float> gradient, WorkerPool& pool);

/// The convolution that takes slopes back to what they are slopes by.
ConvolutionSize turned(const ConvolutionSize& size);

/// Its weights: the kernels turned round.
std::vector<float> turned_weights(const ConvolutionSize& size, const float* weights);

}  // namespace mehler
