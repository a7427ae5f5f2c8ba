#include "mehler/measurement/private_critics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "mehler/demo/people.h"
#include "mehler/simd/matrix_product.h"
#include "tests/support/errors.h"
#include "tests/support/private_critics_test_peer.h"
#include "tests/support/table_stream.h"

namespace mehler {
namespace private_critics_test {

using Peer = PrivateCriticsTestPeer;

TrainingPlan plan_of(std::uint64_t shards, double noise, std::uint64_t steps = 10) {
  return {.critics = TrainingCritics::kShards,
          .noise_multiplier = noise,
          .steps = steps,
          .clip_norm = 0.5,
          .shards = shards,
          .queries = 8};
}

std::vector<float> random_numbers(std::size_t count, std::uint64_t seed, double scale = 1.0) {
  SeededRandom random(seed);
  std::vector<float> values(count);
  for (float& value : values) {
    value = static_cast<float>(scale * (2.0 * random.uniform() - 1.0));
  }
  return values;
}

/// Records of so many numbers, each with a class behind them, one-hot.
std::vector<float> with_classes(const std::vector<float>& numbers, std::size_t width,
                                std::size_t classes) {
  std::vector<float> result;
  for (std::size_t row = 0; row * width < numbers.size(); ++row) {
    result.insert(result.end(), &numbers[row * width], &numbers[row * width] + width);
    for (std::size_t i = 0; i < classes; ++i) {
      result.push_back((row * row + numbers.size()) % classes == i ? 1.0F : 0.0F);
    }
  }
  return result;
}

/// The first records of a diagnosis.
Table people_of(const std::string& diagnosis, std::size_t rows) {
  const Table people = simulate_people(1000, 1);
  const auto& diagnoses = std::get<std::vector<std::string>>(people.columns.back().values);
  std::vector<std::size_t> chosen;
  for (std::size_t row = 0; row < diagnoses.size() && chosen.size() < rows; ++row) {
    if (diagnoses[row] == diagnosis) {
      chosen.push_back(row);
    }
  }
  EXPECT_EQ(chosen.size(), rows);
  return rows_of(people, chosen);
}

struct People {
  explicit People(const Table& table = simulate_people(300, 1))
      : batches(PrivateTable({part_of({table})}, schema), encoder, {RecordInputs::Label::kTold},
                Context{}) {}

  Schema schema = people_schema();
  Encoder encoder{schema};
  Accountant accountant{{1e6, 0.5}};
  PrivateBatches batches;
  WorkerPool pool{1};

