#include "mehler/record_networks/adversarial_pair.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "mehler/record_networks/network_inputs.h"
#include "tests/support/errors.h"
#include "tests/support/labelled_shapes.h"

namespace mehler {
namespace adversarial_pair_test {

/// A pair for 8 x 8 images of two classes. Two of one design are the same to the bit.
struct Example {
  explicit Example(const AdversarialDesign& its) : design(its) {}

  Encoder encoder{shapes_schema()};
  AdversarialDesign design;
  RecordInputs inputs{encoder, design.inputs};
  SeededRandom random{1};
  Network generator{design.generator.network(encoder, inputs.told_classes(), inputs.layout().size,
                                             random.next_word())};
  AdversarialPair pair{design, generator, inputs, random};
  WorkerPool pool{1};
  std::vector<std::size_t> classes{0, 1, 1, 0, 1, 0};

  std::vector<float> step_critic(float of_real_at_first) {
    std::vector<float> of_real(pair.critic().parameters().size(), 0.0F);
    of_real[0] = of_real_at_first;
    pair.step_critic(of_real, classes, 1, pool);
    return {pair.critic().parameters().begin(), pair.critic().parameters().end()};
  }
};

AdversarialDesign plain_descent() {
  AdversarialDesign design = AdversarialDesign::of_dp_cgan();
  design.critic_rate = {0.25, 0.25};
  return design;
}

TEST(LearningRate, FallsLinearlyAndStays) {
  const LearningRate rate{0.1, 0.05, 10};
  EXPECT_DOUBLE_EQ(rate.at(0), 0.1);
  EXPECT_DOUBLE_EQ(rate.at(5), 0.075);
  EXPECT_DOUBLE_EQ(rate.at(10), 0.05);
  EXPECT_DOUBLE_EQ(rate.at(1000), 0.05);
}

TEST(AdversarialPair, AStepOfTheCriticAddsThePartOfRealRecords) {
  const AdversarialDesign design = plain_descent();
  const std::vector<float> without = Example(design).step_critic(0.0F);
  const std::vector<float> with = Example(design).step_critic(2.0F);
  EXPECT_NEAR(with[0], without[0] - 0.25F * 2.0F, 1e-6);
  EXPECT_TRUE(std::equal(with.begin() + 1, with.end(), without.begin() + 1));
}

TEST(AdversarialPair, GeneratedRecordsCountNoMoreThanTheyMay) {
  constexpr double kNorm = 1e-3;
  AdversarialDesign design = plain_descent();
  const auto moved = [](const AdversarialDesign& of) {
    Example example(of);
    const std::vector<float> before(example.pair.critic().parameters().begin(),
                                    example.pair.critic().parameters().end());
    const std::vector<float> after = example.step_critic(0.0F);
    double squares = 0.0;
    for (std::size_t i = 0; i < after.size(); ++i) {
      squares += std::pow(static_cast<double>(after[i]) - static_cast<double>(before[i]), 2);
    }
    return std::sqrt(squares) / of.critic_rate.first;
  };
  EXPECT_GT(moved(design), 10.0 * kNorm);
  design.generated_clipping = Clipping{kNorm};
  EXPECT_LE(moved(design), 1.001 * kNorm);
  EXPECT_GT(moved(design), 0.1 * kNorm);
  // Where nothing is as long as it may be, clipping changes nothing but roundings.
  const std::vector<float> without = Example(plain_descent()).step_critic(0.0F);
  design.generated_clipping = Clipping{1e6};
  const std::vector<float> with = Example(design).step_critic(0.0F);
  for (std::size_t i = 0; i < with.size(); ++i) {
    EXPECT_NEAR(with[i], without[i], 1e-6) << i;
  }
}

TEST(AdversarialPair, StepsOfTheCriticLowerWhatItSaysOfGeneratedRecords) {
  Example example(plain_descent());
  const auto said = [&] {
    SeededRandom random(7);
    const Matrix made =
        make_inputs(example.design.generator, example.classes, 2, random, example.pool);
    const Matrix records = StraightThrough(example.inputs)
                               .draw(example.generator.forward(made, example.pool), example.classes,
                                     random, example.pool)
                               .records;
    Network critic = example.pair.critic();
    const Matrix all = critic.forward(records, example.pool);
    double sum = 0.0;
    for (const float value : all.values) {
      sum += static_cast<double>(value);
    }
    return sum / static_cast<double>(all.rows);
  };
  const double at_first = said();
  for (int i = 0; i < 20; ++i) {
    example.step_critic(0.0F);
  }
  const double judged = said();
  EXPECT_LT(judged, at_first - 0.1);
  // And the generator then finds what it says more of.
  for (std::uint64_t step = 1; step <= 20; ++step) {
    example.pair.step_generator(example.classes, step, example.pool);
  }
  EXPECT_GT(said(), judged + 0.1);
}

TEST(AdversarialPair, TheMeanOfTheGeneratorsWeightsIsKeptWhereThatIsWanted) {
  const auto trained = [](std::optional<double> kept, std::vector<std::vector<float>>* steps) {
    AdversarialDesign design = plain_descent();
    design.kept_of_mean = kept;
    Example example(design);
    for (std::uint64_t step = 1; step <= 3; ++step) {
      example.pair.step_generator(example.classes, step, example.pool);
      if (steps != nullptr) {
        steps->emplace_back(example.generator.parameters().begin(),
                            example.generator.parameters().end());
      }
    }
    example.pair.finish();
    return std::vector<float>(example.generator.parameters().begin(),
                              example.generator.parameters().end());
  };
  std::vector<std::vector<float>> steps;
  const std::vector<float> last = trained({}, &steps);
  EXPECT_EQ(last, steps.back());
  RunningMean mean(0.5);
  for (const std::vector<float>& weights : steps) {
    mean.add(weights);
  }
  EXPECT_EQ(trained(0.5, nullptr), std::vector<float>(mean.mean().begin(), mean.mean().end()));
}

TEST(AdversarialPair, WeightsOfACriticStayWithinTheirLimit) {
  AdversarialDesign design = plain_descent();
  design.critic_weight_limit = 0.01F;
  for (const float weight : Example(design).step_critic(1e6F)) {
    EXPECT_LE(std::fabs(weight), 0.01F);
  }
}

TEST(AdversarialPair, AWeightThatIsNoNumberIsRefusedWithWhatToDo) {
  Example example(plain_descent());
  example.step_critic(0.0F);
  EXPECT_NO_THROW(example.pair.require_numbers(1, ""));
  example.step_critic(std::numeric_limits<float>::quiet_NaN());
  expect_mentions(message_of(ErrorCode::kInvalidArgument,
                             [&] { example.pair.require_numbers(2, "take a walk"); }),
                  {"diverged by step 2", "take a walk"});
}

}  // namespace adversarial_pair_test
}  // namespace mehler
