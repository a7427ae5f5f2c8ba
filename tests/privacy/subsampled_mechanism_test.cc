#include "mehler/privacy/subsampled_mechanism.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mehler/accounting/composition.h"
#include "mehler/measurement/internal/poisson_batch.h"
#include "mehler/privacy/secure_random.h"
#include "tests/support/errors.h"

namespace mehler {
namespace subsampled_mechanism_test {

Schema schema_with(const std::string& head) {
  return Schema::from_json(R"({"mehler_schema": 1, )" + head + R"("columns": [
      {"name": "id", "kind": "identifier"},
      {"name": "x", "kind": "numeric", "bounds": [0, 1]}]})");
}

TrainingPlan plan() {
  return {
      .rate_numerator = TrainingPlan::numerator_of(0.01), .noise_multiplier = 2.0, .steps = 500};
}

TEST(TrainingPlan, RatesAreMultiplesOfTwoToTheMinus32) {
  EXPECT_EQ(TrainingPlan::numerator_of(1.0), TrainingPlan::kFullRate);
  EXPECT_EQ(TrainingPlan::numerator_of(0.25), TrainingPlan::kFullRate / 4);
  EXPECT_EQ(TrainingPlan::numerator_of(1e-300), 1u);
  for (const double bad : {0.0, -0.1, 1.0000001, double{NAN}, double{INFINITY}}) {
    expect_mentions(
        message_of(ErrorCode::kInvalidArgument, [&] { (void)TrainingPlan::numerator_of(bad); }),
        {"sampling rate", "at most 1"});
  }
}

void expect_refused(const TrainingPlan& bad, const char* quantity) {
  expect_mentions(message_of(ErrorCode::kInvalidArgument, [&] { bad.validate(); }),
                  {quantity, "private training"});
}

TEST(TrainingPlan, RefusesNumbersThatAreNoPlan) {
  EXPECT_NO_THROW(plan().validate());
  for (const double bad : {0.0, -1.0, double{NAN}, double{INFINITY}}) {
    TrainingPlan changed = plan();
    changed.clip_norm = bad;
    expect_refused(changed, "clip norm");
    changed = plan();
    changed.noise_multiplier = bad;
    expect_refused(changed, "noise multiplier");
  }
  TrainingPlan changed = plan();
  changed.steps = 0;
  expect_refused(changed, "steps");
  changed = plan();
  changed.rate_numerator = 0;
  expect_refused(changed, "rate");
  changed.rate_numerator = TrainingPlan::kFullRate + 1;
  expect_refused(changed, "rate");
  TrainingPlan shards{.critics = TrainingCritics::kShards,
                      .noise_multiplier = 1.0,
                      .steps = 10,
                      .shards = 1,
                      .queries = 4};
  expect_refused(shards, "shards");
  shards.shards = 5;
  shards.queries = 0;
  expect_refused(shards, "queries");
  shards.queries = 4;
  EXPECT_NO_THROW(shards.validate());
  shards.rate_numerator = 1;
  expect_refused(shards, "rate numerator");
  changed = plan();
  changed.shards = 2;
  expect_refused(changed, "number of shards");
  changed = plan();
  changed.queries = 1;
  expect_refused(changed, "number of queries");
  changed = plan();
  changed.drawn_jointly = true;
  expect_refused(changed, "joint drawing");
}

