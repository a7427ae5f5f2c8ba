#include "mehler/privacy/exact_selection.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include "mehler/privacy/laplace_mechanism.h"
#include "mehler/privacy/secure_random.h"
#include "tests/support/counted_table.h"
#include "tests/support/errors.h"

namespace mehler {
namespace exact_selection_test {

/// Pearson's statistic of counts against probabilities.
double statistic_of(const std::vector<double>& counts, const std::vector<double>& probabilities) {
  double draws = 0.0;
  for (const double count : counts) {
    draws += count;
  }
  double statistic = 0.0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double expected = draws * probabilities[i];
    statistic += (counts[i] - expected) * (counts[i] - expected) / expected;
  }
  return statistic;
}

TEST(ExactBernoulli, HasTheProbabilityOfTheExponential) {
  SecureRandom random;
  ExactBernoulli<SecureRandom> bernoulli(random);
  constexpr int kDraws = 200'000;
  for (const double x : {0.0, 0.25, 1.0, 2.75}) {
    int kept = 0;
    for (int i = 0; i < kDraws; ++i) {
      const auto numerator = static_cast<std::uint64_t>(x * 0x1p40);
      kept += bernoulli.with_probability_exp(numerator, std::uint64_t{1} << 40) ? 1 : 0;
    }
    // 6 standard deviations: 2e-9 for each of 4.
    const double p = std::exp(-x);
    EXPECT_NEAR(kept, kDraws * p, 6.0 * std::sqrt(kDraws * p * (1.0 - p)) + 1e-9) << x;
  }
}

TEST(ExactBernoulli, DrawsEvenlyBelowBoundsOfEverySize) {
  SecureRandom random;
  ExactBernoulli<SecureRandom> bernoulli(random);
  for (const uint128 bound : {uint128{1}, uint128{3}, (uint128{1} << 64) + 1, uint128{1} << 127}) {
    for (int i = 0; i < 100; ++i) {
      EXPECT_TRUE(bernoulli.uniform_below(bound) < bound);
    }
  }
}

TEST(DiscreteLaplace, HasItsProbabilities) {
  SecureRandom random;
  // exp(-|k| 3/16): a scale of 5.33.
  DiscreteLaplace<SecureRandom> noise(random, 3, 4);
  constexpr int kMost = 20;
  std::vector<double> counts(2 * kMost + 1);
  for (int i = 0; i < 300'000; ++i) {
    const auto value = std::clamp<std::int64_t>(noise.sample(), -kMost, kMost);
    counts[static_cast<std::size_t>(value + kMost)] += 1.0;
  }
  std::vector<double> probabilities;
  const double ratio = std::exp(-3.0 / 16.0);
  for (int k = -kMost; k <= kMost; ++k) {
    const double mass = std::pow(ratio, std::abs(k)) * (1.0 - ratio) / (1.0 + ratio);
    probabilities.push_back(std::abs(k) == kMost ? mass / (1.0 - ratio) : mass);
  }
  // 40 degrees of freedom: above 125 with probability 1e-10.
  EXPECT_LT(statistic_of(counts, probabilities), 125.0);
}

TEST(ExactSelection, HasTheProbabilitiesOfTheExponentialMechanism) {
  SecureRandom random;
  const std::vector<std::int64_t> scores = {-700, 0, 256, 900};
  constexpr std::uint64_t kSensitivity = 256;
  const std::uint64_t numerator = std::uint64_t{3} << 31;  // epsilon 1.5
  std::vector<double> probabilities;
  double sum = 0.0;
  for (const std::int64_t score : scores) {
    probabilities.push_back(std::exp(1.5 * static_cast<double>(score) / (2.0 * kSensitivity)));
    sum += probabilities.back();
  }
  for (double& probability : probabilities) {
    probability /= sum;
  }
  std::vector<double> counts(scores.size());
  for (int i = 0; i < 200'000; ++i) {
    counts[draw_by_scores(random, std::span<const std::int64_t>(scores), kSensitivity,
                          numerator)] += 1.0;
  }
  // 3 degrees of freedom: above 40 with probability 1.1e-8.
  EXPECT_LT(statistic_of(counts, probabilities), 40.0);
}

TEST(ExactSelection, TakesTheLargestGapsThatScoresCanHave) {
  SecureRandom random;
  const std::vector<std::int64_t> scores = {-(std::int64_t{1} << 62), std::int64_t{1} << 62};
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(
        draw_by_scores(random, std::span<const std::int64_t>(scores), 1, std::uint64_t{1000} << 32),
        1u);
  }
}

