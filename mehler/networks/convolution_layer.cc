#include "mehler/networks/convolution_parameters.h"
#include "mehler/networks/layers.h"
#include "mehler/networks/row_groups.h"
#include "mehler/simd/convolution.h"

namespace mehler {
namespace {

ConvolutionSize size_of(const ConvolutionLayer& layer) {
  return {layer.below.rows, layer.below.columns, layer.below.channels,
          layer.channels,   layer.kernel,        (layer.kernel - 1) / 2};
}

}  // namespace

void ConvolutionLayer::initialize(std::span<float> parameters, SeededRandom& random) const {
  draw_kernels(parameters.first(size_of(*this).weights()), below.channels * kernel * kernel,
               random);
}

void ConvolutionLayer::forward(const float* images, std::size_t rows, const float* parameters,
                               float* results) const {
  const ConvolutionSize size = size_of(*this);
  convolve(size, images, rows, parameters, parameters + size.weights(), results);
}

void ConvolutionLayer::backward(const float* slopes, std::size_t rows, const float* /*kept*/,
                                const float* parameters, float* below_slopes) const {
  // What a pixel did to the results around it: a convolution with the kernels turned round.
  const ConvolutionSize size = size_of(*this);
  convolve(turned(size), slopes, rows, turned_weights(size, parameters).data(), nullptr,
           below_slopes);
}

void ConvolutionLayer::parameter_gradient(const Matrix& images, const Matrix& slopes,
                                          std::span<float> gradient, WorkerPool& pool) const {
  const ConvolutionSize size = size_of(*this);
  const RowGroups groups(images.rows, kConvolutionGroupImages);
  std::vector<float> sums(groups.count * size.weights());
  for_tiles(images.rows, groups.group_rows, pool,
            [&](std::size_t group, std::size_t first, std::size_t count) {
              convolution_weight_gradient(size, &images.values[first * input_size()],
                                          &slopes.values[first * output_size()], count,
                                          &sums[group * size.weights()]);
            });
  add_groups(sums, groups.count, size.weights(), gradient.data(), pool);
  sum_slopes_of_channels(slopes, gradient.subspan(size.weights()), pool);
}

}  // namespace mehler
