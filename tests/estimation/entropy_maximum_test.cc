#include "mehler/estimation/entropy_maximum.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mehler/estimation/count_estimates.h"

namespace mehler {
namespace entropy_maximum_test {

/// A pair that is known exactly.
MarginalEstimate exact_pair(std::size_t first, std::size_t second, std::vector<double> counts) {
  MarginalEstimate pair;
  pair.columns = {first, second};
  pair.expected.assign(counts.size(), 1.0);
  pair.target = std::move(counts);
  pair.cell_variance = 1e-12;
  pair.tau = 1e6;
  return pair;
}

TEST(Centre, TakesOutTheTotalsOverEachColumn) {
  const std::vector<std::size_t> shape = {2, 3, 4};
  std::vector<double> table(24);
  for (std::size_t i = 0; i < table.size(); ++i) {
    table[i] = std::sin(static_cast<double>(i * i)) + static_cast<double>(i);
  }
  centre(table, shape);
  for (std::size_t i = 0; i < 24; i += 4) {
    EXPECT_NEAR(table[i] + table[i + 1] + table[i + 2] + table[i + 3], 0.0, 1e-12);
  }
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_NEAR(table[i] + table[12 + i], 0.0, 1e-12);
  }
  for (std::size_t c = 0; c < 4; ++c) {
    EXPECT_NEAR(table[c] + table[4 + c] + table[8 + c], 0.0, 1e-12);
  }
  std::vector<double> again = table;
  centre(again, shape);
  for (std::size_t i = 0; i < 24; ++i) {
    EXPECT_NEAR(again[i], table[i], 1e-12);
  }
}

TEST(PairMeans, HaveThePairsOfAChainAndNothingMore) {
  // a - b - c, where a and c are independent given b: the table of largest entropy is p(a, b)
  // p(b, c) / p(b).
  const std::vector<double> ab = {30.0, 10.0, 20.0, 40.0};
  const std::vector<double> bc = {35.0, 10.0, 5.0, 10.0, 10.0, 30.0};
  const std::vector<double> b = {50.0, 50.0};
  std::vector<double> ac(6, 0.0);
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 2; ++j) {
      for (std::size_t k = 0; k < 3; ++k) {
        ac[i * 3 + k] += ab[i * 2 + j] * bc[j * 3 + k] / b[j];
      }
    }
  }
  const std::vector<MarginalEstimate> pairs = {exact_pair(0, 1, ab), exact_pair(0, 2, ac),
                                               exact_pair(1, 2, bc)};
  const PairMeans means(pairs, {{40.0, 60.0}, b, {45.0, 20.0, 35.0}}, 100.0);
  const std::size_t columns[] = {0, 1, 2};
  const std::vector<double> table = means.expect(columns);
  ASSERT_EQ(table.size(), 12U);
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 2; ++j) {
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_NEAR(table[(i * 2 + j) * 3 + k], ab[i * 2 + j] * bc[j * 3 + k] / b[j], 0.01);
      }
    }
  }
}

TEST(PairMeans, TakeUnmeasuredPairsForIndependent) {
  const PairMeans means({}, {{30.0, 70.0}, {50.0, 50.0}, {100.0, 0.0}}, 100.0);
  const std::size_t columns[] = {0, 1, 2};
  const std::vector<double> table = means.expect(columns);
  EXPECT_NEAR(table[0], 15.0, 0.01);
  EXPECT_NEAR(table[1], 0.0, 0.01);
  EXPECT_NEAR(table[4], 35.0, 0.01);
}

}  // namespace entropy_maximum_test
}  // namespace mehler
