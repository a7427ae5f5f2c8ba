#include "mehler/simd/hermite_sums.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "mehler/core/seeded_random.h"
#include "mehler/features/hermite_features.h"

namespace mehler {
namespace hermite_sums_test {

constexpr int kGrid = 20;

std::vector<std::int64_t> sums_of(const HermiteFeatures& features,
                                  const std::vector<double>& values) {
  std::vector<std::int64_t> sums(features.dimension(), 0);
  add_hermite_sums(features.recursion(), values, kGrid, sums);
  return sums;
}

std::vector<double> random_values(std::size_t count, std::uint64_t seed) {
  SeededRandom random(seed);
  std::vector<double> values(count);
  for (double& value : values) {
    value = 2.0 * random.uniform() - 1.0;
  }
  return values;
}

TEST(HermiteSums, AgreeWithTheReferenceToTheGrid) {
  for (const auto& [order, length_scale] : std::vector<std::pair<std::size_t, double>>{
           {1, 0.2}, {20, 0.15}, {100, 0.02}, {150, 0.01}, {1000, 0.001}}) {
    const auto features = HermiteFeatures::with_best_rho(order, length_scale);
    const std::vector<double> values = random_values(1003, order);
    const std::vector<std::int64_t> sums = sums_of(features, values);
    std::vector<std::int64_t> expected(features.dimension(), 0);
    std::vector<double> phi(features.dimension());
    for (const double value : values) {
      features.evaluate(value, phi.data());
      for (std::size_t k = 0; k < phi.size(); ++k) {
        expected[k] += std::llrint(std::ldexp(phi[k], kGrid));
      }
    }
    for (std::size_t k = 0; k < sums.size(); ++k) {
      // Two evaluations that differ by 1e-13 round differently for about one value in 10^6.
      ASSERT_NEAR(static_cast<double>(sums[k]), static_cast<double>(expected[k]), 2.0)
          << order << " " << k;
    }
  }
}

TEST(HermiteSums, DoNotDependOnOrderOrSplit) {
  const auto features = HermiteFeatures::with_best_rho(30, 0.1);
  std::vector<double> values = random_values(5000, 1);
  const std::vector<std::int64_t> whole = sums_of(features, values);
  std::reverse(values.begin(), values.end());
  EXPECT_EQ(sums_of(features, values), whole);
  std::vector<std::int64_t> parts(features.dimension(), 0);
  for (std::size_t start = 0; start < values.size();) {
    const std::size_t end = std::min(values.size(), start + 1 + start % 97);
    const std::vector<std::int64_t> part =
        sums_of(features, {values.begin() + static_cast<std::ptrdiff_t>(start),
                           values.begin() + static_cast<std::ptrdiff_t>(end)});
    for (std::size_t k = 0; k < part.size(); ++k) {
      parts[k] += part[k];
    }
    start = end;
  }
  EXPECT_EQ(parts, whole);
}

TEST(HermiteSums, EveryInstructionSetGivesTheSameIntegersAndReallyRuns) {
  const auto features = HermiteFeatures::with_best_rho(100, 0.02);
  const std::vector<double> values = random_values(20'001, 2);
  const std::vector<std::int64_t> best = sums_of(features, values);
  const std::vector<std::string> sets = available_instruction_sets();
  ASSERT_FALSE(sets.empty());
  for (const std::string& set : sets) {
    ASSERT_TRUE(force_instruction_set(set)) << set;
    EXPECT_EQ(active_instruction_set(), set);
    EXPECT_EQ(sums_of(features, values), best) << set;
  }
  EXPECT_FALSE(force_instruction_set("no such set"));
  ASSERT_TRUE(force_instruction_set(""));
  EXPECT_EQ(active_instruction_set(), sets.front());
}

TEST(HermiteSums, MissingValuesContributeNothing) {
  const auto features = HermiteFeatures::with_best_rho(20, 0.15);
  std::vector<double> values = random_values(77, 3);
  const std::vector<std::int64_t> present = sums_of(features, values);
  for (std::size_t i = 0; i < 30; ++i) {
    values.insert(values.begin() + static_cast<std::ptrdiff_t>(2 * i), NAN);
  }
  EXPECT_EQ(sums_of(features, values), present);
  EXPECT_EQ(sums_of(features, {NAN, NAN}), std::vector<std::int64_t>(21, 0));
  EXPECT_EQ(sums_of(features, {}), std::vector<std::int64_t>(21, 0));
}

TEST(HermiteSums, AddToWhatIsThere) {
  const auto features = HermiteFeatures::with_best_rho(5, 0.5);
  std::vector<std::int64_t> sums(6, 1000);
  const std::vector<double> values = {0.5};
  add_hermite_sums(features.recursion(), values, kGrid, sums);
  const std::vector<std::int64_t> fresh = sums_of(features, values);
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_EQ(sums[k], fresh[k] + 1000);
  }
}

}  // namespace hermite_sums_test
}  // namespace mehler
