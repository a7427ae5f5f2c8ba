// Queries that show one of several parts of the records, with Gaussian noise.

#include <gtest/gtest.h>

#include <cmath>

#include "mehler/accounting/composed_loss.h"
#include "mehler/accounting/composition.h"
#include "mehler/accounting/noise_calibration.h"
#include "tests/accounting/exact_deltas.h"
#include "tests/support/errors.h"

namespace mehler {
namespace replaced_noise_test {

constexpr LossDirection kDirections[] = {LossDirection::kRemoved, LossDirection::kAdded};

Charge queries(double noise, double rate, std::uint64_t steps) {
  return ReplacedGaussian{"queries", noise, rate, steps};
}

double epsilon_of(const std::vector<Charge>& charges, double delta = 1e-5) {
  return ComposedPrivacy(charges).epsilon_at(delta);
}

/// Where a record is left out, delta at epsilon >= 0 is q times that of two Gaussians; here it is
/// the same in both directions.
double exact_delta(const ReplacedNoisePair& pair, double epsilon) {
  const SampledNoisePair sampled{pair.noise_multiplier, pair.sampling_rate};
  return mehler::exact_delta(sampled, LossDirection::kRemoved, epsilon);
}

TEST(ReplacedNoise, HasTheDeltaOfASampledRecordThatIsRemovedInBothDirections) {
  for (const double noise : {0.4, 1.0, 5.0}) {
    for (const double rate : {0.001, 0.1, 0.8}) {
      const ReplacedNoisePair pair{noise, rate};
      for (const LossDirection direction : kDirections) {
        const LossRange range = range_of(pair, direction, 1e-14);
        const double step = range.high / 2000;
        const LossDistribution losses(pair, direction, range, step);
        double sum = losses.infinite();
        for (const double probability : losses.probabilities()) {
          sum += probability;
        }
        EXPECT_NEAR(sum, 1.0, 1e-12);
        for (int point = 0; point < 300; point += 23) {
          // In double precision, adding up thousands of numbers would round by more than 1e-15.
          long double sum_of_losses = losses.infinite();
          for (std::size_t i = 0; i < losses.probabilities().size(); ++i) {
            const auto index = losses.first() + static_cast<std::int64_t>(i);
            const double loss = static_cast<double>(index) * step;
            sum_of_losses +=
                losses.probabilities()[i] * std::max(-std::expm1(point * step - loss), 0.0);
          }
          const auto delta = static_cast<double>(sum_of_losses);
          const double exact = exact_delta(pair, point * step);
          EXPECT_GE(delta, exact - 1e-15) << noise << " " << rate << " " << point;
          EXPECT_LE(delta, exact + 1e-12) << noise << " " << rate << " " << point;
        }
      }
    }
  }
}

/// Two critics of which one is drawn: with the record (1-q) N(c, z^2) + q N(1, z^2), without it
/// (1-q) N(c, z^2) + q N(0, z^2), for any c within the same distance. By Simpson's rule.
double delta_of_mixtures(double noise, double rate, double other, double sign, double epsilon) {
  constexpr int kIntervals = 4000;
  const auto density = [&](double x, double mean) {
    return std::exp(-0.5 * (x - mean) * (x - mean) / (noise * noise)) /
           (noise * std::sqrt(2.0 * M_PI));
  };
  double sum = 0.0;
  const double low = -12.0 * noise;
  const double width = 1.0 + 24.0 * noise;
  for (int i = 0; i <= kIntervals; ++i) {
    const double x = low + width * i / kIntervals;
    const double common = (1.0 - rate) * density(x, other);
    const double with = common + rate * density(x, sign > 0 ? 1.0 : 0.0);
    const double without = common + rate * density(x, sign > 0 ? 0.0 : 1.0);
    const double weight = i == 0 || i == kIntervals ? 1.0 : i % 2 == 1 ? 4.0 : 2.0;
    sum += weight * std::max(with - std::exp(epsilon) * without, 0.0);
  }
  return sum * width / kIntervals / 3.0;
}

TEST(ReplacedNoise, BoundsWhateverThePartsAreThatWereNotDrawn) {
  for (const double noise : {0.5, 1.5}) {
    for (const double rate : {0.05, 0.5}) {
      for (const double epsilon : {0.0, 0.05, 0.5, 1.5}) {
        const double bound = exact_delta(ReplacedNoisePair{noise, rate}, epsilon);
        for (const double other : {0.0, 0.3, 0.9, 1.0}) {
          for (const double sign : {-1.0, 1.0}) {
            EXPECT_LE(delta_of_mixtures(noise, rate, other, sign, epsilon), bound + 1e-6);
          }
        }
        // Reached where the others are as it would be without the record.
        EXPECT_NEAR(delta_of_mixtures(noise, rate, 0.0, 1.0, epsilon), bound, 1e-6);
      }
    }
  }
}

// By the same pair with h = 1e-4 in another program: 2.198914.
TEST(ReplacedNoise, HasTheKnownEpsilon) {
  EXPECT_NEAR(epsilon_of({queries(1.0, 0.01, 1000)}), 2.198914, 1e-4);
  // GS-WGAN's 640,000 queries of one of 1000 critics, each drawn anew, and 20,000 of 32 at once.
  EXPECT_NEAR(epsilon_of({queries(1.07, 0.001, 640'000)}), 5.51, 0.01);
  EXPECT_NEAR(epsilon_of({queries(1.07 / std::sqrt(32.0), 0.001, 20'000)}), 346.66, 0.01);
}

TEST(ReplacedNoise, CostsMoreThanARecordThatIsLeftOutAndNoMoreThanNoSampling) {
  for (const double noise : {0.7, 2.0}) {
    for (const double rate : {0.01, 0.3}) {
      const double replaced = epsilon_of({queries(noise, rate, 50)});
      EXPECT_GE(replaced, epsilon_of({SubsampledGaussian{"steps", noise, rate, 50}}));
      EXPECT_LE(replaced, epsilon_of({queries(noise, 1.0, 50)}));
      EXPECT_LT(replaced, epsilon_of({queries(noise, rate, 60)}));
      EXPECT_LT(replaced, epsilon_of({queries(noise, 1.1 * rate, 50)}));
      EXPECT_LT(replaced, epsilon_of({queries(0.95 * noise, rate, 50)}));
    }
  }
  EXPECT_NEAR(epsilon_of({queries(5.0, 1.0, 4)}), epsilon_of_gaussian(0.4, 1e-5), 1e-12);
}

TEST(ReplacedNoise, HalvesComposeToTheWholeAndNamesDoNotMatter) {
  EXPECT_EQ(epsilon_of({queries(1.0, 0.02, 400)}),
            epsilon_of({queries(1.0, 0.02, 200), ReplacedGaussian{"more", 1.0, 0.02, 200}}));
}

TEST(ReplacedNoise, ItsRenyiMomentsBoundThoseOfItsLosses) {
  for (const double noise : {0.6, 1.0, 3.0}) {
    for (const double rate : {0.01, 0.4}) {
      const ReplacedNoisePair pair{noise, rate};
      const LossRange range = range_of(pair, LossDirection::kRemoved, 1e-40);
      const LossDistribution losses(pair, LossDirection::kRemoved, range, range.high / 20000);
      for (const double order : {1.1, 1.5, 2.0, 4.0, 8.0}) {
        // The grid spreads losses, which raises their moments a little.
        const double of_losses = losses.log_moment(order - 1.0);
        EXPECT_GE(static_cast<double>(log_renyi_moment(pair, order)), of_losses * (1 - 1e-4) - 1e-7)
            << noise << " " << rate << " " << order;
      }
    }
  }
}

TEST(NoiseCalibration, GivesTheKnownNoiseOfReplacedRecordsAndWastesNothing) {
  const PrivacyBudget budget{10.0, 1e-5};
  const double noise =
      calibrate_noise_multiplier(budget, 0.001, 640'000, {}, SampledRecord::kReplaced);
  EXPECT_NEAR(noise, 0.816, 0.002);  // GS-WGAN's, of 1000 critics
  EXPECT_TRUE(ComposedPrivacy(std::vector{queries(noise, 0.001, 640'000)}).keeps(budget));
  EXPECT_FALSE(ComposedPrivacy(std::vector{queries(0.999 * noise, 0.001, 640'000)}).keeps(budget));
}

// Of GS-WGAN: a sigma of 3.39 keeps epsilon 1 where a critic is drawn for each of 32 records of a
// step. Where one is drawn for all of them, noise for 32 answers at once has to be bought.
TEST(NoiseCalibration, OfCriticsDrawnJointlyIsThatOfManyAnswersAtOnce) {
  const double each =
      calibrate_noise_multiplier({1.0, 1e-5}, 0.001, 640'000, {}, SampledRecord::kReplaced);
  EXPECT_LE(each, 3.41);  // which is enough
  EXPECT_NEAR(each, 3.387, 0.002);
  for (const auto& [epsilon, sigma] : {std::pair(10.0, 2.63), std::pair(1.0, 5.34)}) {
    const double jointly =
        std::sqrt(32.0) *
        calibrate_noise_multiplier({epsilon, 1e-5}, 0.001, 20'000, {}, SampledRecord::kReplaced);
    EXPECT_NEAR(jointly, sigma, 0.02) << epsilon;
  }
}

TEST(ReplacedNoise, RefusesWhatIsNoNoiseNoRateAndNoStep) {
  for (const double value : {0.0, -1.0, double{NAN}, double{INFINITY}}) {
    expect_mentions(
        message_of(ErrorCode::kInvalidArgument, [&] { validate(queries(value, 0.1, 5)); }),
        {"noise multiplier", "'queries'"});
    expect_mentions(
        message_of(ErrorCode::kInvalidArgument, [&] { validate(queries(1.0, value, 5)); }),
        {"sampling rate", "'queries'"});
  }
  message_of(ErrorCode::kInvalidArgument, [&] { validate(queries(1.0, 1.0001, 5)); });
  message_of(ErrorCode::kInvalidArgument, [&] { validate(queries(1.0, 0.1, 0)); });
}

}  // namespace replaced_noise_test
}  // namespace mehler