TEST(TrainingPlan, AnswersThatAreDrawnTogetherAreOneAndLarger) {
  TrainingPlan shards{.critics = TrainingCritics::kShards,
                      .noise_multiplier = 1.07,
                      .steps = 20'000,
                      .shards = 1000,
                      .queries = 32};
  const auto each = std::get<ReplacedGaussian>(shards.charge("queries"));
  EXPECT_EQ(each.steps, 640'000u);
  EXPECT_EQ(each.noise_multiplier, 1.07);
  EXPECT_EQ(each.sampling_rate, 0.001);
  shards.drawn_jointly = true;
  const auto jointly = std::get<ReplacedGaussian>(shards.charge("queries"));
  EXPECT_EQ(jointly.steps, 20'000u);
  EXPECT_NEAR(jointly.noise_multiplier, 0.189, 0.001);
}

TEST(SubsampledMechanism, IsPaidForAllStepsWhenItIsMade) {
  Accountant accountant({2.0, 1e-5});
  SubsampledMechanism paid(accountant, "training", plan(), 1, schema_with(""));
  ASSERT_EQ(accountant.ledger().size(), 1u);
  const auto charged = std::get<SubsampledGaussian>(accountant.charges()[0]);
  EXPECT_EQ(charged.steps, 500u);
  EXPECT_EQ(charged.noise_multiplier, 2.0);
  EXPECT_EQ(charged.sampling_rate, std::ldexp(static_cast<double>(plan().rate_numerator), -32));
  EXPECT_EQ(name_of(paid.charge()), "training");
}

TEST(SubsampledMechanism, HandsOutItsStepsAndNoMore) {
  Accountant accountant({2.0, 1e-5});
  TrainingPlan three = plan();
  three.steps = 3;
  three.critics = TrainingCritics::kOnePerClass;
  SubsampledMechanism paid(accountant, "training", three, 2, schema_with(""));
  SubsampledMechanism moved = std::move(paid);
  for (int i = 0; i < 3; ++i) {
    moved.take_step(1);
  }
  EXPECT_EQ(moved.steps_left(0), 3u);
  expect_mentions(message_of(ErrorCode::kBudgetExceeded, [&] { moved.take_step(1); }),
                  {"'training'", "3 steps"});
  moved.take_step(0);
}

TEST(SubsampledMechanism, IsRefusedWhatTheBudgetDoesNotHoldAndBooksNothing) {
  Accountant accountant({0.1, 1e-5});
  expect_mentions(
      message_of(ErrorCode::kBudgetExceeded,
                 [&] { SubsampledMechanism(accountant, "training", plan(), 1, schema_with("")); }),
      {"'training'", "epsilon"});
  EXPECT_TRUE(accountant.ledger().empty());
}

TEST(SubsampledMechanism, IsForRecordsThatAreAddedOrRemovedOneByOne) {
  Accountant accountant({2.0, 1e-5});
  expect_mentions(message_of(ErrorCode::kInvalidArgument,
                             [&] {
                               SubsampledMechanism(accountant, "training", plan(), 1,
                                                   schema_with(R"("relation": "replace-one", )"));
                             }),
                  {"replace-one", "add-remove-one"});
  expect_mentions(
      message_of(ErrorCode::kInvalidArgument,
                 [&] {
                   SubsampledMechanism(
                       accountant, "training", plan(), 1,
                       schema_with(R"("privacy_unit": {"column": "id", "max_rows": 3}, )"));
                 }),
      {"'id'", "3", "max_rows"});
  EXPECT_TRUE(accountant.ledger().empty());
  EXPECT_NO_THROW(
      SubsampledMechanism(accountant, "training", plan(), 1,
                          schema_with(R"("privacy_unit": {"column": "id", "max_rows": 1}, )")));
}

// The specification's plan for adult at (1, 1e-5), beside counts of classes with noise of 50.
TEST(NoiseCalibration, OfATrainingUsesWhatIsLeftBesideTheCounts) {
  Accountant accountant({1.0, 1e-5});
  accountant.spend("counts", std::vector<Charge>{GaussianSums{"income", 1.0, 50.0}});
  TrainingPlan adult{.rate_numerator = TrainingPlan::numerator_of(400.0 / 32561),
                     .noise_multiplier = 0.0,
                     .steps = 2000};
  adult.noise_multiplier = affordable_noise_multiplier(accountant, adult);
  EXPECT_NEAR(adult.noise_multiplier, 2.207, 0.002);
  SubsampledMechanism paid(accountant, "training", adult, 1, schema_with(""));
  EXPECT_GT(ComposedPrivacy(accountant.charges()).epsilon_at(1e-5), 0.999);
}

/// Words from a list.
struct ListedWords {
  std::vector<std::uint64_t> words;
  std::size_t next = 0;
  std::uint64_t next_word() { return words.at(next++); }
};

TEST(PoissonBatch, TakesARecordIfHalfAWordIsBelowTheRate) {
  const std::vector<std::uint32_t> records = {7, 8, 9};
  // Halves from the lowest: 41, 42, 0.
  ListedWords words{{(std::uint64_t{42} << 32) | 41, 0}};
  WipedVector<std::uint32_t> batch;
  draw_poisson_batch(words, records, 42, batch);
  EXPECT_EQ(std::vector<std::uint32_t>(batch.begin(), batch.end()),
            (std::vector<std::uint32_t>{7, 9}));
  ListedWords largest{{~std::uint64_t{0}, ~std::uint64_t{0}}};
  draw_poisson_batch(largest, records, TrainingPlan::kFullRate, batch);
  EXPECT_EQ(batch.size(), 3u);
  ListedWords again{{~std::uint64_t{0}, ~std::uint64_t{0}}};
  draw_poisson_batch(again, records, TrainingPlan::kFullRate - 1, batch);
  EXPECT_EQ(batch.size(), 0u);
}

// Some 110 statistics, each within 7 standard deviations: a failure probability of 3e-10.
TEST(Noise, BatchesAreBinomialAndRecordsAndStepsIndependent) {
  constexpr std::size_t kRecords = 48;
  constexpr std::size_t kSteps = 30'000;
  constexpr double kRate = 0.2;
  std::vector<std::uint32_t> records(kRecords);
  std::iota(records.begin(), records.end(), 0);
  SecureRandom random;
  std::vector<std::vector<bool>> taken;
  WipedVector<std::uint32_t> batch;
  for (std::size_t step = 0; step < kSteps; ++step) {
    draw_poisson_batch(random, records, TrainingPlan::numerator_of(kRate), batch);
    std::vector<bool>& row = taken.emplace_back(kRecords, false);
    for (const std::uint32_t record : batch) {
      row[record] = true;
    }
  }
  const auto expect_share = [&](double count, double of, double probability, const char* what) {
    EXPECT_NEAR(count / of, probability, 7.0 * std::sqrt(probability * (1.0 - probability) / of))
        << what;
  };
  double squares = 0.0;
  for (std::size_t i = 0; i < kRecords; ++i) {
    double alone = 0.0;
    double with_next = 0.0;
    double again = 0.0;
    for (std::size_t step = 0; step < kSteps; ++step) {
      alone += taken[step][i];
      with_next += taken[step][i] && taken[step][(i + 1) % kRecords];
      again += step > 0 && taken[step][i] && taken[step - 1][i];
    }
    expect_share(alone, kSteps, kRate, "a record");
    expect_share(with_next, kSteps, kRate * kRate, "two records");
    // Neighbouring pairs of steps overlap, which adds 2 covariances of at most p^3 - p^4 each.
    EXPECT_NEAR(again / (kSteps - 1), kRate * kRate,
                7.0 * std::sqrt((kRate * kRate + 2 * kRate * kRate * kRate) / kSteps));
  }
  for (const std::vector<bool>& row : taken) {
    const double size = static_cast<double>(std::count(row.begin(), row.end(), true));
    squares += (size - kRate * kRecords) * (size - kRate * kRecords);
  }
  const double variance = kRecords * kRate * (1.0 - kRate);
  // The fourth moment of a binomial is below 3.1 variance^2 here.
  EXPECT_NEAR(squares / kSteps, variance, 7.0 * std::sqrt(2.1 / kSteps) * variance);
}

}  // namespace subsampled_mechanism_test
}  // namespace mehler
