#include "mehler/estimation/count_estimates.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "mehler/core/seeded_random.h"

namespace mehler {
namespace count_estimates_test {

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

TEST(ProjectToCounts, GivesTheNearestCountsOfTheTotal) {
  EXPECT_EQ(project_to_counts(std::vector{3.0, 1.0}, 10.0), (std::vector{6.0, 4.0}));
  EXPECT_EQ(project_to_counts(std::vector{10.0, -4.0, 2.0}, 10.0), (std::vector{9.0, 0.0, 1.0}));
  EXPECT_EQ(project_to_counts(std::vector{-5.0}, 7.0), (std::vector{7.0}));
  EXPECT_EQ(project_to_counts(std::vector{1.0, 2.0}, 0.0), (std::vector{0.0, 0.0}));
  SeededRandom random(2);
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<double> values(1 + random.next_word() % 20);
    for (double& value : values) {
      value = 50.0 * random.normal();
    }
    const std::vector<double> projected = project_to_counts(values, 100.0);
    EXPECT_NEAR(sum_of(projected), 100.0, 1e-9);
    // Optimality: entries above 0 are moved by the same amount, the others by no more.
    double shift = -1e300;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (projected[i] > 0.0) {
        shift = std::max(shift, values[i] - projected[i]);
      }
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_NEAR(projected[i], std::max(values[i] - shift, 0.0), 1e-9);
    }
  }
}

/// The strength of one table that nothing is known of before.
double strength_alone(std::span<const double> deviations, std::span<const double> expected,
                      double noise, double freedom) {
  const std::vector<double> likelihood =
      strength_likelihood(deviations, expected, noise, freedom, 1e5);
  return estimate_strengths(std::span(&likelihood, 1), 1e5).front();
}

TEST(Strength, IsNothingForNoiseAndTheTruthForStrongPairs) {
  // 2,000 deviations: the estimate of tau has a relative error of about sqrt(2 / 2000) = 3 %, and
  // the grid's steps are 33 %, between which the posterior mean lies; 60 % off has probability
  // below 1e-20.
  SeededRandom random(4);
  std::vector<double> expected;
  std::vector<double> noise_only;
  std::vector<double> strong;
  for (int i = 0; i < 2000; ++i) {
    expected.push_back(1.0 + 100.0 * random.uniform());
    noise_only.push_back(5.0 * random.normal());
    strong.push_back(std::sqrt(20.0 * expected.back() + 25.0) * random.normal());
  }
  EXPECT_LT(strength_alone(noise_only, expected, 25.0, 1.0) * 50.0, 0.1 * 25.0);
  EXPECT_NEAR(strength_alone(strong, expected, 25.0, 1.0), 20.0, 12.0);
}

TEST(Strength, IsJudgedByOtherTables) {
  // One deviation of 2 sigma in a pair of two-valued columns: among tables of noise it is noise,
  // among strong ones it is not.
  SeededRandom random(5);
  const std::vector<double> expected(4, 100.0);
  const auto pair = [&](double contrast) {
    const std::vector<double> deviations = {contrast, -contrast, -contrast, contrast};
    return strength_likelihood(deviations, expected, 100.0, 0.25, 1e3);
  };
  for (const double strong : {0.0, 50.0}) {
    std::vector<std::vector<double>> tables = {pair(20.0)};
    for (int i = 0; i < 400; ++i) {
      tables.push_back(pair(std::sqrt(100.0 + strong * 100.0) * random.normal()));
    }
    const double tau = estimate_strengths(tables, 1e3).front();
    if (strong > 0.0) {
      EXPECT_GT(tau, 3.0);
    } else {
      EXPECT_LT(tau, 0.5);
    }
  }
}

/// What is kept of the first of some numbers, of which each is a strength's, and noise of this
/// variance; all have one prior.
double kept_of_first(const std::vector<double>& numbers, double noise) {
  std::vector<std::vector<double>> likelihoods;
  for (const double number : numbers) {
    likelihoods.push_back(
        strength_likelihood(std::vector{number}, std::vector{1.0}, noise, 1.0, 1e6));
  }
  const std::vector<double> noises(numbers.size(), noise);
  return estimate_kept_shares(likelihoods, noises, 1e6).front();
}

TEST(KeptShare, IsAllOfWhatIsClearAndNothingOfWhatIsNoise) {
  EXPECT_GT(kept_of_first({500.0}, 1.0), 0.99);
  EXPECT_LT(kept_of_first({0.1}, 1.0), 0.2);
  // Of many numbers one is large: it is kept, and not the others.
  std::vector<double> numbers(100, 0.8);
  EXPECT_LT(kept_of_first(numbers, 1.0), 0.05);
  numbers[1] = 300.0;
  EXPECT_LT(kept_of_first(numbers, 1.0), 0.1);
  std::swap(numbers[0], numbers[1]);
  EXPECT_GT(kept_of_first(numbers, 1.0), 0.95);
}

// Some strengths of the table are large: the mean strength behind a number that looks like noise
// would keep most of it.
TEST(KeptShare, IsLessThanTheMeanStrengthWouldKeep) {
  std::vector<std::vector<double>> likelihoods;
  for (const double number : {1.5, 1e3, 2e3, 4e3, 0.5, 0.2, 1.0, 0.9}) {
    likelihoods.push_back(
        strength_likelihood(std::vector{number}, std::vector{1.0}, 1.0, 1.0, 1e8));
  }
  const std::vector<double> noises(likelihoods.size(), 1.0);
  const double strength = estimate_strengths(likelihoods, 1e8).front();
  const double kept = estimate_kept_shares(likelihoods, noises, 1e8).front();
  EXPECT_GT(strength / (strength + 1.0), 0.9);
  EXPECT_LT(kept, 0.6);
}

TEST(Strength, StaysFiniteForExtremeTables) {
  for (const double noise : {1e-12, 1.0, 1e20}) {
    for (const double deviation : {0.0, 1e-9, 1e12}) {
      const std::vector<double> deviations(7, deviation);
      const std::vector<double> expected = {0.5, 1e9, 3.0, 0.5, 0.5, 1.0, 2.0};
      const double tau = strength_alone(deviations, expected, noise, 0.3);
      EXPECT_TRUE(std::isfinite(tau) && tau >= 0.0);
    }
  }
}

}  // namespace count_estimates_test
}  // namespace mehler
