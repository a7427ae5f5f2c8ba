#include "mehler/networks/layers.h"
#include "mehler/simd/max_pooling.h"

namespace mehler {

void PoolingLayer::forward(const float* images, std::size_t rows, const float* /*parameters*/,
                           float* results) const {
  max_pool(images, rows * below.channels, below.rows, below.columns, results);
}

void PoolingLayer::backward(const float* slopes, std::size_t rows, const float* images,
                            const float* /*parameters*/, float* below_slopes) const {
  max_pool_gradient(images, slopes, rows * below.channels, below.rows, below.columns, below_slopes);
}

}  // namespace mehler