  SubsampledMechanism pay(const TrainingPlan& plan) {
    return SubsampledMechanism(accountant, "training", plan, 1, schema);
  }
  /// Random numbers, of classes that take turns.
  Matrix generated(std::size_t rows) const {
    const std::size_t classes = batches.inputs().told_classes();
    Matrix result(rows, batches.inputs().size());
    result.values = random_numbers(result.values.size(), 5);
    for (std::size_t row = 0; row < rows; ++row) {
      const std::span<float> told = result.row(row).last(classes);
      std::fill(told.begin(), told.end(), 0.0F);
      told[row % classes] = 1.0F;
    }
    return result;
  }
};

// In single precision, of a loss of about 10: differences of 1e-2 know a slope to 1e-3.
TEST(PrivateCriticPass, GradientOfTheLossIsThatOfDifferences) {
  PrivateCriticTraining training;
  training.hidden = {7, 5};
  constexpr std::size_t kClasses = 3;
  PrivateCriticPass pass(4 + kClasses, kClasses, training.hidden);
  PrivateCriticWeights critic = pass.start(3);
  const std::vector<float> real = with_classes(random_numbers(4 * 6, 1), 4, kClasses);
  const std::vector<float> generated = with_classes(random_numbers(4 * 6, 2, 2.0), 4, kClasses);
  const std::vector<float> shares = {0.1F, 0.9F, 0.5F, 0.3F, 0.7F, 0.2F};
  const auto slopes = pass.loss_gradient(training, real, generated, shares, critic);
  const std::vector<float> gradient(slopes.begin(), slopes.end());
  ASSERT_EQ(gradient.size(),
            PrivateCriticPass::parameter_count(4 + kClasses, kClasses, training.hidden));
  double largest = 0.0;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    constexpr float kStep = 2e-3F;
    const float before = critic.parameters[i];
    critic.parameters[i] = before + kStep;
    const double above = pass.loss(training, real, generated, shares, critic);
    critic.parameters[i] = before - kStep;
    const double below = pass.loss(training, real, generated, shares, critic);
    critic.parameters[i] = before;
    largest = std::max(largest, std::fabs(static_cast<double>(gradient[i])));
    EXPECT_NEAR(static_cast<double>(gradient[i]), (above - below) / (2.0 * 2e-3), 0.02) << i;
  }
  EXPECT_GT(largest, 0.5);
}

TEST(PrivateCriticPass, TrainingTellsRealRecordsFromGeneratedOnes) {
  PrivateCriticTraining training;
  training.learning_rate = 1e-4;
  PrivateCriticPass pass(2, 0, training.hidden);
  PrivateCriticWeights critic = pass.start(1);
  const std::vector<float> real(2 * 32, 0.5F);
  const std::vector<float> generated(2 * 32, -0.5F);
  const std::vector<float> shares = random_numbers(32, 3, 0.5);
  const double before = pass.loss(training, real, generated, shares, critic);
  for (int step = 0; step < 1500; ++step) {
    pass.train(training, real, generated, shares, critic);
  }
  EXPECT_LT(pass.loss(training, real, generated, shares, critic), std::min(before, -0.8));
}

// 200 numbers besides, which are those of any record.
TEST(PrivateCriticPass, TheClassIsHeardAmongManyNumbers) {
  constexpr std::size_t kNumbers = 200;
  constexpr std::size_t kRows = 32;
  PrivateCriticTraining training;
  PrivateCriticPass pass(kNumbers + 2, 2, training.hidden);
  PrivateCriticWeights critic = pass.start(1);
  std::vector<float> real;
  std::vector<float> generated;
  for (std::size_t row = 0; row < kRows; ++row) {
    // Real: the numbers are .5 in one class and -.5 in the other. Generated: either way round.
    for (const bool is_real : {true, false}) {
      std::vector<float>& records = is_real ? real : generated;
      const bool is_second = row % 2 == 1;
      const bool as_second = is_real ? is_second : (row / 2) % 2 == 1;
      records.insert(records.end(), kNumbers, as_second ? -0.5F : 0.5F);
      records.push_back(is_second ? 0.0F : 1.0F);
      records.push_back(is_second ? 1.0F : 0.0F);
    }
  }
  const std::vector<float> shares = random_numbers(kRows, 3, 0.5);
  for (int step = 0; step < 300; ++step) {
    pass.train(training, real, generated, shares, critic);
  }
  // What it says of the same numbers grows along 1, .., 1 in one class and falls in the other.
  std::vector<float> slope(kNumbers + 2);
  for (const float of_first : {1.0F, 0.0F}) {
    std::vector<float> record(kNumbers + 2, 0.0F);
    record[kNumbers] = of_first;
    record[kNumbers + 1] = 1.0F - of_first;
    pass.record_gradient(critic, record, slope);
    double sum = 0.0;
    for (std::size_t i = 0; i < kNumbers; ++i) {
      sum += static_cast<double>(slope[i]);
    }
    EXPECT_GT(of_first > 0.0F ? sum : -sum, 0.0) << of_first;
  }
}

TEST(PrivateCritics, EveryRecordIsOfOneCriticAndChangesNoOther) {
  People people;
  SubsampledMechanism paid = people.pay(plan_of(20, 1.0));
  PrivateCritics critics(people.batches, {}, paid);
  const auto shards = Peer::shards(critics);
  std::set<std::uint32_t> met;
  std::size_t count = 0;
  for (const auto& shard : shards) {
    met.insert(shard.begin(), shard.end());
    count += shard.size();
  }
  EXPECT_EQ(shards.size(), 20u);
  EXPECT_EQ(met.size(), 300u);
  EXPECT_EQ(count, 300u);
  // Their turn comes around, and training some changes these alone.
  for (const std::vector<std::size_t>& trained :
       {std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
        {12, 13, 14, 15, 16, 17, 18, 19, 0, 1, 2, 3},
        {4}}) {
    std::vector<std::vector<float>> before;
    for (std::size_t c = 0; c < 20; ++c) {
      before.push_back(Peer::weights(critics, c));
    }
    critics.train(people.generated(33), trained.size(), 1, people.pool);
    for (std::size_t c = 0; c < 20; ++c) {
      const bool is_trained = std::find(trained.begin(), trained.end(), c) != trained.end();
      EXPECT_EQ(Peer::weights(critics, c) != before[c], is_trained) << c;
    }
  }
}

TEST(PrivateCritics, OfAClassThatACriticNeverMetItSaysWhatItSaysOfAll) {
  PrivateCriticPass pass(7, 3, {5});
  PrivateCriticWeights critic = pass.start(1);
  const PrivateCriticTraining training{.hidden = {5}, .learning_rate = 0.01};
  std::vector<float> real = random_numbers(8 * 7, 1);
  std::vector<float> generated = random_numbers(8 * 7, 2);
  for (std::vector<float>* records : {&real, &generated}) {
    for (std::size_t row = 0; row < 8; ++row) {
      for (std::size_t i = 0; i < 3; ++i) {
        (*records)[row * 7 + 4 + i] = i == row % 2 ? 1.0F : 0.0F;  // never of class 2
      }
    }
  }
  const std::vector<float> shares(8, 0.5F);
  for (int step = 0; step < 50; ++step) {
    pass.train(training, real, generated, shares, critic);
  }
  // The last layer: [5 + 1][1 + 3], a number for all and one for each class.
  const std::size_t last = critic.parameters.size() - 6 * 4;
  double of_met = 0.0;
  for (std::size_t from = 0; from < 6; ++from) {
    of_met += std::fabs(static_cast<double>(critic.parameters[last + from * 4 + 1]));
    EXPECT_EQ(critic.parameters[last + from * 4 + 3], 0.0F) << from;
  }
  EXPECT_GT(of_met, 0.1);
}

// A product leaves parts of its second matrix with the thread: of weights that saw records without
// noise, here.
TEST(PrivateCritics, LeaveNothingWithTheThread) {
  People people;
  SubsampledMechanism paid = people.pay(plan_of(5, 1.0));
  PrivateCritics critics(people.batches, {}, paid);
  WorkerPool alone(1);
  const auto is_wiped = [] {
    const std::span<float> memory = product_memory();
    return std::all_of(memory.begin(), memory.end(), [](float value) { return value == 0.0F; });
  };
  const auto leave_traces = [] {
    std::fill(product_memory().begin(), product_memory().end(), 1.0F);
  };
  leave_traces();
  critics.train(people.generated(33), 5, 1, alone);
  EXPECT_TRUE(is_wiped());
  leave_traces();
  critics.noisy_gradients(people.generated(8), paid, alone);
  EXPECT_TRUE(is_wiped());
}

// Queries draw critics, and what they drew must not show in who is trained next: composition takes
// the draws of queries that are past for forgotten.
TEST(PrivateCritics, AreTrainedInTurnWhateverWasAsked) {
  People people;
  SubsampledMechanism paid = people.pay(plan_of(5, 1.0, 20));
  PrivateCritics critics(people.batches, {}, paid);
  for (std::size_t step = 0; step < 20; ++step) {
    critics.noisy_gradients(people.generated(8), paid, people.pool);
    std::vector<std::vector<float>> before;
    for (std::size_t c = 0; c < 5; ++c) {
      before.push_back(Peer::weights(critics, c));
    }
    critics.train(people.generated(33), 1, 1, people.pool);
    for (std::size_t c = 0; c < 5; ++c) {
      EXPECT_EQ(Peer::weights(critics, c) != before[c], c == step % 5) << step << ", " << c;
    }
  }
}

// Generated records of one class are no numbers: whoever meets one has no numbers either. That none
// of 64 is of that class, where classes were not asked for, has a probability of 5e-12.
TEST(PrivateCritics, ARealRecordMeetsGeneratedOnesOfItsClassAlone) {
  const std::string last = people_schema().label()->categories->back();
  People people(people_of(last, 30));
  const std::size_t classes = people.batches.inputs().told_classes();
  const std::size_t numbers = people.batches.inputs().layout().size;
  ASSERT_EQ(classes, 3u);
  for (std::size_t of_class = 0; of_class < classes; ++of_class) {
    SubsampledMechanism paid = people.pay(plan_of(2, 1.0));
    PrivateCritics critics(people.batches, {}, paid);
    Matrix generated = people.generated(33);
    for (std::size_t row = of_class; row < generated.rows; row += classes) {
      std::fill_n(generated.row(row).begin(), numbers, std::nanf(""));
    }
    critics.train(generated, 2, 1, people.pool);
    for (std::size_t c = 0; c < 2; ++c) {
      const std::vector<float> weights = Peer::weights(critics, c);
      EXPECT_EQ(std::isnan(weights.front()), of_class + 1 == classes) << of_class << ", " << c;
    }
  }
}

// Whatever a critic has become, also one whose weights are huge or no numbers.
TEST(PrivateCritics, GradientsAreAtMostTheClipNormAsIntegers) {
  People people;
  SubsampledMechanism paid = people.pay(plan_of(5, 1.0));
  PrivateCriticTraining training;
  for (const double rate : {1e-3, 10.0, 1e30}) {
    training.learning_rate = rate;
    PrivateCritics critics(people.batches, training, paid);
    for (int step = 0; step < 3; ++step) {
      critics.train(people.generated(66), 5, 2, people.pool);
    }
    const Matrix generated = people.generated(8);
    const std::size_t numbers = people.batches.inputs().layout().size;
    for (std::size_t c = 0; c < 5; ++c) {
      for (std::size_t row = 0; row < 8; ++row) {
        double squares = 0.0;
        for (const std::int64_t value :
             Peer::exact_gradient(critics, c, generated.row(row), 1e-3, numbers)) {
          squares += std::pow(std::ldexp(static_cast<double>(value), -kGradientGridExponent), 2);
        }
        EXPECT_LE(squares, 1.0);
        EXPECT_TRUE(rate > 1e-3 || squares > 0.99);  // a clip norm that shortens all
      }
    }
  }
}

// Noise of 2 z C on every number: 8 rows of about 25 numbers, 60 steps. 7 standard deviations of
// the variance, and 8 of each: a failure probability below 1e-10.
TEST(PrivateCritics, AnswersHaveTheNoiseThatWasPaidFor) {
  People people;
  constexpr double kNoise = 3.0;
  SubsampledMechanism paid = people.pay(plan_of(2, kNoise, 60));
  PrivateCritics critics(people.batches, {}, paid);
  const Matrix generated = people.generated(8);
  const std::size_t numbers = people.batches.inputs().layout().size;
  double squares = 0.0;
  double count = 0.0;
  for (int step = 0; step < 60; ++step) {
    const Matrix noisy = critics.noisy_gradients(generated, paid, people.pool);
    for (std::size_t row = 0; row < 8; ++row) {
      for (std::size_t i = 0; i < noisy.columns; ++i) {
        const double value = static_cast<double>(noisy.row(row)[i]) / (2.0 * kNoise * 0.5);
        if (i >= numbers) {
          EXPECT_EQ(value, 0.0);  // the class
          continue;
        }
        EXPECT_LT(std::fabs(value), 8.0 + 0.17);
        squares += value * value;
        count += 1.0;
      }
    }
  }
  // The gradient itself adds at most 1 / (4 z^2) for each record.
  const double mean = squares / count;
  EXPECT_GE(mean, 1.0 - 7.0 * std::sqrt(2.0 / count));
  EXPECT_LE(mean, 1.0 + 7.0 * std::sqrt(2.0 / count) +
                      1.0 / (4.0 * kNoise * kNoise * static_cast<double>(numbers)));
}

// With next to no noise every answer is that of one of the critics; each of 8 is drawn for itself
// or all are the same one's. That 8 draws of one in 40 agree by chance: 40^-7, 6e-12.
TEST(PrivateCritics, AreDrawnForEachRecordOrForAllOfAStep) {
  People people;
  for (const bool jointly : {false, true}) {
    TrainingPlan plan = plan_of(40, 0.01, 1);
    plan.drawn_jointly = jointly;
    SubsampledMechanism paid = people.pay(plan);
    PrivateCritics critics(people.batches, {}, paid);
    Matrix generated(8, people.batches.inputs().size());  // all the same
    const Matrix noisy = critics.noisy_gradients(generated, paid, people.pool);
    std::set<std::size_t> drawn;
    for (std::size_t row = 0; row < 8; ++row) {
      std::size_t nearest = 0;
      double least = 1e9;
      for (std::size_t c = 0; c < 40; ++c) {
        const auto exact = Peer::exact_gradient(critics, c, generated.row(row), 0.5,
                                                people.batches.inputs().layout().size);
        double gap = 0.0;
        for (std::size_t i = 0; i < exact.size(); ++i) {
          gap += std::pow(std::ldexp(static_cast<double>(exact[i]), -38) -
                              static_cast<double>(noisy.row(row)[i]) / 0.5,
                          2);
        }
        nearest = gap < least ? c : nearest;
        least = std::min(least, gap);
      }
      EXPECT_LT(least, 0.1);
      drawn.insert(nearest);
    }
    EXPECT_EQ(drawn.size() == 1, jointly);
  }
}

TEST(PrivateCritics, RefuseAStepThatWasNotPaidFor) {
  People people;
  SubsampledMechanism paid = people.pay(plan_of(3, 1.0, 1));
  PrivateCritics critics(people.batches, {}, paid);
  critics.noisy_gradients(people.generated(8), paid, people.pool);
  expect_mentions(
      message_of(ErrorCode::kBudgetExceeded,
                 [&] { critics.noisy_gradients(people.generated(8), paid, people.pool); }),
      {"'training'", "1 steps"});
}

TEST(PrivateCritics, OfAnEmptyTableAnswerToo) {
  const Schema schema = people_schema();
  const Encoder encoder(schema);
  PrivateBatches none(PrivateTable({part_of({rows_of(simulate_people(1, 1), {})})}, schema),
                      encoder, {RecordInputs::Label::kTold}, Context{});
  Accountant accountant({1e6, 0.5});
  SubsampledMechanism paid(accountant, "training", plan_of(3, 1.0, 1), 1, schema);
  PrivateCritics critics(none, {}, paid);
  WorkerPool pool(1);
  Matrix generated(6, none.inputs().size());
  for (std::size_t row = 0; row < generated.rows; ++row) {
    generated.row(row).last(3)[row % 3] = 1.0F;
  }
  critics.train(generated, 3, 1, pool);
  generated = Matrix(8, none.inputs().size());
  EXPECT_EQ(critics.noisy_gradients(generated, paid, pool).rows, 8u);
}

}  // namespace private_critics_test
}  // namespace mehler
