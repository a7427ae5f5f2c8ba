#include "mehler/networks/network.h"

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/core/integer_math.h"
#include "mehler/core/seeded_random.h"
#include "mehler/simd/matrix_product.h"
#include "mehler/simd/normalization.h"

namespace mehler {
namespace {

constexpr float kVarianceFloor = 1e-5F;
constexpr float kMomentum = 0.1F;

/// Rows that are taken through a layer at once: a tile of a 200-wide layer stays in a core's cache.
constexpr std::size_t kTileRows = 256;
/// Weight gradients are sums over rows: of at most kMaxGroups groups of at least kGroupRows rows.
constexpr std::size_t kGroupRows = 2 * kTileRows;
constexpr std::size_t kMaxGroups = 16;

/// Runs work(tile, first row, number of rows) for every tile.
void for_tiles(std::size_t rows, std::size_t tile_rows, WorkerPool& pool, const auto& work) {
  pool.run(ceil_divide(rows, tile_rows), [&](std::size_t tile) {
    const std::size_t first = tile * tile_rows;
    work(tile, first, std::min(tile_rows, rows - first));
  });
}

/// Gives a matrix its shape; it keeps its memory if it has it already.
void shape_as(Matrix& matrix, std::size_t rows, std::size_t columns) {
  if (matrix.rows != rows || matrix.columns != columns) {
    matrix = Matrix(rows, columns);
  }
}

}  // namespace

Network::Network(NetworkShape shape, std::uint64_t seed) : shape_(std::move(shape)) {
  MEHLER_ASSERT(shape_.inputs >= 1 && shape_.outputs >= 1 && !shape_.hidden.empty());
  std::size_t size = 0;
  std::size_t statistics = 0;
  std::size_t width = shape_.inputs;
  for (const std::size_t next : shape_.hidden) {
    layers_.push_back({width, next, size, size + width * next, statistics});
    size += width * next + 2 * next;
    statistics += 2 * next;
    width = next;
  }
  last_weight_ = size;
  size += width * shape_.outputs + shape_.outputs;
  parameters_.assign(size, 0.0F);
  gradient_.assign(size, 0.0F);
  statistics_.assign(statistics, 0.0F);

  SeededRandom random(seed);
  const auto fill = [&](std::size_t start, std::size_t inputs, std::size_t count) {
    const double bound = std::sqrt(6.0 / static_cast<double>(inputs));
    for (std::size_t i = 0; i < count; ++i) {
      parameters_[start + i] = static_cast<float>(bound * (2.0 * random.uniform() - 1.0));
    }
  };
  for (const Layer& layer : layers_) {
    fill(layer.weight, layer.inputs, layer.inputs * layer.outputs);
    std::fill_n(&parameters_[layer.scale], layer.outputs, 1.0F);
    std::fill_n(&statistics_[layer.mean + layer.outputs], layer.outputs, 1.0F);
  }
  fill(last_weight_, 6 * width, width * shape_.outputs);
}

void Network::finish_tile(std::size_t layer, std::size_t first, std::size_t rows) {
  Trace& trace = traces_[layer];
  const std::size_t width = layers_[layer].outputs;
  const std::span<const float> scale(&parameters_[layers_[layer].scale], width);
  const std::span<const float> shift(scale.data() + width, width);
  normalize_and_rectify(&trace.normalized.values[first * width], rows, trace.mean,
                        trace.inverse_deviation, scale, shift, &trace.output.values[first * width]);
}

void Network::combine_moments(std::size_t layer, std::size_t rows) {
  const std::size_t width = layers_[layer].outputs;
  Trace& trace = traces_[layer];
  trace.mean.resize(width);
  trace.inverse_deviation.resize(width);
  const auto count = static_cast<double>(rows);
  for (std::size_t j = 0; j < width; ++j) {
    double sum = 0.0;
    for (std::size_t first = 0, tile = 0; first < rows; first += kTileRows, ++tile) {
      sum += static_cast<double>(tile_sums_[2 * tile * width + j]);
    }
    const double mean = sum / count;
    // Squares around a tile's own mean, moved to the mean of all.
    double squares = 0.0;
    for (std::size_t first = 0, tile = 0; first < rows; first += kTileRows, ++tile) {
      const auto tile_rows = static_cast<double>(std::min(kTileRows, rows - first));
      const double gap = static_cast<double>(tile_sums_[2 * tile * width + j]) / tile_rows - mean;
      squares +=
          static_cast<double>(tile_sums_[(2 * tile + 1) * width + j]) + tile_rows * gap * gap;
    }
    const auto variance = static_cast<float>(squares / count);
    trace.mean[j] = static_cast<float>(mean);
    trace.inverse_deviation[j] = 1.0F / std::sqrt(variance + kVarianceFloor);
    float& running_mean = statistics_[layers_[layer].mean + j];
    float& running_variance = statistics_[layers_[layer].mean + width + j];
    running_mean += kMomentum * (trace.mean[j] - running_mean);
    running_variance += kMomentum * (variance - running_variance);
  }
}

const Matrix& Network::forward(const Matrix& inputs, WorkerPool& pool) {
  MEHLER_ASSERT(inputs.columns == shape_.inputs && inputs.rows >= 2);
  const std::size_t rows = inputs.rows;
  inputs_ = inputs;
  traces_.resize(layers_.size());
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    const std::size_t width = layer.outputs;
    shape_as(traces_[l].normalized, rows, width);
    shape_as(traces_[l].output, rows, width);
    tile_sums_.resize(2 * width * ceil_divide(rows, kTileRows));
    const Matrix& below = l == 0 ? inputs_ : traces_[l - 1].output;
    for_tiles(rows, kTileRows, pool, [&](std::size_t tile, std::size_t first, std::size_t count) {
      if (l > 0) {
        finish_tile(l - 1, first, count);
      }
      float* values = &traces_[l].normalized.values[first * width];
      multiply(Transpose::kNo, Transpose::kNo, count, width, layer.inputs,
               &below.values[first * layer.inputs], &parameters_[layer.weight], values, false);
      float* sums = &tile_sums_[2 * tile * width];
      column_moments(values, count, {sums, width}, {sums + width, width});
    });
    combine_moments(l, rows);
  }
  const Matrix& top = traces_.back().output;
  shape_as(outputs_, rows, shape_.outputs);
  for_tiles(rows, kTileRows, pool, [&](std::size_t, std::size_t first, std::size_t count) {
    finish_tile(layers_.size() - 1, first, count);
    last_layer(&top.values[first * top.columns], count, &outputs_.values[first * shape_.outputs]);
  });
  return outputs_;
}