TEST(ExactSelection, IsPaidForBeforeThereIsOne) {
  const Schema schema = schema_of_categories({2});
  Accountant accountant({.epsilon = 1.0, .delta = 1e-6});
  const ExactSelection selection(accountant, "parents", 7, 0.1, schema);
  EXPECT_LE(selection.charge().epsilon, 0.1);
  EXPECT_NEAR(selection.charge().epsilon, 0.1, 1e-9);
  ASSERT_EQ(accountant.ledger().size(), 1u);
  EXPECT_EQ(std::get<Selection>(accountant.charges()[0]).candidates, 7u);
  EXPECT_LT(accountant.left_mu_squared(), accountant.total_mu_squared());
  message_of(ErrorCode::kBudgetExceeded,
             [&] { ExactSelection(accountant, "parents", 7, 10.0, schema); });
  EXPECT_EQ(accountant.ledger().size(), 1u);
  expect_mentions(message_of(ErrorCode::kInvalidArgument,
                             [&] { selection.require_schema(schema_of_categories({3})); }),
                  {"another schema"});
}

TEST(ExactSelection, RefusesEpsilonsThatAreNone) {
  const Schema schema = schema_of_categories({2});
  Accountant accountant({.epsilon = 1.0, .delta = 1e-6});
  for (const double epsilon : {0.0, -1.0, double{NAN}, double{INFINITY}, 1e-12}) {
    expect_mentions(message_of(ErrorCode::kInvalidArgument,
                               [&] { ExactSelection(accountant, "parents", 7, epsilon, schema); }),
                    {"'parents'", "epsilon"});
  }
  EXPECT_TRUE(accountant.ledger().empty());
}

TEST(LaplaceMechanism, ChargesWhatItsNoiseCosts) {
  const Schema schema = schema_of_categories({2, 3}, R"("relation": "replace-one", )");
  const Encoder encoder(schema);
  std::vector<std::shared_ptr<const ColumnPartition>> cells;
  for (const Column& column : encoder.columns()) {
    cells.push_back(std::make_shared<const ColumnPartition>(ColumnPartition::even(column, 2)));
  }
  const CountBlock block = CountBlock::cell_counts(encoder, {{0, 1}}, cells, "");
  Accountant accountant({.epsilon = 1.0, .delta = 1e-6});
  const LaplaceMechanism mechanism(accountant, "cells", std::span(&block, 1), schema, 4.1);
  ASSERT_EQ(mechanism.charges().size(), 1u);
  EXPECT_EQ(mechanism.charges()[0].sensitivity, 2.0);
  EXPECT_GE(mechanism.charges()[0].scale, 4.1);
  EXPECT_NEAR(mechanism.charges()[0].epsilon(), 2.0 / 4.1, 1e-9);
  for (const double scale : {0.0, -1.0, double{NAN}, double{INFINITY}, 1e-9, 1e12}) {
    message_of(ErrorCode::kInvalidArgument,
               [&] { LaplaceMechanism(accountant, "cells", std::span(&block, 1), schema, scale); });
  }
  message_of(ErrorCode::kBudgetExceeded,
             [&] { LaplaceMechanism(accountant, "cells", std::span(&block, 1), schema, 1.0); });
  EXPECT_EQ(accountant.ledger().size(), 1u);
}

}  // namespace exact_selection_test
}  // namespace mehler
