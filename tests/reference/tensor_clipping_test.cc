#include "mehler/reference/tensor_clipping.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mehler/core/seeded_random.h"

namespace mehler {
namespace tensor_clipping_test {

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
  std::vector<float> gradient_of(std::size_t row, CriticLoss loss) {
    Matrix twice(2, kInputs);  // a batch has at least two
    std::copy_n(records.row(row).begin(), kInputs, twice.row(0).begin());
    std::copy_n(records.row(row).begin(), kInputs, twice.row(1).begin());
    const double said = static_cast<double>(critic.forward(twice, pool).values[0]);
    Matrix slopes(2, 1);
    slopes.values[0] = static_cast<float>(slope_of_real(loss, said));
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

TEST(TensorClipping, ATensorIsAMatrixOfWeightsOrABias) {
  Example example;
  std::vector<std::size_t> sizes;
  for (const auto tensor : tensors_of(example.critic, example.critic.parameters())) {
    sizes.push_back(tensor.size());
  }
  EXPECT_EQ(sizes, (std::vector<std::size_t>{35, 7, 28, 4, 4, 1}));
}

TEST(TensorClipping, SumsEachRecordsTensorsShortenedOnTheirOwn) {
  Example example;
  for (const CriticLoss loss : {CriticLoss::kWasserstein, CriticLoss::kCrossEntropy}) {
    for (const double clip_norm : {0.05, 0.5, 1e6}) {
      std::vector<float> expected(example.critic.parameters().size(), 0.0F);
      for (std::size_t row = 0; row < example.records.rows; ++row) {
        std::vector<float> gradient = example.gradient_of(row, loss);
        for (const auto tensor : tensors_of(example.critic, gradient)) {
          const double norm = norm_of(tensor);
          for (float& value : tensor) {
            value *= static_cast<float>(norm > clip_norm ? clip_norm / norm : 1.0);
          }
        }
        std::transform(gradient.begin(), gradient.end(), expected.begin(), expected.begin(),
                       std::plus<>());
      }
      const std::vector<float> found =
          sum_clipped_by_tensor(example.critic, loss, clip_norm, example.records, example.pool);
      ASSERT_EQ(found.size(), expected.size());
      const double size = norm_of(expected);
      ASSERT_GT(size, 0.0);
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_NEAR(found[i], expected[i], 1e-5 * size) << i << " clipped to " << clip_norm;
      }
    }
  }
}

// Why noise of sigma C is noise of sigma / 2 times what a record of a network of two layers can be.
TEST(TensorClipping, ARecordIsUpToTheRootOfTheNumberOfTensorsLong) {
  Example example;
  constexpr double kClipNorm = 1e-3;  // shortens all
  double longest = 0.0;
  for (std::size_t row = 0; row < example.records.rows; ++row) {
    Matrix one(1, kInputs);
    std::copy_n(example.records.row(row).begin(), kInputs, one.row(0).begin());
    longest =
        std::max(longest, norm_of(sum_clipped_by_tensor(example.critic, CriticLoss::kWasserstein,
                                                        kClipNorm, one, example.pool)));
  }
  EXPECT_NEAR(longest / kClipNorm, std::sqrt(6.0), 1e-3);
}

}  // namespace tensor_clipping_test
}  // namespace mehler