void Network::last_layer(const float* below, std::size_t rows, float* outputs) const {
  const std::size_t width = shape_.hidden.back();
  const float* bias = &parameters_[last_weight_ + width * shape_.outputs];
  for (std::size_t i = 0; i < rows; ++i) {
    std::copy_n(bias, shape_.outputs, outputs + i * shape_.outputs);
  }
  multiply(Transpose::kNo, Transpose::kNo, rows, shape_.outputs, width, below,
           &parameters_[last_weight_], outputs, true);
}

void Network::weight_gradient(const Matrix& below, const Matrix& above, std::size_t place,
                              WorkerPool& pool) {
  const std::size_t rows = below.rows;
  const std::size_t groups = std::min(kMaxGroups, ceil_divide(rows, kGroupRows));
  const std::size_t size = below.columns * above.columns;
  group_products_.resize(std::max(group_products_.size(), groups * size));
  for_tiles(rows, ceil_divide(rows, groups), pool,
            [&](std::size_t group, std::size_t first, std::size_t count) {
              multiply(Transpose::kYes, Transpose::kNo, below.columns, above.columns, count,
                       &below.values[first * below.columns], &above.values[first * above.columns],
                       &group_products_[group * size], false);
            });
  constexpr std::size_t kSumsPerTask = 8192;
  for_tiles(size, kSumsPerTask, pool, [&](std::size_t, std::size_t first, std::size_t count) {
    float* result = &gradient_[place + first];
    std::copy_n(&group_products_[first], count, result);
    for (std::size_t group = 1; group < groups; ++group) {
      const float* product = &group_products_[group * size + first];
      for (std::size_t i = 0; i < count; ++i) {
        result[i] += product[i];
      }
    }
  });
}

