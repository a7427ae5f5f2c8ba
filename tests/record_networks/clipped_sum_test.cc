#include "mehler/record_networks/clipped_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mehler/core/seeded_random.h"

namespace mehler {
namespace clipped_sum_test {

constexpr std::size_t kInputs = 5;
constexpr auto kRectifier = ActivationLayer::Function::kRectifier;

struct Example {
  Network critic{{DenseLayer{kInputs, 7}, ActivationLayer{7, kRectifier}, DenseLayer{7, 4},
                  ActivationLayer{4, kRectifier}, DenseLayer{4, 1}},
                 3};
  Matrix records{40, kInputs};
  WorkerPool pool{2};

  Example() {
    SeededRandom random(1);
    for (float& parameter : critic.parameters()) {
      parameter = static_cast<float>(random.normal());
    }
    for (float& value : records.values) {
      value = static_cast<float>(random.normal());
    }
  }

  /// The gradient of one record's loss, by the network's own backward pass.
  std::vector<float> gradient_of(std::size_t row, CriticLoss loss, LossSlope slope) {
    Matrix twice(2, kInputs);  // a batch has at least two
    std::copy_n(records.row(row).begin(), kInputs, twice.row(0).begin());
    std::copy_n(records.row(row).begin(), kInputs, twice.row(1).begin());
    const double said = static_cast<double>(critic.forward(twice, pool).values[0]);
    Matrix slopes(2, 1);
    slopes.values[0] = static_cast<float>(slope(loss, said));
    critic.backward(slopes, pool);
    return {critic.gradient().begin(), critic.gradient().end()};
  }
};

double norm_of(std::span<const float> values) {
  double squares = 0.0;
  for (const float value : values) {
    squares += static_cast<double>(value) * static_cast<double>(value);
  }
  return std::sqrt(squares);
}

void shorten(std::span<float> values, double longest) {
  const double norm = norm_of(values);
  for (float& value : values) {
    value *= static_cast<float>(norm > longest ? longest / norm : 1.0);
  }
}

std::vector<float> expected_sum(Example& example, CriticLoss loss, LossSlope slope,
                                const Clipping& clipping) {
  std::vector<float> sum(example.critic.parameters().size(), 0.0F);
  for (std::size_t row = 0; row < example.records.rows; ++row) {
    std::vector<float> gradient = example.gradient_of(row, loss, slope);
    if (clipping.of == Clipping::Of::kWhole) {
      shorten(gradient, clipping.norm);
    } else {
      for (const auto tensor : tensors_of(example.critic, gradient)) {
        shorten(tensor, clipping.norm);
      }
    }
    std::transform(gradient.begin(), gradient.end(), sum.begin(), sum.begin(), std::plus<>());
  }
  return sum;
}

TEST(ClippedSum, ATensorIsAMatrixOfWeightsOrABias) {
  Example example;
  std::vector<std::size_t> sizes;
  for (const auto tensor : tensors_of(example.critic, example.critic.parameters())) {
    sizes.push_back(tensor.size());
  }
  EXPECT_EQ(sizes, (std::vector<std::size_t>{35, 7, 28, 4, 4, 1}));
}

TEST(ClippedSum, SumsEachRecordsGradientShortenedAsAWholeOrByTensors) {
  Example example;
  for (const CriticLoss loss : {CriticLoss::kWasserstein, CriticLoss::kCrossEntropy}) {
    for (const LossSlope slope : {slope_of_real, slope_of_generated}) {
      for (const Clipping::Of of : {Clipping::Of::kWhole, Clipping::Of::kEachTensor}) {
        for (const double norm : {0.05, 0.5, 5.0, 1e6}) {
          const Clipping clipping{norm, of};
          const std::vector<float> expected = expected_sum(example, loss, slope, clipping);
          const std::vector<float> found =
              clipped_sum(example.critic, loss, slope, clipping, example.records, example.pool);
          ASSERT_EQ(found.size(), expected.size());
          const double size = norm_of(expected);
          ASSERT_GT(size, 0.0);
          for (std::size_t i = 0; i < found.size(); ++i) {
            EXPECT_NEAR(found[i], expected[i], 1e-5 * size) << i << " clipped to " << norm;
          }
        }
      }
    }
  }
}

TEST(ClippedSum, IsTheSameForAnyNumberOfThreads) {
  Example example;
  WorkerPool alone(1);
  const auto sum = [&](WorkerPool& pool) {
    return clipped_sum(example.critic, CriticLoss::kCrossEntropy, slope_of_generated, {0.5},
                       example.records, pool);
  };
  EXPECT_EQ(sum(alone), sum(example.pool));
}

// Why noise of sigma C is noise of sigma / 2 times what a record of a network of two layers can be.
TEST(ClippedSum, ByTensorsARecordIsUpToTheRootOfTheirNumberLong) {
  Example example;
  constexpr double kNorm = 1e-3;  // shortens all
  const auto longest = [&](Clipping::Of of) {
    double found = 0.0;
    for (std::size_t row = 0; row < example.records.rows; ++row) {
      Matrix one(1, kInputs);
      std::copy_n(example.records.row(row).begin(), kInputs, one.row(0).begin());
      found = std::max(found, norm_of(clipped_sum(example.critic, CriticLoss::kWasserstein,
                                                  slope_of_real, {kNorm, of}, one, example.pool)));
    }
    return found / kNorm;
  };
  EXPECT_NEAR(longest(Clipping::Of::kEachTensor), std::sqrt(6.0), 1e-3);
  EXPECT_NEAR(longest(Clipping::Of::kWhole), 1.0, 1e-3);
}

}  // namespace clipped_sum_test
}  // namespace mehler
