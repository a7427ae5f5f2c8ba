#include "mehler/accounting/composition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "mehler/accounting/noise_calibration.h"
#include "tests/accounting/exact_deltas.h"
#include "tests/support/errors.h"

namespace mehler {
namespace composition_test {

using Charges = std::vector<Charge>;

Charge training(double noise, double rate, std::uint64_t steps) {
  return SubsampledGaussian{"training", noise, rate, steps};
}

double epsilon_of(const Charges& charges, double delta = 1e-5) {
  return ComposedPrivacy(charges).epsilon_at(delta);
}

TEST(ComposedPrivacy, IsExactForGaussianSums) {
  const Charges charges = {GaussianSums{"a", 1.0, 5.0}, GaussianSums{"b", 3.0, 20.0}};
  const double mu = std::sqrt(0.2 * 0.2 + 0.15 * 0.15);
  const ComposedPrivacy composed(charges);
  for (const double epsilon : {0.0, 0.3, 1.0}) {
    EXPECT_NEAR(composed.delta_at(epsilon) / delta_of_gaussian(mu, epsilon), 1.0, 1e-13);
  }
  EXPECT_NEAR(composed.epsilon_at(1e-5) / epsilon_of_gaussian(mu, 1e-5), 1.0, 1e-13);
}

TEST(ComposedPrivacy, StatesADeltaThatADoubleCannotHoldAsTheSmallestThatItCan) {
  const Charges sampled = {training(50.0, .001, 10)};
  const Charges mixed = {training(5.0, .001, 10), PureMechanism{"selection", .1}};
  const Charges sums = {GaussianSums{"a", 1.0, 2.0}};
  for (const Charges& charges : {sampled, mixed, sums}) {
    EXPECT_EQ(ComposedPrivacy(charges).delta_at(1000.0), std::numeric_limits<double>::min());
  }
  EXPECT_EQ(ComposedPrivacy(Charges{PureMechanism{"selection", .1}}).delta_at(1000.0), 0.0);
}

TEST(ComposedPrivacy, IsExactForTrainingOnAllRecords) {
  EXPECT_NEAR(epsilon_of({training(100.0, 1.0, 10000)}) / epsilon_of_gaussian(1.0, 1e-5), 1.0,
              1e-13);
  EXPECT_GE(epsilon_of({training(1.0, 1.0 - 1e-9, 1)}), epsilon_of({training(1.0, 0.9999, 1)}));
}

// dp-accounting 0.6.0, connect the dots with h = 1e-5; see composed_loss_test.cc for how close.
TEST(ComposedPrivacy, HasTheKnownEpsilonsOfMixtures) {
  Charges mixed = {GaussianSums{"counts", 1.0, 5.0}, training(1.5, .01, 2000)};
  mixed.insert(mixed.end(), 5, PureMechanism{"selection", .1});
  EXPECT_NEAR(epsilon_of(mixed) / 1.7715016, 1.0, 2e-4);
  EXPECT_GT(epsilon_of(mixed), 1.77149);
  const Charges two = {training(1, .02, 300), training(3, .1, 100)};
  EXPECT_NEAR(epsilon_of(two) / 2.6032401, 1.0, 2e-4);
  EXPECT_GT(epsilon_of(two), 2.60323);
}

TEST(ComposedPrivacy, AddsTheEpsilonsOfPureMechanismsAtDeltaZero) {
  const Charges pure = {PureMechanism{"a", 0.5}, PureMechanism{"b", 0.25}};
  const ComposedPrivacy composed(pure);
  EXPECT_GE(composed.epsilon_at(0.0), 0.75);
  EXPECT_NEAR(composed.epsilon_at(0.0), 0.75, 1e-8);
  EXPECT_EQ(composed.delta_at(0.7500001), 0.0);
  EXPECT_GT(composed.delta_at(0.7499), 0.0);
  EXPECT_LE(composed.epsilon_at(1e-9), composed.epsilon_at(0.0));
}

TEST(ComposedPrivacy, ComposesSelectionsAsGaussianOrPureNoise) {
  const Charges beside_noise = {Selection{"a", 9, 0.5}, GaussianSums{"b", 1.0, 5.0}};
  EXPECT_NEAR(epsilon_of(beside_noise) /
                  epsilon_of_gaussian(std::sqrt(gaussian_mu_squared(beside_noise)), 1e-5),
              1.0, 1e-12);
  // Laplace noise and selections alone are of pure privacy.
  const Charges pure = {Selection{"a", 9, 0.5}, LaplaceSums{"b", 2.0, 8.0}};
  const ComposedPrivacy composed(pure);
  EXPECT_NEAR(composed.epsilon_at(0.0), 0.75, 1e-8);
  EXPECT_GE(composed.epsilon_at(0.0), 0.75);
  EXPECT_EQ(composed.delta_at(0.7500001), 0.0);
  EXPECT_LE(composed.epsilon_at(1e-3), 0.75 * (1.0 + 1e-8));
  const Charges many(60, Charge(Selection{"a", 9, 0.1}));
  EXPECT_LT(epsilon_of(many), 0.5 * 6.0);  // far less than by addition
  EXPECT_NEAR(ComposedPrivacy(many).epsilon_at(0.0), 6.0, 1e-7);
}

TEST(ComposedPrivacy, SaysWhatRenyiPrivacyAloneGives) {
  const Charges steps = {training(1.1, 256.0 / 60'000, 14'063)};
  const auto bound = ComposedPrivacy(steps).renyi_epsilon_at(1e-5);
  ASSERT_TRUE(bound);
  EXPECT_NEAR(bound->value, 2.596656, 1e-4);
  EXPECT_GT(bound->value, ComposedPrivacy(steps).epsilon_at(1e-5));
  const Charges gaussian = {GaussianSums{"sums", 1.0, 4.0}};
  EXPECT_FALSE(ComposedPrivacy(gaussian).renyi_epsilon_at(1e-5));
  for (const double delta : {0.0, 1.0, -1e-5, double{NAN}}) {
    expect_mentions(message_of(ErrorCode::kInvalidArgument,
                               [&] { (void)ComposedPrivacy(steps).renyi_epsilon_at(delta); }),
                    {"delta"});
  }
}

TEST(ComposedPrivacy, AddsTheDeltasOfRareDisclosures) {
  const Charges gaussian = {GaussianSums{"g", 1.0, 4.0}};
  Charges both = gaussian;
  both.insert(both.end(), {RareDisclosure{"a", 2e-6}, RareDisclosure{"b", 1e-6}});
  EXPECT_NEAR(ComposedPrivacy(both).epsilon_at(1e-5), epsilon_of_gaussian(0.25, 7e-6), 1e-9);
  EXPECT_NEAR(ComposedPrivacy(both).delta_at(1.0), delta_of_gaussian(0.25, 1.0) + 3e-6, 1e-14);
  EXPECT_FALSE(ComposedPrivacy(both).keeps({100.0, 3e-6}));
  EXPECT_TRUE(ComposedPrivacy(both).keeps({100.0, 3.1e-6}));
  expect_mentions(message_of(ErrorCode::kInvalidArgument,
                             [&] { (void)ComposedPrivacy(both).epsilon_at(3e-6); }),
                  {"rare disclosures"});
  const Charges alone = {RareDisclosure{"a", 1e-6}};
  EXPECT_EQ(ComposedPrivacy(alone).epsilon_at(1e-5), 0.0);
  EXPECT_NEAR(ComposedPrivacy(alone).delta_at(0.0), 1e-6, 1e-14);
  const Charges mixed = {training(1.0, .01, 1000), RareDisclosure{"a", 5e-6}};
  EXPECT_NEAR(ComposedPrivacy(mixed).epsilon_at(1e-5),
              ComposedPrivacy(Charges{training(1.0, .01, 1000)}).epsilon_at(5e-6), 1e-6);
}

TEST(ComposedPrivacy, ComposesPureMechanismsBetterThanByAddition) {
  const Charges pure(100, PureMechanism{"selection", 0.1});
  const double delta = ComposedPrivacy(pure).delta_at(3.0);
  const double exact = exact_delta_with_pure(0.0, 0.1, 100, 3.0);
  EXPECT_GE(delta, exact);
  EXPECT_LE(delta, exact * 1.01);
  EXPECT_LT(epsilon_of(pure), 5.0);
}

TEST(ComposedPrivacy, CostsMoreWithMoreStepsMoreSamplingOrLessNoise) {
  const double base = epsilon_of({training(1.0, .01, 1000)});
  EXPECT_GT(epsilon_of({training(1.0, .01, 1020)}), base);
  EXPECT_GT(epsilon_of({training(1.0, .0101, 1000)}), base);
  EXPECT_GT(epsilon_of({training(0.99, .01, 1000)}), base);
  EXPECT_GT(epsilon_of({training(1.0, .01, 1000), PureMechanism{"selection", 0.01}}), base);
  EXPECT_GT(epsilon_of({training(1.0, .01, 1000), GaussianSums{"counts", 1.0, 50.0}}), base);
}

TEST(ComposedPrivacy, DependsOnNeitherOrderNorGroupingNorNames) {
  Charges charges = {training(1.0, .01, 600), PureMechanism{"x", 0.1}, GaussianSums{"g", 1, 9},
                     SubsampledGaussian{"more", 1.0, .01, 400}};
  const double epsilon = epsilon_of(charges);
  std::reverse(charges.begin(), charges.end());
  EXPECT_EQ(epsilon_of(charges), epsilon);
  EXPECT_EQ(epsilon_of({GaussianSums{"", 1, 9}, training(1.0, .01, 1000), PureMechanism{"", 0.1}}),
            epsilon);
}

TEST(ComposedPrivacy, IsNeverAboveRenyiPrivacy) {
  for (const auto& [noise, rate, steps] :
       {std::tuple{1.0, .01, 1000}, std::tuple{.05, .1, 1000}, std::tuple{50.0, .001, 10}}) {
    const RenyiPrivacy renyi(
        LossPairCounts{{SampledNoisePair{noise, rate}, static_cast<std::uint64_t>(steps)}});
    const Charges charges = {training(noise, rate, static_cast<std::uint64_t>(steps))};
    const ComposedPrivacy composed(charges);
    EXPECT_LE(composed.epsilon_at(1e-5), renyi.epsilon_at(1e-5).value);
    EXPECT_LE(composed.delta_at(1.0), renyi.delta_at(1.0).value);
  }
}

TEST(ComposedPrivacy, DetectsAStatementThatIsTooSmall) {
  const Charges charges = {training(1.0, .01, 1000), GaussianSums{"counts", 1.0, 50.0}};
  const ComposedPrivacy composed(charges);
  const double epsilon = composed.epsilon_at(1e-5);
  EXPECT_TRUE(composed.keeps({epsilon, 1e-5}));
  EXPECT_FALSE(composed.keeps({epsilon * 0.999, 1e-5}));
  EXPECT_FALSE(composed.keeps({epsilon, 0.99e-5}));
  EXPECT_TRUE(composed.keeps({1.5 * epsilon, 1e-5}));
}

TEST(ComposedPrivacy, AnswersTheWorstThatIsAccepted) {
  for (const double noise : {1e-3, 0.3}) {
    for (const double rate : {1e-300, 0.5}) {
      const Charges charges = {training(noise, rate, kMaxSteps)};
      const ComposedPrivacy composed(charges);
      const double epsilon = composed.epsilon_at(1e-5);
      EXPECT_TRUE(epsilon >= 0.0 && epsilon < 1e15) << noise << " " << rate << " " << epsilon;
      const double delta = composed.delta_at(1.0);
      EXPECT_TRUE(delta > 0.0 && delta <= 1.0) << noise << " " << rate << " " << delta;
    }
  }
  EXPECT_EQ(ComposedPrivacy(Charges{training(0.1, 0.01, kMaxSteps)}).delta_at(1.0), 1.0);
}

TEST(ComposedPrivacy, FallsBackToRenyiPrivacyForManyKinds) {
  Charges charges;
  for (int i = 0; i < 100; ++i) {
    charges.push_back(PureMechanism{"selection", 0.1 + 1e-9 * i});
  }
  // Close to 100 mechanisms that are the same, and above them.
  const double alike = epsilon_of(Charges(100, PureMechanism{"selection", 0.1}));
  EXPECT_GT(epsilon_of(charges), alike);
  EXPECT_LT(epsilon_of(charges), 1.15 * alike);
}

TEST(ComposedPrivacy, RefusesTooMuchWork) {
  const auto message = [](const Charges& charges) {
    return message_of(ErrorCode::kInvalidArgument, [&] { ComposedPrivacy composed(charges); });
  };
  Charges sampled;
  for (std::size_t i = 0; i <= kMaxKindsOfSampling; ++i) {
    sampled.push_back(training(1.0 + 0.01 * static_cast<double>(i), 0.1, 5));
  }
  expect_mentions(message(sampled), {"at most 32", "'training' is one more"});
  Charges pure;
  for (std::size_t i = 0; i <= kMaxKindsOfCharges; ++i) {
    pure.push_back(PureMechanism{"selection", 1e-3 * static_cast<double>(i + 1)});
  }
  expect_mentions(message(pure), {"10000 different charges", "'selection' is one more"});
  expect_mentions(message({}), {"1 to 1000000 charges", "has 0"});
  expect_mentions(message(Charges(kMaxCharges + 1, PureMechanism{"", 1.0})), {"has 1000001"});
}

TEST(ComposedPrivacy, RefusesInvalidChargesEpsilonsAndDeltas) {
  expect_mentions(message_of(ErrorCode::kInvalidArgument,
                             [] {
                               ComposedPrivacy composed(
                                   Charges{PureMechanism{"a", 1.0}, training(double{NAN}, 0.1, 1)});
                             }),
                  {"noise multiplier", "'training'"});
  const Charges charges = {training(1.0, 0.01, 10)};
  const ComposedPrivacy composed(charges);
  for (const double epsilon : {-1e-9, double{NAN}, -double{INFINITY}}) {
    expect_mentions(message_of(ErrorCode::kInvalidArgument, [&] { composed.delta_at(epsilon); }),
                    {"epsilon", "at least 0"});
  }
  for (const double delta : {0.0, -1e-9, 1.0, double{NAN}}) {
    expect_mentions(message_of(ErrorCode::kInvalidArgument, [&] { composed.epsilon_at(delta); }),
                    {"delta", "between 0 and 1"});
  }
}

TEST(NoiseCalibration, KeepsTheBudgetAndWastesNothing) {
  for (const double epsilon : {0.3, 10.0}) {
    const double noise = calibrate_noise_multiplier({epsilon, 1e-5}, 0.01, 2000);
    EXPECT_TRUE(ComposedPrivacy(Charges{training(noise, 0.01, 2000)}).keeps({epsilon, 1e-5}));
    EXPECT_FALSE(
        ComposedPrivacy(Charges{training(noise * 0.999, 0.01, 2000)}).keeps({epsilon, 1e-5}));
  }
}

TEST(NoiseCalibration, GivesTheKnownNoise) {
  // epsilon 1.8282366 of 1000 steps at rate .01 needs noise 1 (composed_loss_test.cc).
  const double noise = calibrate_noise_multiplier({1.8282366, 1e-5}, 0.01, 1000);
  EXPECT_GT(noise, 1.0);
  EXPECT_LT(noise, 1.001);
}

// Plans of dp-gan and dp-cgan at (1, 1e-5), with counts of classes beside them: noise to three
// digits. Of images also at 9.6, which the authors state.
TEST(NoiseCalibration, OfThePlansForKnownTablesIsKnown) {
  struct Plan {
    double epsilon;
    double batch;
    double records;
    std::uint64_t steps;
    double noise;
  };
  for (const Plan& plan : {Plan{1.0, 400.0, 32'561.0, 2000, 2.207},
                           {1.0, 1000.0, 199'523.0, 2000, 1.108},
                           {1.0, 64.0, 687.0, 300, 6.164},
                           {1.0, 1000.0, 227'845.0, 2000, 1.025},
                           {1.0, 256.0, 9'200.0, 1000, 3.417},
                           {1.0, 256.0, 6'238.0, 1000, 4.956},
                           {1.0, 1000.0, 464'809.0, 2000, 0.774},
                           {1.0, 1000.0, 394'021.0, 2000, 0.811},
                           {1.0, 600.0, 60'000.0, 2000, 1.847},
                           {1.0, 600.0, 60'000.0, 10'000, 3.824},
                           {1.0, 300.0, 90'000.0, 20'000, 1.906},
                           {9.6, 600.0, 60'000.0, 2000, 0.607},
                           {9.6, 600.0, 60'000.0, 10'000, 0.816}}) {
    const auto keeps = [&](double noise) {
      return ComposedPrivacy(Charges{GaussianSums{"counts", 1.0, 50.0},
                                     training(noise, plan.batch / plan.records, plan.steps)})
          .keeps({plan.epsilon, 1e-5});
    };
    EXPECT_TRUE(keeps(plan.noise + 0.0006)) << plan.noise;
    EXPECT_FALSE(keeps(plan.noise - 0.0011)) << plan.noise;
  }
}

TEST(NoiseCalibration, LeavesRoomForOtherCharges) {
  const Charges others = {GaussianSums{"counts", 1.0, 5.0}, PureMechanism{"selection", 0.1},
                          PureMechanism{"selection", 0.1}};
  const double noise = calibrate_noise_multiplier({1.0, 1e-5}, 0.01, 2000, others);
  EXPECT_GT(noise, calibrate_noise_multiplier({1.0, 1e-5}, 0.01, 2000));
  Charges all = others;
  all.push_back(training(noise, 0.01, 2000));
  EXPECT_TRUE(ComposedPrivacy(all).keeps({1.0, 1e-5}));
}

TEST(NoiseCalibration, RefusesWhatNoNoiseKeeps) {
  const Charges others = {GaussianSums{"counts", 1.0, 2.0}};  // epsilon 1.99 at delta 1e-5
  expect_mentions(message_of(ErrorCode::kBudgetExceeded,
                             [&] {
                               calibrate_noise_multiplier({1.0, 1e-5}, 0.01, 10, others);
                             }),
                  {"no noise multiplier", "epsilon 1", "1 other charges"});
  expect_mentions(message_of(ErrorCode::kInvalidArgument,
                             [] {
                               calibrate_noise_multiplier({1.0, 1e-5}, 1.5, 10);
                             }),
                  {"sampling rate", "1.5"});
  expect_mentions(message_of(ErrorCode::kInvalidArgument,
                             [] {
                               calibrate_noise_multiplier({1.0, 1e-5}, 0.5, 0);
                             }),
                  {"steps"});
  expect_mentions(message_of(ErrorCode::kInvalidArgument,
                             [] {
                               calibrate_noise_multiplier({1.0, 0.0}, 0.5, 10);
                             }),
                  {"delta"});
}

}  // namespace composition_test
}  // namespace mehler
