#include "mehler/release/gaussian_privacy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/errors.h"

namespace mehler {
namespace {

void expect_ten_digits(double value, double known) {
  EXPECT_NEAR(value / known, 1.0, 5e-11) << value;
}

TEST(GaussianPrivacy, CalibratesToTheKnownAnswers) {
  expect_ten_digits(calibrate_mu({0.1, 1e-5}), 0.0325207840562);
  expect_ten_digits(calibrate_mu({1.0, 1e-5}), 0.268051123211);
  expect_ten_digits(calibrate_mu({10.0, 1e-5}), 2.00044562043);
  expect_ten_digits(calibrate_mu({0.5, 1e-9}), 0.0936864968178);
}

TEST(GaussianPrivacy, GivesTheKnownNoise) {
  const double epsilons[] = {0.1, 0.3, 1.0, 3.0, 10.0};
  const double sigmas[] = {30.749566, 11.238044, 3.730632, 1.390593, 0.499889};
  for (int i = 0; i < 5; ++i) {
    EXPECT_NEAR(1.0 / calibrate_mu({epsilons[i], 1e-5}), sigmas[i], 5e-7);
  }
}

TEST(GaussianPrivacy, AgreesWithTheTextbookFormulaWhereThatIsAccurate) {
  const auto phi = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
  for (const double mu : {0.3, 1.0, 2.0, 5.0}) {
    for (const double epsilon : {0.0, 0.1, 1.0, 3.0}) {
      const double textbook =
          phi(mu / 2 - epsilon / mu) - std::exp(epsilon) * phi(-mu / 2 - epsilon / mu);
      EXPECT_NEAR(delta_of_gaussian(mu, epsilon), textbook, 1e-14);
    }
  }
}

TEST(GaussianPrivacy, NeverOverspendsAndWastesNothing) {
  for (const double epsilon :
       {1e-6, 1e-4, 0.01, 0.1, 0.5, 1.0, 4.0, 20.0, 100.0, 1000.0, PrivacyBudget::kMaxEpsilon}) {
    for (const double delta : {1e-300, 1e-30, 1e-12, 1e-5, 0.1, 0.9}) {
      const double mu = calibrate_mu({epsilon, delta});
      const double spent = delta_of_gaussian(mu, epsilon);
      EXPECT_LE(spent, delta) << epsilon << " " << delta;
      EXPECT_GT(spent, delta * (1 - 1e-6)) << epsilon << " " << delta;
      // Where delta is large and epsilon tiny, epsilon is ill-conditioned in mu.
      EXPECT_NEAR(epsilon_of_gaussian(mu, delta) / epsilon, 1.0, delta < 1e-3 ? 1e-9 : 1e-5)
          << epsilon << " " << delta;
    }
  }
}

TEST(GaussianPrivacy, IsContinuousWhereTheMethodChanges) {
  for (const double epsilon : {0.0, 1e-7, 1e-6}) {
    const double below = delta_of_gaussian(1e-6 * (1 - 1e-9), epsilon);
    const double above = delta_of_gaussian(1e-6 * (1 + 1e-9), epsilon);
    EXPECT_NEAR(below / above, 1.0, 1e-7);
  }
}

TEST(GaussianPrivacy, SmallMuHasTheKnownSlope) {
  // delta(0) = 2 Phi(mu / 2) - 1, about mu / sqrt(2 pi).
  EXPECT_NEAR(delta_of_gaussian(1e-8, 0.0) / (1e-8 / std::sqrt(2.0 * M_PI)), 1.0, 1e-10);
  EXPECT_EQ(epsilon_of_gaussian(1e-8, 0.1), 0.0);
}

TEST(GaussianPrivacy, RefusesEpsilonThatIsNoBudget) {
  for (const double epsilon : {0.0, -1.0, 1.001e6, 1e12, double{NAN}, double{INFINITY}}) {
    expect_mentions(message_of(ErrorCode::kInvalidArgument,
                               [&] {
                                 calibrate_mu({epsilon, 1e-5});
                               }),
                    {"epsilon", "at most 1000000", "0.1 to 10"});
  }
}

TEST(GaussianPrivacy, RefusesDeltaThatIsNoBudget) {
  for (const double delta : {0.0, -1.0, 1.0, 2.0, double{NAN}, double{INFINITY}}) {
    expect_mentions(message_of(ErrorCode::kInvalidArgument,
                               [&] {
                                 calibrate_mu({1.0, delta});
                               }),
                    {"delta"});
  }
}

}  // namespace
}  // namespace mehler
