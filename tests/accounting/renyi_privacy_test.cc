#include "mehler/accounting/renyi_privacy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/accounting/exact_deltas.h"

namespace mehler {
namespace renyi_privacy_test {

double renyi_divergence(const LossPair& pair, double order) {
  return static_cast<double>(log_renyi_moment(pair, order) / (static_cast<long double>(order) - 1));
}

// log E_{x ~ N(0, z^2)} [(1 - q + q exp((2x-1)/(2 z^2)))^a] / (a - 1) by quadrature with 30 digits.
TEST(RenyiPrivacy, HasTheKnownDivergencesOfOneStep) {
  struct Known {
    double noise, rate, order, divergence;
  };
  constexpr Known kKnown[] = {
      {1, .01, 2, 1.7181342207455e-4},     {1, .01, 1.5, 1.2725374332745e-4},
      {1, .01, 32, 11.246275937048},       {.7, .004, 4.3, 3.1338234636897e-4},
      {4, .01, 17, 5.5363268029561e-5},    {2, .05, 10.6, 4.3352845955249e-3},
      {.6, .001, 4.8, 1.6203551805008e-4}, {3, .2, 64, 1.9243207780431},
  };
  for (const auto& [noise, rate, order, known] : kKnown) {
    const double divergence = renyi_divergence(SampledNoisePair{noise, rate}, order);
    EXPECT_GT(divergence, known * (1 - 1e-13)) << noise << " " << order;
    // A finite sum for whole orders; else a bound of what is left out of a series is added.
    const double slack = order == std::floor(order) ? 1e-12 : 1e-9;
    EXPECT_LT(divergence, known * (1 + slack)) << noise << " " << order;
  }
}

TEST(RenyiPrivacy, IsTheSameWithoutSamplingAsNearlyWithout) {
  EXPECT_DOUBLE_EQ(renyi_divergence(SampledNoisePair{2.0, 1.0}, 5.5), 5.5 / 8);
  EXPECT_NEAR(renyi_divergence(SampledNoisePair{2.0, 0.9999}, 5.5), 5.5 / 8, 1e-3);
  EXPECT_LT(renyi_divergence(SampledNoisePair{2.0, 0.9999}, 5.5), 5.5 / 8);
}

TEST(RenyiPrivacy, KnowsRandomisedResponse) {
  for (const double epsilon : {0.01, 0.5, 3.0}) {
    for (const double order : {1.3, 2.0, 20.0}) {
      const double p = 1.0 / (1.0 + std::exp(-epsilon));
      const double exact = std::log(std::pow(p, order) * std::pow(1 - p, 1 - order) +
                                    std::pow(1 - p, order) * std::pow(p, 1 - order)) /
                           (order - 1);
      EXPECT_NEAR(renyi_divergence(RandomisedResponsePair{epsilon}, order) / exact, 1.0, 1e-9);
    }
  }
}

// The table's epsilon and best order from exact orders; dp-accounting 0.6.0 gives the same digits,
// but for those rows where it adds absolute values in the series (up to 4e-5 more).
TEST(RenyiPrivacy, HasTheKnownEpsilons) {
  struct Known {
    double noise, rate;
    std::uint64_t steps;
    double epsilon, order;
  };
  constexpr Known kKnown[] = {
      {1.1, 256.0 / 60000, 14063, 2.596656, 8.1},
      {4, .01, 10000, 1.035490, 17},
      {1, .01, 1000, 2.101365, 7.8},
      {.7, .004, 5000, 4.348980, 4.3},
      {1.232, .01, 5000, 3.180321, 6.9},
      {5, 1.0 / 300, 20000, 0.357048, 42},
      {3, .2, 100, 3.253937, 6.7},
      {1.07, .001, 20000, 0.785474, 15},
      {2, .05, 200, 1.721307, 10.6},
      {.6, .001, 1000, 2.545344, 4.8},
      {10, .5, 50, 1.504279, 13},
      {1, 1, 1, 4.728507, 5.4},
  };
  for (const auto& [noise, rate, steps, epsilon, order] : kKnown) {
    const RenyiPrivacy renyi(LossPairCounts{{SampledNoisePair{noise, rate}, steps}});
    const auto bound = renyi.epsilon_at(1e-5);
    EXPECT_NEAR(bound.value, epsilon, 6e-7) << noise << " " << rate;
    EXPECT_DOUBLE_EQ(bound.order, order) << noise << " " << rate;
    EXPECT_NEAR(renyi.delta_at(bound.value).value / 1e-5, 1.0, 1e-8);
  }
}

TEST(RenyiPrivacy, IsNeverBelowTheExactDeltaOfOneStep) {
  for (const double noise : {0.4, 1.0, 3.0}) {
    for (const double rate : {0.001, 0.1, 0.7}) {
      const SampledNoisePair pair{noise, rate};
      const RenyiPrivacy renyi(LossPairCounts{{pair, 1}});
      for (const double epsilon : {0.0, 0.01, 0.3, 1.0, 4.0}) {
        const double bound = renyi.delta_at(epsilon).value;
        EXPECT_GE(bound, exact_delta(pair, LossDirection::kRemoved, epsilon));
        EXPECT_GE(bound, exact_delta(pair, LossDirection::kAdded, epsilon));
        EXPECT_LE(bound, 1.0);
      }
    }
  }
}

TEST(RenyiPrivacy, NeverPromisesADeltaOfZero) {
  EXPECT_GT(RenyiPrivacy(LossPairCounts{{SampledNoisePair{1e9, 0.01}, 1}}).delta_at(100.0).value,
            0.0);
}

}  // namespace renyi_privacy_test
}  // namespace mehler
