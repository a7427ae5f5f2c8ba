#include "mehler/accounting/composed_loss.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mehler/accounting/renyi_privacy.h"
#include "tests/accounting/exact_deltas.h"

namespace mehler {
namespace composed_loss_test {

constexpr LossDirection kDirections[] = {LossDirection::kRemoved, LossDirection::kAdded};

ComposedLoss composed_at_delta(const LossPairCounts& pairs, LossDirection direction, double delta) {
  const auto renyi = RenyiPrivacy(pairs).epsilon_at(delta);
  return ComposedLoss(pairs, direction, {renyi.value, delta, renyi.order - 1.0});
}

ComposedLoss composed_at_epsilon(const LossPairCounts& pairs, LossDirection direction,
                                 double epsilon) {
  const auto renyi = RenyiPrivacy(pairs).delta_at(epsilon);
  return ComposedLoss(pairs, direction, {epsilon, std::min(renyi.value, 0.5), renyi.order - 1.0});
}

/// `value` is not below the truth, and above it by no more than a share.
void expect_just_above(double value, double truth, double share) {
  EXPECT_GE(value, truth * (1.0 - 1e-13));
  EXPECT_LE(value, truth * (1.0 + share));
}

// epsilon at delta = 1e-5 with a record removed, dp-accounting 0.6.0 (connect the dots), steps h
// and 2h from 2.5e-6 to 4e-5 extrapolated to h = 0. prv-accountant 0.2.0 estimates 1.8282368,
// 6.1877124 and 1.5606039 for the first, second and fourth.
TEST(ComposedLoss, HasTheKnownEpsilonsOfTraining) {
  struct Known {
    double noise, rate;
    std::uint64_t steps;
    double epsilon;
  };
  constexpr Known kKnown[] = {
      {1, .01, 1000, 1.8282366},     {1, .01, 10000, 6.187712}, {4, .01, 10000, 0.9468683},
      {2, .05, 200, 1.5606038},      {3, .2, 100, 2.976957},    {.6, .001, 1000, 1.425259},
      {1.07, .001, 20000, 0.609596},
  };
  for (const auto& [noise, rate, steps, epsilon] : kKnown) {
    const LossPairCounts pairs{{SampledNoisePair{noise, rate}, steps}};
    const ComposedLoss loss = composed_at_delta(pairs, LossDirection::kRemoved, 1e-5);
    SCOPED_TRACE(epsilon);
    expect_just_above(loss.epsilon_at(1e-5), epsilon, 2e-4);
  }
}

/// Known epsilons at delta = 1e-5 by dp-accounting 0.6.0 with h = 1e-4. Its grid adds T h^2 / 6 to
/// the variance of the losses, which are small where there are many steps: so much above the truth.
struct OnACoarserGrid {
  double noise, rate;
  std::uint64_t steps;
  double epsilon;
  double above;  ///< what its grid adds, relative, at most
};

void expect_just_below(const OnACoarserGrid& known, LossDirection direction) {
  const LossPairCounts pairs{{SampledNoisePair{known.noise, known.rate}, known.steps}};
  const double epsilon = composed_at_delta(pairs, direction, 1e-5).epsilon_at(1e-5);
  EXPECT_LE(epsilon, known.epsilon * (1.0 + 1e-4)) << known.epsilon;
  EXPECT_GE(epsilon, known.epsilon * (1.0 - known.above)) << known.epsilon;
}

TEST(ComposedLoss, HasTheKnownEpsilonsOfARemovedRecord) {
  for (const OnACoarserGrid& known : {OnACoarserGrid{1.1, 256.0 / 60000, 14063, 2.38178, 3e-4},
                                      {.7, .004, 5000, 3.70594, 3e-4},
                                      {1.232, .01, 5000, 2.91761, 3e-4},
                                      {5, 1.0 / 300, 20000, .32448, 2.2e-3},
                                      {10, .5, 50, 1.37679, 3e-4}}) {
    expect_just_below(known, LossDirection::kRemoved);
  }
}

TEST(ComposedLoss, HasTheKnownEpsilonsOfAnAddedRecord) {
  for (const OnACoarserGrid& known : {OnACoarserGrid{1, .01, 1000, 1.41667, 3e-4},
                                      {1.232, .01, 5000, 2.69548, 3e-4},
                                      {.7, .004, 5000, 2.52227, 3e-4},
                                      {2, .05, 200, 1.32978, 3e-4},
                                      {.6, .001, 1000, .27578, 3e-4},
                                      {10, .5, 50, 1.33621, 3e-4},
                                      {4, .01, 10000, .93717, 3e-4},
                                      {1.1, 256.0 / 60000, 14063, 2.24375, 3e-4},
                                      {5, 1.0 / 300, 20000, .32277, 2.2e-3},
                                      {3, .2, 100, 2.62361, 3e-4},
                                      {1.07, .001, 20000, .58188, 8e-4}}) {
    expect_just_below(known, LossDirection::kAdded);
  }
}

TEST(ComposedLoss, IsTheExactGaussianOfAsManySteps) {
  for (const std::uint64_t steps : {1, 100, 100000}) {
    for (const double mu : {0.1, 2.0}) {
      const double noise = std::sqrt(static_cast<double>(steps)) / mu;
      const LossPairCounts pairs{{SampledNoisePair{noise, 1.0}, steps}};
      for (const double delta : {0.01, 1e-5, 1e-40, 1e-150}) {
        SCOPED_TRACE(testing::Message() << steps << " " << mu << " " << delta);
        const double epsilon = epsilon_of_gaussian(mu, delta);
        if (epsilon == 0.0) {
          continue;
        }
        for (const LossDirection direction : kDirections) {
          const ComposedLoss loss = composed_at_delta(pairs, direction, delta);
          expect_just_above(loss.epsilon_at(delta), epsilon, 1e-3);
          EXPECT_GE(loss.delta_at(epsilon), delta * (1 - 1e-9));
        }
      }
    }
  }
}

TEST(ComposedLoss, IsNeverBelowTheExactDeltaOfOneStep) {
  for (const double noise : {0.5, 3.0}) {
    for (const double rate : {0.002, 0.1, 0.7}) {
      const SampledNoisePair pair{noise, rate};
      for (const LossDirection direction : kDirections) {
        for (const double epsilon : {0.0, 0.01, 0.1, 1.0}) {
          const double exact = exact_delta(pair, direction, epsilon);
          SCOPED_TRACE(testing::Message() << noise << " " << rate << " " << epsilon);
          const double delta =
              composed_at_epsilon({{pair, 1}}, direction, epsilon).delta_at(epsilon);
          EXPECT_GE(delta, exact - 1e-15);
          EXPECT_LE(delta, exact * 1.02 + 1e-7);
        }
      }
    }
  }
}

/// delta of two steps: that of the second at epsilon less the loss of the first, over the outputs
/// of the first by Simpson's rule.
double exact_delta_of_two(const SampledNoisePair& a, const SampledNoisePair& b, double epsilon) {
  const double z = a.noise_multiplier;
  const double low = -12.0 * z;
  const double high = 1.0 + 12.0 * z;
  constexpr int kIntervals = 20000;
  double sum = 0.0;
  for (int i = 0; i <= kIntervals; ++i) {
    const double x = low + (high - low) * i / kIntervals;
    const double ratio = 1 - a.sampling_rate + a.sampling_rate * std::exp((x - 0.5) / (z * z));
    const double density = ratio * std::exp(-x * x / (2 * z * z)) / (z * std::sqrt(2 * M_PI));
    const double weight = i == 0 || i == kIntervals ? 1.0 : i % 2 == 1 ? 4.0 : 2.0;
    sum += weight * density * exact_delta(b, LossDirection::kRemoved, epsilon - std::log(ratio));
  }
  return sum * (high - low) / kIntervals / 3;
}

TEST(ComposedLoss, ComposesTwoDifferentSteps) {
  const SampledNoisePair a{1.0, 0.3};
  const SampledNoisePair b{0.8, 0.05};
  for (const double epsilon : {0.1, 0.5, 1.0, 2.0}) {
    SCOPED_TRACE(epsilon);
    const LossPairCounts pairs{{a, 1}, {b, 1}};
    const double delta =
        composed_at_epsilon(pairs, LossDirection::kRemoved, epsilon).delta_at(epsilon);
    const double exact = exact_delta_of_two(a, b, epsilon);
    EXPECT_GE(delta, exact * (1 - 1e-9));
    EXPECT_LE(delta, exact * (1 + 2e-3));
  }
}

// Kairouz, Oh and Viswanath 2015, theorem 3.3: the best that can be said of k mechanisms.
TEST(ComposedLoss, ComposesPureMechanismsOptimally) {
  for (const int count : {1, 7, 40, 200}) {
    for (const double pure : {0.01, 0.1, 0.5}) {
      for (const double share : {0.0, 0.1, 0.25}) {
        const double epsilon = share * pure * count;
        const LossPairCounts pairs{
            {RandomisedResponsePair{pure}, static_cast<std::uint64_t>(count)}};
        const double exact = exact_delta_with_pure(0.0, pure, count, epsilon);
        SCOPED_TRACE(testing::Message() << count << " " << pure << " " << epsilon);
        const ComposedLoss loss = composed_at_epsilon(pairs, LossDirection::kRemoved, epsilon);
        EXPECT_GE(loss.delta_at(epsilon), exact * (1 - 1e-12));
        EXPECT_LE(loss.delta_at(epsilon), exact * 1.01 + 1e-12);
      }
    }
  }
}

TEST(ComposedLoss, ComposesGaussianAndPureMechanisms) {
  for (const double mu : {0.2, 0.5, 1.5}) {
    for (const double pure : {0.03, 0.3}) {
      const LossPairCounts pairs{{SampledNoisePair{1.0 / mu, 1.0}, 1},
                                 {RandomisedResponsePair{pure}, 10}};
      for (const double epsilon : {0.5, 1.0, 3.0}) {
        SCOPED_TRACE(testing::Message() << mu << " " << pure << " " << epsilon);
        const ComposedLoss loss = composed_at_epsilon(pairs, LossDirection::kRemoved, epsilon);
        const double exact = exact_delta_with_pure(mu, pure, 10, epsilon);
        EXPECT_GE(loss.delta_at(epsilon), exact * (1 - 1e-12));
        EXPECT_LE(loss.delta_at(epsilon), exact * 1.01);
      }
    }
  }
}

TEST(ComposedLoss, ItsEpsilonIsEnoughByItsOwnDelta) {
  const LossPairCounts pairs{{SampledNoisePair{1.0, 0.01}, 1000}};
  for (const double delta : {1e-2, 1e-5, 1e-9}) {
    const ComposedLoss loss = composed_at_delta(pairs, LossDirection::kRemoved, delta);
    const double epsilon = loss.epsilon_at(delta);
    EXPECT_LE(loss.delta_at(epsilon), delta);
    EXPECT_GT(loss.delta_at(epsilon * (1 - 1e-6)), delta);
  }
}

// Where the focus is badly chosen, digits are lost, never the bound.
TEST(ComposedLoss, IsABoundWhateverTheFocus) {
  const LossPairCounts pairs{{SampledNoisePair{10.0, 1.0}, 100}};  // mu = 1
  const double epsilon = epsilon_of_gaussian(1.0, 1e-5);
  for (const double tilt : {1e-3, 1.0, 4.0, 1000.0}) {
    for (const double focus_epsilon : {0.0, 4.0, 1000.0}) {
      for (const double focus_delta : {0.5, 1e-5, 1e-200}) {
        const ComposedLoss loss(pairs, LossDirection::kRemoved, {focus_epsilon, focus_delta, tilt});
        EXPECT_GE(loss.epsilon_at(1e-5), epsilon) << tilt << " " << focus_epsilon;
        for (const double at : {0.0, 0.5, 2.0, 4.0, 9.0, 30.0}) {
          EXPECT_GE(loss.delta_at(at), delta_of_gaussian(1.0, at) * (1 - 1e-12))
              << tilt << " " << focus_epsilon << " " << focus_delta << " " << at;
        }
      }
    }
  }
}

// Grids for delta = 1/2 hold neither the sums of losses nor the single losses asked for here.
TEST(ComposedLoss, CountsWhatLiesBeyondItsGrid) {
  const LossPairCounts pure{{RandomisedResponsePair{0.1}, 100}};
  const ComposedLoss sum(pure, LossDirection::kRemoved, {0.0, 0.5, 1.0});
  for (const double epsilon : {7.5, 8.5, 9.5}) {
    EXPECT_GE(sum.delta_at(epsilon), exact_delta_with_pure(0.0, 0.1, 100, epsilon)) << epsilon;
  }
  const LossPairCounts gaussian{{SampledNoisePair{1.0, 1.0}, 1}};
  const ComposedLoss single(gaussian, LossDirection::kRemoved, {50.0, 0.5, 4.0});
  for (const double epsilon : {8.0, 9.0, 12.0}) {
    EXPECT_GE(single.delta_at(epsilon), delta_of_gaussian(1.0, epsilon)) << epsilon;
  }
}

TEST(ComposedLoss, LeavesWhatItCannotHold) {
  EXPECT_FALSE(ComposedLoss::applies_to({{SampledNoisePair{0.001, 0.1}, 1}}));
  EXPECT_FALSE(ComposedLoss::applies_to({{RandomisedResponsePair{501.0}, 1}}));
  EXPECT_TRUE(ComposedLoss::applies_to({{SampledNoisePair{0.5, 0.1}, 1'000'000'000}}));
  LossPairCounts many;
  for (int i = 0; i < 17; ++i) {
    many[RandomisedResponsePair{0.1 + 0.01 * i}] = 1;
  }
  EXPECT_FALSE(ComposedLoss::applies_to(many));
}

}  // namespace composed_loss_test
}  // namespace mehler
