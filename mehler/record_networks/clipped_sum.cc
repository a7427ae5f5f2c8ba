#include "mehler/record_networks/clipped_sum.h"

#include <cmath>
#include <optional>
#include <utility>
#include <variant>

#include "mehler/core/error.h"
#include "mehler/core/euclidean_length.h"

namespace mehler {
namespace {

/// A dense layer, what it took of the records, and the rectifier behind it.
struct Step {
  DenseLayer dense;
  const float* parameters;
  std::optional<ActivationLayer> activation;
  Matrix below;
};

/// Takes `values` through the network, to what it says of each record.
std::vector<Step> go_through(const Network& critic, Matrix& values) {
  std::vector<Step> steps;
  const float* parameters = critic.parameters().data();
  for (const Layer& layer : critic.layers()) {
    if (const auto* dense = std::get_if<DenseLayer>(&layer)) {
      Matrix results(values.rows, dense->outputs);
      dense->forward(values.values.data(), values.rows, parameters, results.values.data());
      steps.push_back({*dense, parameters, {}, std::move(values)});
      parameters += dense->parameter_count();
      values = std::move(results);
    } else {
      const auto& activation = std::get<ActivationLayer>(layer);
      activation.forward(values.values.data(), values.rows, nullptr, values.values.data());
      steps.back().activation = activation;
    }
  }
  return steps;
}

/// The slopes of the loss by what each layer gives, of all layers.
std::vector<Matrix> go_back(const std::vector<Step>& steps, Matrix by_said) {
  std::vector<Matrix> slopes(steps.size());
  slopes.back() = std::move(by_said);
  for (std::size_t s = steps.size() - 1; s > 0; --s) {
    const DenseLayer& dense = steps[s].dense;
    const Matrix& taken = steps[s].below;
    Matrix& below = slopes[s - 1] = Matrix(taken.rows, dense.inputs);
    dense.backward(slopes[s].values.data(), below.rows, nullptr, steps[s].parameters,
                   below.values.data());
    steps[s - 1].activation->backward(below.values.data(), below.rows, taken.values.data(), nullptr,
                                      below.values.data());
  }
  return slopes;
}

/// The norms of a record's gradient by the weights and the bias of a layer. The first is the outer
/// product of what the layer took of the record and its slopes.
struct LayerNorms {
  double weights;
  double bias;
};

LayerNorms norms_of(const Step& step, const Matrix& slopes, std::size_t row) {
  const double bias = euclidean_length(slopes.row(row));
  return {euclidean_length(step.below.row(row)) * bias, bias};
}

/// What they are multiplied by.
struct LayerFactors {
  double weights;
  double bias;
};

/// Of each layer, by rows.
std::vector<std::vector<LayerFactors>> factors_of(const std::vector<Step>& steps,
                                                  const std::vector<Matrix>& slopes,
                                                  const Clipping& clipping) {
  const auto factor = [&](double norm) {
    return norm > clipping.norm ? clipping.norm / norm : 1.0;
  };
  std::vector<std::vector<LayerFactors>> factors(steps.size());
  const std::size_t rows = slopes.back().rows;
  for (std::size_t row = 0; row < rows; ++row) {
    double squares = 0.0;
    for (std::size_t s = 0; s < steps.size(); ++s) {
      const LayerNorms norms = norms_of(steps[s], slopes[s], row);
      factors[s].push_back({factor(norms.weights), factor(norms.bias)});
      squares += norms.weights * norms.weights + norms.bias * norms.bias;
    }
    if (clipping.of == Clipping::Of::kWhole) {
      const double of_all = factor(std::sqrt(squares));
      for (std::vector<LayerFactors>& of_layer : factors) {
        of_layer.back() = {of_all, of_all};
      }
    }
  }
  return factors;
}

}  // namespace

std::vector<std::span<float>> tensors_of(const Network& critic, std::span<float> numbers) {
  std::vector<std::span<float>> tensors;
  for (const Layer& layer : critic.layers()) {
    if (const auto* dense = std::get_if<DenseLayer>(&layer)) {
      const std::size_t weights = dense->inputs * dense->outputs;
      tensors.push_back(numbers.first(weights));
      tensors.push_back(numbers.subspan(weights, dense->outputs));
      numbers = numbers.subspan(dense->parameter_count());
    }
  }
  MEHLER_ASSERT(numbers.empty());
  return tensors;
}

std::vector<float> clipped_sum(const Network& critic, CriticLoss loss, LossSlope slope,
                               const Clipping& clipping, const Matrix& records, WorkerPool& pool) {
  Matrix said = records;
  const std::vector<Step> steps = go_through(critic, said);
  for (float& value : said.values) {
    value = static_cast<float>(slope(loss, static_cast<double>(value)));
  }
  std::vector<Matrix> slopes = go_back(steps, std::move(said));
  const std::vector<std::vector<LayerFactors>> factors = factors_of(steps, slopes, clipping);
  std::vector<float> sums(critic.parameters().size(), 0.0F);
  const std::vector<std::span<float>> tensors = tensors_of(critic, sums);
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const std::span<float> bias = tensors[2 * s + 1];
    for (std::size_t row = 0; row < slopes[s].rows; ++row) {
      const std::span<float> of_row = slopes[s].row(row);
      const LayerFactors& of_layer = factors[s][row];
      for (std::size_t i = 0; i < of_row.size(); ++i) {
        bias[i] += static_cast<float>(of_layer.bias) * of_row[i];
        of_row[i] *= static_cast<float>(of_layer.weights);
      }
    }
    const DenseLayer& dense = steps[s].dense;
    DenseLayer{dense.inputs, dense.outputs, false}.parameter_gradient(steps[s].below, slopes[s],
                                                                      tensors[2 * s], pool);
  }
  return sums;
}

}  // namespace mehler
