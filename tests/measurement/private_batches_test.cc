#include "mehler/measurement/private_batches.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mehler/demo/people.h"
#include "tests/support/errors.h"
#include "tests/support/private_batches_test_peer.h"
#include "tests/support/table_stream.h"

namespace mehler {
namespace private_batches_test {

constexpr auto kLeaky = ActivationLayer::Function::kLeakyRectifier;

Network critic_of(const PrivateBatches& batches) {
  return Network(
      {DenseLayer{batches.inputs().size(), 6}, ActivationLayer{6, kLeaky}, DenseLayer{6, 1}}, 1);
}

TrainingPlan plan_with(double noise, std::uint64_t steps,
                       TrainingCritics critics = TrainingCritics::kOne) {
  return {.critics = critics,
          .rate_numerator = TrainingPlan::kFullRate,
          .noise_multiplier = noise,
          .steps = steps,
          .clip_norm = 0.5};
}

/// People, read into batches, and a budget that lets noise of next to nothing pass.
struct People {
  Schema schema = people_schema();
  Encoder encoder{schema};
  Accountant accountant{{1e6, 0.5}};
  PrivateBatches batches;

  explicit People(std::size_t threads = 1)
      : batches(PrivateTable({part_of({simulate_people(300, 1), simulate_people(200, 2)})}, schema),
                encoder, {RecordInputs::Label::kTold}, Context{threads, nullptr, nullptr}) {}
};

TEST(PrivateBatches, AStepOfAllRecordsIsTheirExactSumAndItsNoise) {
  People people;
  const Network critic = critic_of(people.batches);
  SubsampledMechanism paid(people.accountant, "training", plan_with(0.05, 40), 1, people.schema);
  WorkerPool pool(2);
  const std::vector<double> exact =
      PrivateBatchesTestPeer::exact_sums(people.batches, critic, CriticLoss::kCrossEntropy, 0.5);
  double squares = 0.0;
  std::size_t count = 0;
  for (int step = 0; step < 40; ++step) {
    const std::vector<float> noisy =
        people.batches.noisy_gradient(critic, CriticLoss::kCrossEntropy, paid, 0, pool);
    ASSERT_EQ(noisy.size(), exact.size());
    for (std::size_t i = 0; i < noisy.size(); ++i, ++count) {
      const double gap = static_cast<double>(noisy[i]) / 0.5 - exact[i];
      ASSERT_LT(std::fabs(gap), 0.05 * 8.0);  // 8 sigma: 1e-15 for each of 5,000
      squares += gap * gap / (0.05 * 0.05);
    }
  }
  // A mean of that many squares of standard normals; 7 standard deviations: 3e-12.
  EXPECT_NEAR(squares / static_cast<double>(count), 1.0,
              7.0 * std::sqrt(2.0 / static_cast<double>(count)));
}

TEST(PrivateBatches, ACriticOfAClassMeetsRecordsOfThatClassAlone) {
  People people;
  const Network critic = critic_of(people.batches);
  const std::size_t classes = people.encoder.columns()[*people.encoder.label()].code_count();
  SubsampledMechanism paid(people.accountant, "training",
                           plan_with(1e-3, 1, TrainingCritics::kOnePerClass), classes,
                           people.schema);
  WorkerPool pool(1);
  for (std::size_t c = 0; c < classes; ++c) {
    const std::vector<double> exact = PrivateBatchesTestPeer::exact_sums(
        people.batches, critic, CriticLoss::kWasserstein, 0.5, static_cast<int>(c));
    const std::vector<float> noisy =
        people.batches.noisy_gradient(critic, CriticLoss::kWasserstein, paid, c, pool);
    for (std::size_t i = 0; i < noisy.size(); ++i) {
      ASSERT_NEAR(static_cast<double>(noisy[i]) / 0.5, exact[i], 0.01 + 1e-6 * std::fabs(exact[i]));
    }
    // Each critic has its own steps.
    EXPECT_EQ(paid.steps_left(c), 0u);
  }
}

TEST(PrivateBatches, SumsAreTheSameHoweverManyThreadsHaveReadThem) {
  People one(1);
  People three(3);
  const Network critic = critic_of(one.batches);
  EXPECT_EQ(
      PrivateBatchesTestPeer::exact_sums(one.batches, critic, CriticLoss::kWasserstein, 1.0),
      PrivateBatchesTestPeer::exact_sums(three.batches, critic, CriticLoss::kWasserstein, 1.0));
}

TEST(PrivateBatches, CountRecordsAndClassesWithTheNoiseThatWasPaidFor) {
  People people;
  for (const bool by_class : {false, true}) {
    const std::vector<CountBlock> blocks = {TrainedWeights::counted(people.encoder, by_class)};
    const std::vector<double> precisions = {1e4};
    const NoisyBlock noisy = people.batches.count(
        CountMechanism(people.accountant, "counts", blocks, people.schema, precisions));
    double sum = 0.0;
    for (std::size_t i = 0; i < noisy.columns; ++i) {
      sum += noisy.at(0, i);
    }
    EXPECT_EQ(noisy.columns,
              by_class ? people.encoder.columns()[*people.encoder.label()].code_count() : 1);
    EXPECT_NEAR(sum, 500.0, 0.2);  // noise of 0.01
  }
}

TEST(PrivateBatches, RefuseAStepThatWasNotPaidFor) {
  People people;
  const Network critic = critic_of(people.batches);
  SubsampledMechanism paid(people.accountant, "training", plan_with(1.0, 2), 1, people.schema);
  WorkerPool pool(1);
  for (int step = 0; step < 2; ++step) {
    people.batches.noisy_gradient(critic, CriticLoss::kWasserstein, paid, 0, pool);
  }
  expect_mentions(
      message_of(
          ErrorCode::kBudgetExceeded,
          [&] { people.batches.noisy_gradient(critic, CriticLoss::kWasserstein, paid, 0, pool); }),
      {"'training'", "2 steps"});
}

TEST(PrivateBatches, RefuseARightThatWasPaidForUnderAnotherSchema) {
  People people;
  const Schema other = Schema::from_json(
      R"({"mehler_schema": 1, "columns": [{"name": "x", "kind": "numeric", "bounds": [0, 1]}]})");
  SubsampledMechanism paid(people.accountant, "training", plan_with(1.0, 2), 1, other);
  WorkerPool pool(1);
  const Network critic = critic_of(people.batches);
  expect_mentions(
      message_of(
          ErrorCode::kInvalidArgument,
          [&] { people.batches.noisy_gradient(critic, CriticLoss::kWasserstein, paid, 0, pool); }),
      {"another schema"});
  EXPECT_EQ(paid.steps_left(0), 2u);
}

TEST(PrivateBatches, RefuseACriticThatMixesRecordsAndTakeNoStep) {
  People people;
  SubsampledMechanism paid(people.accountant, "training", plan_with(1.0, 2), 1, people.schema);
  WorkerPool pool(1);
  const Network critic(
      {DenseLayer{people.batches.inputs().size(), 6}, NormalizationLayer{6, 1}, DenseLayer{6, 1}},
      1);
  message_of(ErrorCode::kInvalidArgument, [&] {
    people.batches.noisy_gradient(critic, CriticLoss::kWasserstein, paid, 0, pool);
  });
  EXPECT_EQ(paid.steps_left(0), 2u);
}

TEST(PrivateBatches, OfAnEmptyTableAreNoise) {
  const Schema schema = people_schema();
  const Encoder encoder(schema);
  PrivateBatches batches(PrivateTable({part_of({rows_of(simulate_people(1, 1), {})})}, schema),
                         encoder, {RecordInputs::Label::kLeftOut}, Context{});
  EXPECT_EQ(PrivateBatchesTestPeer::rows(batches), 0u);
  Accountant accountant({1e6, 0.5});
  SubsampledMechanism paid(accountant, "training", plan_with(1.0, 1), 1, schema);
  WorkerPool pool(1);
  const std::vector<float> noisy =
      batches.noisy_gradient(critic_of(batches), CriticLoss::kWasserstein, paid, 0, pool);
  for (const float value : noisy) {
    EXPECT_LT(std::fabs(value), 0.5F * 8.0F);
  }
}

}  // namespace private_batches_test
}  // namespace mehler
