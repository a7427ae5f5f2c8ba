#include "mehler/generator/network.h"

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/core/seeded_random.h"
#include "mehler/generator/matrix_product.h"

namespace mehler {
namespace {

constexpr float kVarianceFloor = 1e-5F;
constexpr float kMomentum = 0.1F;

/// Sums over the rows of a matrix, per column, in double.
std::vector<double> column_sums(const Matrix& matrix, const auto& entry) {
  std::vector<double> sums(matrix.columns, 0.0);
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    for (std::size_t j = 0; j < matrix.columns; ++j) {
      sums[j] += static_cast<double>(entry(i * matrix.columns + j, j));
    }
  }
  return sums;
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

const Matrix& Network::forward(const Matrix& inputs) {
  MEHLER_ASSERT(inputs.columns == shape_.inputs && inputs.rows >= 2);
  const std::size_t rows = inputs.rows;
  inputs_ = inputs;
  traces_.resize(layers_.size());
  const Matrix* below = &inputs_;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    Trace& trace = traces_[l];
    if (trace.output.rows != rows) {
      trace.normalized = Matrix(rows, layer.outputs);
      trace.output = Matrix(rows, layer.outputs);
    }
    Matrix& values = trace.normalized;
    multiply(Transpose::kNo, Transpose::kNo, rows, layer.outputs, layer.inputs,
             below->values.data(), &parameters_[layer.weight], values.values.data(), false);
    const auto count = static_cast<double>(rows);
    std::vector<double> mean =
        column_sums(values, [&](std::size_t place, std::size_t) { return values.values[place]; });
    for (double& value : mean) {
      value /= count;
    }
    const std::vector<double> squares = column_sums(values, [&](std::size_t place, std::size_t j) {
      const float centred = values.values[place] - static_cast<float>(mean[j]);
      return centred * centred;
    });
    trace.inverse_deviation.resize(layer.outputs);
    for (std::size_t j = 0; j < layer.outputs; ++j) {
      const auto variance = static_cast<float>(squares[j] / count);
      trace.inverse_deviation[j] = 1.0F / std::sqrt(variance + kVarianceFloor);
      float& running_mean = statistics_[layer.mean + j];
      float& running_variance = statistics_[layer.mean + layer.outputs + j];
      running_mean += kMomentum * (static_cast<float>(mean[j]) - running_mean);
      running_variance += kMomentum * (variance - running_variance);
    }
    const float* scale = &parameters_[layer.scale];
    const float* shift = scale + layer.outputs;
    for (std::size_t i = 0; i < rows; ++i) {
      float* normalized = &values.values[i * layer.outputs];
      float* output = &trace.output.values[i * layer.outputs];
      for (std::size_t j = 0; j < layer.outputs; ++j) {
        normalized[j] = (normalized[j] - static_cast<float>(mean[j])) * trace.inverse_deviation[j];
        output[j] = std::max(0.0F, scale[j] * normalized[j] + shift[j]);
      }
    }
    below = &trace.output;
  }
  if (outputs_.rows != rows) {
    outputs_ = Matrix(rows, shape_.outputs);
  }
  const float* bias = &parameters_[last_weight_ + below->columns * shape_.outputs];
  for (std::size_t i = 0; i < rows; ++i) {
    std::copy_n(bias, shape_.outputs, &outputs_.values[i * shape_.outputs]);
  }
  multiply(Transpose::kNo, Transpose::kNo, rows, shape_.outputs, below->columns,
           below->values.data(), &parameters_[last_weight_], outputs_.values.data(), true);
  return outputs_;
}

void Network::backward(const Matrix& output_gradient) {
  const std::size_t rows = inputs_.rows;
  MEHLER_ASSERT(output_gradient.rows == rows && output_gradient.columns == shape_.outputs);
  const Matrix& top = traces_.back().output;
  multiply(Transpose::kYes, Transpose::kNo, top.columns, shape_.outputs, rows, top.values.data(),
           output_gradient.values.data(), &gradient_[last_weight_], false);
  const std::vector<double> bias =
      column_sums(output_gradient,
                  [&](std::size_t place, std::size_t) { return output_gradient.values[place]; });
  std::copy(bias.begin(), bias.end(), &gradient_[last_weight_ + top.columns * shape_.outputs]);
  Matrix above(rows, top.columns);
  multiply(Transpose::kNo, Transpose::kYes, rows, top.columns, shape_.outputs,
           output_gradient.values.data(), &parameters_[last_weight_], above.values.data(), false);

  for (std::size_t l = layers_.size(); l-- > 0;) {
    const Layer& layer = layers_[l];
    const Trace& trace = traces_[l];
    const std::size_t width = layer.outputs;
    // Through the ReLU: where the output is 0 nothing passes.
    for (std::size_t place = 0; place < above.values.size(); ++place) {
      above.values[place] = trace.output.values[place] > 0.0F ? above.values[place] : 0.0F;
    }
    // Through the normalisation: with g the gradient by y = scale x + shift,
    // dv = scale / deviation (g - mean(g) - x mean(g x)).
    const std::vector<double> sum =
        column_sums(above, [&](std::size_t place, std::size_t) { return above.values[place]; });
    const std::vector<double> product_sum = column_sums(above, [&](std::size_t place, std::size_t) {
      return above.values[place] * trace.normalized.values[place];
    });
    const auto count = static_cast<double>(rows);
    std::vector<float> factor(width);
    std::vector<float> mean(width);
    std::vector<float> product_mean(width);
    for (std::size_t j = 0; j < width; ++j) {
      gradient_[layer.scale + j] = static_cast<float>(product_sum[j]);
      gradient_[layer.scale + width + j] = static_cast<float>(sum[j]);
      factor[j] = parameters_[layer.scale + j] * trace.inverse_deviation[j];
      mean[j] = static_cast<float>(sum[j] / count);
      product_mean[j] = static_cast<float>(product_sum[j] / count);
    }
    for (std::size_t i = 0; i < rows; ++i) {
      float* gradient = &above.values[i * width];
      const float* normalized = &trace.normalized.values[i * width];
      for (std::size_t j = 0; j < width; ++j) {
        gradient[j] = factor[j] * (gradient[j] - mean[j] - normalized[j] * product_mean[j]);
      }
    }
    const Matrix& below = l == 0 ? inputs_ : traces_[l - 1].output;
    multiply(Transpose::kYes, Transpose::kNo, layer.inputs, width, rows, below.values.data(),
             above.values.data(), &gradient_[layer.weight], false);
    if (l > 0) {
      Matrix next(rows, layer.inputs);
      multiply(Transpose::kNo, Transpose::kYes, rows, layer.inputs, width, above.values.data(),
               &parameters_[layer.weight], next.values.data(), false);
      above = std::move(next);
    }
  }
}

Matrix Network::infer(const Matrix& inputs) const {
  MEHLER_ASSERT(inputs.columns == shape_.inputs);
  Matrix below = inputs;
  for (const Layer& layer : layers_) {
    Matrix output(inputs.rows, layer.outputs);
    multiply(Transpose::kNo, Transpose::kNo, inputs.rows, layer.outputs, layer.inputs,
             below.values.data(), &parameters_[layer.weight], output.values.data(), false);
    std::vector<float> factor(layer.outputs);
    std::vector<float> offset(layer.outputs);
    for (std::size_t j = 0; j < layer.outputs; ++j) {
      const float variance = statistics_[layer.mean + layer.outputs + j];
      factor[j] = parameters_[layer.scale + j] / std::sqrt(variance + kVarianceFloor);
      offset[j] =
          parameters_[layer.scale + layer.outputs + j] - factor[j] * statistics_[layer.mean + j];
    }
    for (std::size_t i = 0; i < inputs.rows; ++i) {
      float* values = &output.values[i * layer.outputs];
      for (std::size_t j = 0; j < layer.outputs; ++j) {
        values[j] = std::max(0.0F, factor[j] * values[j] + offset[j]);
      }
    }
    below = std::move(output);
  }
  Matrix outputs(inputs.rows, shape_.outputs);
  const float* bias = &parameters_[last_weight_ + below.columns * shape_.outputs];
  for (std::size_t i = 0; i < inputs.rows; ++i) {
    std::copy_n(bias, shape_.outputs, &outputs.values[i * shape_.outputs]);
  }
  multiply(Transpose::kNo, Transpose::kNo, inputs.rows, shape_.outputs, below.columns,
           below.values.data(), &parameters_[last_weight_], outputs.values.data(), true);
  return outputs;
}

}  // namespace mehler
