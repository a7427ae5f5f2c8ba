#include "mehler/accounting/gaussian_privacy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/errors.h"

namespace mehler {
namespace gaussian_privacy_test {

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
  for (const double epsilon : {0.0, 1e-7, 1e-3, 1e-2}) {
    const double below = delta_of_gaussian(0.1 * (1 - 1e-12), epsilon);
    const double above = delta_of_gaussian(0.1 * (1 + 1e-12), epsilon);
    EXPECT_NEAR(below / above, 1.0, 1e-11);
  }
}

// Phi(mu/2 - e/mu) - e^e Phi(-mu/2 - e/mu) with mpmath 1.4.1, Phi(x) = erfc(-x / sqrt(2)) / 2, with
// at least 80 digits and as many more as cancel; mu and epsilon as the doubles that stand here.
TEST(GaussianPrivacy, HasTheKnownDeltasOfEverySize) {
  struct Known {
    double mu, epsilon, delta;
  };
  constexpr Known kKnown[] = {
      {1e-15, 0, 3.9894228040143271e-16},
      {1e-15, 1e-14, 7.4745602545894261e-40},
      {7.9e-12, 1e-12, 2.6768598659701776e-12},
      {1e-12, 1e-300, 3.9894228040143267e-13},
      {1e-10, 2.5e-09, 1.2187970478225451e-149},
      {1e-08, 1e-08, 8.3315471004263653e-10},
      {1e-07, 2e-06, 1.3700138647427579e-97},
      {1e-06, 1e-05, 7.4745976274830192e-31},
      {3e-05, 0.001, 5.7096552413991136e-250},
      {0.01, 0.3, 1.8960395679389836e-201},
      {0.0999, 2, 2.4842999568923935e-91},
      {0.1001, 2, 5.5620017783837573e-91},
      {1, 0.1, 0.35232517168136665},
      {5, 30, 0.00013132627111337326},
      {1000, 500000.0, 0.49960105811853965},
  };
  for (const Known& known : kKnown) {
    EXPECT_NEAR(delta_of_gaussian(known.mu, known.epsilon) / known.delta, 1.0, 1e-14)
        << known.mu << " " << known.epsilon;
  }
}

// The largest mu whose delta is not above the stated one, by bisection of the same.
TEST(GaussianPrivacy, NeverCalibratesAboveTheKnownMu) {
  struct Known {
    double epsilon, delta, mu;
  };
  constexpr Known kKnown[] = {
      {7.9e-12, 2.7e-15, 2.8853605448774546e-12},
      {1e-30, 3e-14, 7.5198848238930012e-14},
      {1e-09, 1e-12, 4.1044032638217211e-10},
      {1e-06, 1e-30, 1.0261690596616387e-7},
      {1, 1e-06, 0.23670438066343571},
      {0.1, 1e-300, 0.0027180616715849265},
      {1000000.0, 1e-12, 1407.1972789986079},
      {0.001, 0.999999, 9.7834737302328167},
  };
  for (const Known& known : kKnown) {
    const double mu = calibrate_mu({known.epsilon, known.delta});
    EXPECT_LT(mu, known.mu) << known.epsilon << " " << known.delta;
    // Where delta is nearly 1 it hardly changes with mu.
    EXPECT_GT(mu, known.mu * (1 - (known.delta > 0.9 ? 1e-8 : 2e-12)))
        << known.epsilon << " " << known.delta;
  }
}

TEST(GaussianPrivacy, TheEpsilonOfAMuIsEnough) {
  for (const double mu : {1e-15, 1e-9, 1e-4, 0.05, 0.2367, 1.0, 7.0, 300.0}) {
    for (const double delta : {1e-300, 1e-20, 1e-9, 1e-6, 0.01, 0.3}) {
      const double epsilon = epsilon_of_gaussian(mu, delta);
      EXPECT_LE(delta_of_gaussian(mu, epsilon), delta) << mu << " " << delta;
      if (epsilon > 0.0) {  // and hardly more than enough
        EXPECT_GT(delta_of_gaussian(mu, epsilon * (1 - 1e-9)), delta * (1 - 1e-13));
      }
    }
  }
}

TEST(GaussianPrivacy, RefusesABudgetThatNoNoiseKeeps) {
  for (const PrivacyBudget budget :
       {PrivacyBudget{1e-300, 1e-300}, {1e-300, 1e-18}, {1e-18, 5e-324}, {1e-30, 3e-16}}) {
    expect_mentions(message_of(ErrorCode::kInvalidArgument, [&] { calibrate_mu(budget); }),
                    {"epsilon", "delta", "larger"});
  }
  EXPECT_GT(calibrate_mu({1e-30, 5e-16}), kMinMu);
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

}  // namespace gaussian_privacy_test
}  // namespace mehler
