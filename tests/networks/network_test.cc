#include "mehler/networks/network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mehler/core/seeded_random.h"
#include "mehler/networks/adam.h"
#include "mehler/networks/rms_prop.h"

namespace mehler {
namespace network_test {

Matrix random_matrix(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  Matrix matrix(rows, columns);
  SeededRandom random(seed);
  for (float& value : matrix.values) {
    value = static_cast<float>(random.normal());
  }
  return matrix;
}

/// The network's training outputs in double precision, written out plainly.
std::vector<double> reference_outputs(const NetworkShape& shape,
                                      const std::vector<double>& parameters, const Matrix& inputs) {
  std::vector<double> below(inputs.values.begin(), inputs.values.end());
  std::size_t width = shape.inputs;
  std::size_t place = 0;
  const std::size_t rows = inputs.rows;
  for (const std::size_t next : shape.hidden) {
    std::vector<double> values(rows * next, 0.0);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t k = 0; k < width; ++k) {
        for (std::size_t j = 0; j < next; ++j) {
          values[i * next + j] += below[i * width + k] * parameters[place + k * next + j];
        }
      }
    }
    place += width * next;
    for (std::size_t j = 0; j < next; ++j) {
      double mean = 0.0;
      double squares = 0.0;
      for (std::size_t i = 0; i < rows; ++i) {
        mean += values[i * next + j] / static_cast<double>(rows);
      }
      for (std::size_t i = 0; i < rows; ++i) {
        squares += std::pow(values[i * next + j] - mean, 2) / static_cast<double>(rows);
      }
      for (std::size_t i = 0; i < rows; ++i) {
        const double normalized = (values[i * next + j] - mean) / std::sqrt(squares + 1e-5);
        values[i * next + j] =
            std::max(0.0, parameters[place + j] * normalized + parameters[place + next + j]);
      }
    }
    place += 2 * next;
    below = values;
    width = next;
  }
  std::vector<double> outputs(rows * shape.outputs, 0.0);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < shape.outputs; ++j) {
      outputs[i * shape.outputs + j] = parameters[place + width * shape.outputs + j];
      for (std::size_t k = 0; k < width; ++k) {
        outputs[i * shape.outputs + j] +=
            below[i * width + k] * parameters[place + k * shape.outputs + j];
      }
    }
  }
  return outputs;
}

TEST(Network, AgreesWithItsFormulasInDouble) {
  WorkerPool pool(1);
  const NetworkShape shape{4, {7, 6}, 3};
  Network network(shape, 1);
  const Matrix inputs = random_matrix(20, 4, 2);
  const std::vector<double> expected = reference_outputs(
      shape, std::vector<double>(network.parameters().begin(), network.parameters().end()), inputs);
  const Matrix& outputs = network.forward(inputs, pool);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(outputs.values[i]), expected[i], 1e-4);
  }
}

TEST(Network, GradientAgreesWithFiniteDifferencesInDouble) {
  WorkerPool pool(2);
  const NetworkShape shape{4, {7, 6}, 3};
  Network network(shape, 3);
  SeededRandom random(4);
  for (float& parameter : network.parameters()) {  // scales and shifts away from 1 and 0
    parameter += static_cast<float>(0.1 * random.normal());
  }
  const Matrix inputs = random_matrix(600, 4, 5);
  const Matrix weights = random_matrix(600, 3, 6);  // loss = <weights, outputs>
  network.forward(inputs, pool);
  network.backward(weights, pool);
  std::vector<double> parameters(network.parameters().begin(), network.parameters().end());
  const auto loss = [&] {
    const std::vector<double> outputs = reference_outputs(shape, parameters, inputs);
    double sum = 0.0;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      sum += outputs[i] * static_cast<double>(weights.values[i]);
    }
    return sum;
  };
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const double kept = parameters[p];
    constexpr double kStep = 1e-6;
    parameters[p] = kept + kStep;
    const double above = loss();
    parameters[p] = kept - kStep;
    const double below = loss();
    parameters[p] = kept;
    const double expected = (above - below) / (2 * kStep);
    EXPECT_NEAR(static_cast<double>(network.gradient()[p]), expected,
                2e-3 * (1.0 + std::fabs(expected)))
        << p;
  }
}

TEST(Network, InferenceMatchesTrainingOnceStatisticsHaveSettled) {
  WorkerPool pool(2);
  Network network({3, {16}, 2}, 7);
  const Matrix inputs = random_matrix(5000, 3, 8);
  Matrix trained;
  for (int i = 0; i < 200; ++i) {
    trained = network.forward(inputs, pool);
  }
  const Matrix inferred = network.infer(inputs);
  for (std::size_t i = 0; i < inferred.values.size(); ++i) {
    ASSERT_NEAR(inferred.values[i], trained.values[i], 1e-3);
  }
}

TEST(Network, IsTheSameForAnyNumberOfThreads) {
  const Matrix inputs = random_matrix(1777, 4, 2);
  const Matrix weights = random_matrix(1777, 3, 6);
  std::vector<Matrix> outputs;
  std::vector<std::vector<float>> gradients;
  for (const std::size_t threads : {1, 2, 5}) {
    WorkerPool pool(threads);
    Network network({4, {37, 21}, 3}, 11);
    outputs.push_back(network.forward(inputs, pool));
    network.backward(weights, pool);
    gradients.emplace_back(network.gradient().begin(), network.gradient().end());
    EXPECT_EQ(outputs.back().values, outputs.front().values);
    EXPECT_EQ(gradients.back(), gradients.front());
  }
}

TEST(Network, IsTheSameForASeed) {
  const Network first({3, {8}, 2}, 9);
  const Network again({3, {8}, 2}, 9);
  const Network other({3, {8}, 2}, 10);
  EXPECT_TRUE(
      std::equal(first.parameters().begin(), first.parameters().end(), again.parameters().begin()));
  EXPECT_FALSE(
      std::equal(first.parameters().begin(), first.parameters().end(), other.parameters().begin()));
}

TEST(Adam, FindsTheBottomOfABowl) {
  std::vector<float> place = {5.0F, -3.0F};
  Adam adam(2);
  WorkerPool pool(1);
  for (int i = 0; i < 2000; ++i) {
    const std::vector<float> gradient = {2.0F * place[0], 20.0F * (place[1] - 1.0F)};
    adam.step(place, gradient, 0.05, pool);
  }
  EXPECT_NEAR(place[0], 0.0F, 1e-2F);
  EXPECT_NEAR(place[1], 1.0F, 1e-2F);
}

TEST(RmsProp, MovesByTheGradientOverItsRunningRootMeanSquare) {
  WorkerPool pool(2);
  std::vector<float> parameters(20'000, 1.0F);
  std::vector<float> gradient(parameters.size());
  RmsProp optimizer(parameters.size());
  double squares = 0.0;
  double expected = 1.0;
  for (const float slope : {2.0F, -1.0F, 0.5F}) {
    std::fill(gradient.begin(), gradient.end(), slope);
    optimizer.step(parameters, gradient, 0.01, pool);
    squares = 0.99 * squares + 0.01 * static_cast<double>(slope) * static_cast<double>(slope);
    expected -= 0.01 * static_cast<double>(slope) / (std::sqrt(squares) + 1e-8);
  }
  for (const float parameter : parameters) {
    ASSERT_NEAR(static_cast<double>(parameter), expected, 1e-6);
  }
}

}  // namespace network_test
}  // namespace mehler
