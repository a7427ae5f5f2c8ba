#include "mehler/accounting/privacy_loss_distribution.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/accounting/exact_deltas.h"

namespace mehler {
namespace privacy_loss_distribution_test {

constexpr LossDirection kDirections[] = {LossDirection::kRemoved, LossDirection::kAdded};

double loss_of(const LossDistribution& distribution, std::size_t i) {
  return static_cast<double>(distribution.first() + static_cast<std::int64_t>(i)) *
         distribution.step();
}

/// E[(1 - e^(epsilon - loss))_+], with infinite losses.
double delta_of(const LossDistribution& distribution, double epsilon) {
  double delta = distribution.infinite();
  for (std::size_t i = 0; i < distribution.probabilities().size(); ++i) {
    delta += distribution.probabilities()[i] *
             std::max(-std::expm1(epsilon - loss_of(distribution, i)), 0.0);
  }
  return delta;
}

TEST(LossDistribution, IsNeverMorePrivateThanASampledStep) {
  for (const double noise : {0.5, 1.0, 4.0}) {
    for (const double rate : {1e-3, 0.2, 0.9, 1.0}) {
      const SampledNoisePair pair{noise, rate};
      for (const LossDirection direction : kDirections) {
        const LossRange range = range_of(pair, direction, 1e-12);
        for (const double share : {0.2, 0.01, 1e-4}) {
          const double step = (range.high - range.low) * share;
          const LossDistribution distribution(pair, direction, range, step);
          for (double epsilon = range.low; epsilon < range.high;
               epsilon += 0.37 * step / share / 9) {
            const double exact = exact_delta(pair, direction, epsilon);
            const double delta = delta_of(distribution, epsilon);
            EXPECT_GE(delta, exact - 1e-14) << noise << " " << rate << " " << epsilon;
            EXPECT_LE(delta, exact + step / 4 + 1e-11)
                << noise << " " << rate << " " << step << " " << epsilon;
          }
        }
      }
    }
  }
}

TEST(LossDistribution, IsExactAtThePointsOfItsGrid) {
  const SampledNoisePair pair{1.3, 0.05};
  for (const LossDirection direction : kDirections) {
    const LossRange range = range_of(pair, direction, 1e-14);
    const LossDistribution distribution(pair, direction, range, 1e-3);
    for (std::int64_t point = -40; point < 200; point += 7) {
      const double epsilon = static_cast<double>(point) * 1e-3;
      EXPECT_NEAR(delta_of(distribution, epsilon), exact_delta(pair, direction, epsilon), 2e-14);
    }
  }
}

TEST(LossDistribution, IsNeverMorePrivateThanRandomisedResponse) {
  for (const double epsilon : {1e-9, 0.05, 1.0, 7.3}) {
    const RandomisedResponsePair pair{epsilon};
    const LossRange range = range_of(pair, LossDirection::kRemoved, 1e-12);
    for (const double step : {0.013, 0.11 * epsilon, 3.0 * epsilon}) {
      const LossDistribution distribution(pair, LossDirection::kRemoved, range, step);
      for (double at = 0.0; at < 1.2 * epsilon; at += 0.049 * epsilon) {
        const double exact = exact_delta_with_pure(0.0, epsilon, 1, at);
        EXPECT_GE(delta_of(distribution, at), exact * (1 - 1e-9)) << epsilon << " " << step;
        EXPECT_LE(delta_of(distribution, at), exact + step / 4 + 1e-12);
      }
    }
  }
}

TEST(LossDistribution, CountsWhatLiesAboveItsRangeAsInfinite) {
  const SampledNoisePair pair{1.0, 1.0};
  const LossDistribution distribution(pair, LossDirection::kRemoved, {-3.0, 2.0}, 0.01);
  // The loss is x - 1/2 under N(1, 1); the last point is at most two steps above the range.
  EXPECT_LE(distribution.infinite(), normal_above(2.5, 1.0, 1.0));
  EXPECT_GE(distribution.infinite(), normal_above(2.5 + 0.02, 1.0, 1.0));
  for (const double epsilon : {0.0, 1.0, 1.9, 5.0}) {
    EXPECT_GE(delta_of(distribution, epsilon), delta_of_gaussian(1.0, epsilon));
  }
}

TEST(LossDistribution, RoundsItsMomentsUp) {
  const SampledNoisePair pair{1.0, 1.0};  // log E[exp(t loss)] = (t^2 + t) / 2
  const LossRange range = range_of(pair, LossDirection::kRemoved, 1e-30);
  const LossDistribution distribution(pair, LossDirection::kRemoved, range, 1e-3);
  for (const double order : {-2.0, 0.3, 1.0, 3.0}) {
    const double exact = 0.5 * order * (order + 1);
    EXPECT_GT(distribution.log_moment(order), exact - 1e-9) << order;
    EXPECT_LT(distribution.log_moment(order), exact + 1e-5) << order;
  }
  EXPECT_NEAR(distribution.variance(), 1.0, 1e-6);
}

}  // namespace privacy_loss_distribution_test
}  // namespace mehler