void Network::backward(const Matrix& output_gradient, WorkerPool& pool) {
  const std::size_t rows = inputs_.rows;
  MEHLER_ASSERT(output_gradient.rows == rows && output_gradient.columns == shape_.outputs);
  const std::size_t tiles = ceil_divide(rows, kTileRows);
  // The gradient by a layer's outputs, through its ReLU, with the sums that the normalisation
  // needs.
  const auto descend = [&](std::size_t layer, std::size_t tile, std::size_t first,
                           std::size_t count, const float* gradient, std::size_t gradient_width,
                           const float* weights, Matrix& above) {
    const std::size_t width = layers_[layer].outputs;
    const Trace& trace = traces_[layer];
    float* slopes = &above.values[first * width];
    multiply(Transpose::kNo, Transpose::kYes, count, width, gradient_width, gradient, weights,
             slopes, false);
    float* sums = &tile_sums_[2 * tile * width];
    const std::span<const float> scale(&parameters_[layers_[layer].scale], width);
    const std::span<const float> shift(scale.data() + width, width);
    rectified_gradient_sums(slopes, count, &trace.normalized.values[first * width], scale, shift,
                            {sums, width}, {sums + width, width});
  };

  const std::size_t top_width = shape_.hidden.back();
  shape_as(above_, rows, top_width);
  tile_sums_.resize(2 * top_width * tiles);
  for_tiles(rows, kTileRows, pool, [&](std::size_t tile, std::size_t first, std::size_t count) {
    descend(layers_.size() - 1, tile, first, count, &output_gradient.values[first * shape_.outputs],
            shape_.outputs, &parameters_[last_weight_], above_);
  });
  weight_gradient(traces_.back().output, output_gradient, last_weight_, pool);
  std::vector<double> bias(shape_.outputs, 0.0);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < shape_.outputs; ++j) {
      bias[j] += static_cast<double>(output_gradient.values[i * shape_.outputs + j]);
    }
  }
  std::copy(bias.begin(), bias.end(), &gradient_[last_weight_ + top_width * shape_.outputs]);

  for (std::size_t l = layers_.size(); l-- > 0;) {
    const Layer& layer = layers_[l];
    const Trace& trace = traces_[l];
    const std::size_t width = layer.outputs;
    // Through the normalisation: with g the gradient by y = scale x + shift,
    // dv = scale / deviation (g - mean(g) - x mean(g x)).
    std::vector<float> factor(width);
    std::vector<float> mean(width);
    std::vector<float> product_mean(width);
    for (std::size_t j = 0; j < width; ++j) {
      double sum = 0.0;
      double product_sum = 0.0;
      for (std::size_t tile = 0; tile < tiles; ++tile) {
        sum += static_cast<double>(tile_sums_[2 * tile * width + j]);
        product_sum += static_cast<double>(tile_sums_[(2 * tile + 1) * width + j]);
      }
      gradient_[layer.scale + j] = static_cast<float>(product_sum);
      gradient_[layer.scale + width + j] = static_cast<float>(sum);
      factor[j] = parameters_[layer.scale + j] * trace.inverse_deviation[j];
      mean[j] = static_cast<float>(sum / static_cast<double>(rows));
      product_mean[j] = static_cast<float>(product_sum / static_cast<double>(rows));
    }
    if (l > 0) {
      shape_as(next_above_, rows, layer.inputs);
      tile_sums_.resize(2 * layer.inputs * tiles);
    }
    for_tiles(rows, kTileRows, pool, [&](std::size_t tile, std::size_t first, std::size_t count) {
      float* slopes = &above_.values[first * width];
      normalization_gradient(slopes, count, &trace.normalized.values[first * width], factor, mean,
                             product_mean);
      if (l > 0) {
        descend(l - 1, tile, first, count, slopes, width, &parameters_[layer.weight], next_above_);
      }
    });
    weight_gradient(l == 0 ? inputs_ : traces_[l - 1].output, above_, layer.weight, pool);
    std::swap(above_, next_above_);
  }
}

Matrix Network::infer(const Matrix& inputs) const {
  MEHLER_ASSERT(inputs.columns == shape_.inputs);
  std::vector<std::vector<float>> factors;
  std::vector<std::vector<float>> offsets;
  std::vector<std::vector<float>> tiles;
  for (const Layer& layer : layers_) {
    std::vector<float> factor(layer.outputs);
    std::vector<float> offset(layer.outputs);
    for (std::size_t j = 0; j < layer.outputs; ++j) {
      const float variance = statistics_[layer.mean + layer.outputs + j];
      factor[j] = parameters_[layer.scale + j] / std::sqrt(variance + kVarianceFloor);
      offset[j] =
          parameters_[layer.scale + layer.outputs + j] - factor[j] * statistics_[layer.mean + j];
    }
    factors.push_back(std::move(factor));
    offsets.push_back(std::move(offset));
    tiles.emplace_back(kTileRows * layer.outputs);
  }
  Matrix outputs(inputs.rows, shape_.outputs);
  for (std::size_t first = 0; first < inputs.rows; first += kTileRows) {
    const std::size_t count = std::min(kTileRows, inputs.rows - first);
    const float* below = &inputs.values[first * shape_.inputs];
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      multiply(Transpose::kNo, Transpose::kNo, count, layers_[l].outputs, layers_[l].inputs, below,
               &parameters_[layers_[l].weight], tiles[l].data(), false);
      scale_and_rectify(tiles[l].data(), count, factors[l], offsets[l]);
      below = tiles[l].data();
    }
    last_layer(below, count, &outputs.values[first * shape_.outputs]);
  }
  return outputs;
}

}  // namespace mehler
