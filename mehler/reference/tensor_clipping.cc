#include "mehler/reference/tensor_clipping.h"

#include <cmath>
#include <optional>
#include <utility>
#include <variant>

#include "mehler/core/error.h"

namespace mehler {
namespace {

double norm_of(std::span<const float> values) {
  double squares = 0.0;
  for (const float value : values) {
    squares += static_cast<double>(value) * static_cast<double>(value);
  }
  return std::sqrt(squares);
}

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

/// Of a layer, given the slopes by what it gives: the sums of its clipped gradients. A record's
/// gradient by the weights is the outer product of what the layer took of it and its slopes.
void sum_clipped(const Step& step, const Matrix& slopes, double clip_norm, std::span<float> weights,
                 std::span<float> bias, WorkerPool& pool) {
  const auto factor = [&](double norm) { return norm > clip_norm ? clip_norm / norm : 1.0; };
  Matrix clipped = slopes;
  for (std::size_t row = 0; row < slopes.rows; ++row) {
    const double slope = norm_of(slopes.row(row));
    const double of_weights = factor(norm_of(step.below.row(row)) * slope);
    const double of_bias = factor(slope);
    for (std::size_t i = 0; i < slopes.columns; ++i) {
      bias[i] += static_cast<float>(of_bias) * slopes.row(row)[i];
      clipped.row(row)[i] *= static_cast<float>(of_weights);
    }
  }
  DenseLayer{step.dense.inputs, step.dense.outputs, false}.parameter_gradient(step.below, clipped,
                                                                              weights, pool);
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

std::vector<float> sum_clipped_by_tensor(const Network& critic, CriticLoss loss, double clip_norm,
                                         const Matrix& records, WorkerPool& pool) {
  Matrix said = records;
  const std::vector<Step> steps = go_through(critic, said);
  Matrix slopes(said.rows, 1);
  for (std::size_t row = 0; row < said.rows; ++row) {
    slopes.values[row] =
        static_cast<float>(slope_of_real(loss, static_cast<double>(said.values[row])));
  }
  std::vector<float> sums(critic.parameters().size(), 0.0F);
  const std::vector<std::span<float>> tensors = tensors_of(critic, sums);
  for (std::size_t s = steps.size(); s-- > 0;) {
    const Step& step = steps[s];
    sum_clipped(step, slopes, clip_norm, tensors[2 * s], tensors[2 * s + 1], pool);
    if (s > 0) {
      Matrix below(slopes.rows, step.dense.inputs);
      step.dense.backward(slopes.values.data(), slopes.rows, nullptr, step.parameters,
                          below.values.data());
      steps[s - 1].activation->backward(below.values.data(), below.rows, step.below.values.data(),
                                        nullptr, below.values.data());
      slopes = std::move(below);
    }
  }
  return sums;
}

}  // namespace mehler
