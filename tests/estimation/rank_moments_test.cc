#include "mehler/estimation/rank_moments.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/schema_of.h"

namespace mehler {
namespace rank_moments_test {

ColumnPartition cells_of(const char* column, std::size_t ranges) {
  return ColumnPartition::even(schema_of(column).columns()[0], ranges);
}

constexpr const char* kNumber =
    R"({"name": "x", "kind": "integer", "bounds": [0, 159], "missing": true})";

TEST(RankScores, HaveTheMeanZeroAndTheVarianceOneOverAllRecords) {
  const ColumnPartition cells = cells_of(kNumber, 4);
  const std::vector<double> counts = {10.0, 0.0, 30.0, 50.0, 10.0};  // the last are missing
  const std::vector<double> scores = rank_scores(cells, counts, 100.0);
  double sum = 0.0;
  double squares = 0.0;
  for (std::size_t i = 0; i < 5; ++i) {
    sum += counts[i] * scores[i];
    squares += counts[i] * scores[i] * scores[i];
  }
  EXPECT_NEAR(sum, 0.0, 1e-9);
  EXPECT_NEAR(squares, 100.0, 1e-9);
  EXPECT_EQ(scores[4], 0.0);
  EXPECT_LT(scores[0], scores[2]);
  EXPECT_LT(scores[2], scores[3]);
}

TEST(RankScores, AreNoneWithoutOrderOrDifference) {
  EXPECT_TRUE(
      rank_scores(cells_of(kNumber, 4), std::vector{0.0, 90.0, 0.0, 0.0, 10.0}, 100.0).empty());
  EXPECT_TRUE(rank_scores(cells_of(kNumber, 4), std::vector(5, 0.0), 1.0).empty());
  const char* category = R"({"name": "x", "kind": "categorical", "categories": ["a", "b", "c"]})";
  EXPECT_TRUE(rank_scores(cells_of(category, 4), std::vector(3, 10.0), 30.0).empty());
  const char* ordinal = R"({"name": "x", "kind": "ordinal", "categories": ["a", "b", "c"]})";
  EXPECT_EQ(rank_scores(cells_of(ordinal, 4), std::vector(3, 10.0), 30.0).size(), 3U);
}

/// The weight of the moment of one pair of 4 x 4 cells, of 1,600 records, whose diagonal has so
/// many more records than its other cells, with noise of this standard deviation.
double weight_of(double more, double sigma) {
  const auto cells = std::make_shared<const ColumnPartition>(
      cells_of(R"({"name": "x", "kind": "integer", "bounds": [0, 159]})", 4));
  CliqueTargets targets{{4, 4}, 1600, {}};
  targets.cliques.push_back({{0}, 1.0, std::vector<double>(4, 400.0)});
  targets.cliques.push_back({{1}, 1.0, std::vector<double>(4, 400.0)});
  targets.cliques.push_back({{0, 1}, 1.0, std::vector<double>(16, 100.0 - more / 4.0)});
  for (std::size_t i = 0; i < 4; ++i) {
    targets.cliques[2].target[5 * i] += more;
  }
  MarginalEstimate table;
  table.columns = {0, 1};
  table.precision = 1.0 / (sigma * sigma);
  add_rank_moments(std::vector{cells, cells}, std::span(&table, 1), 1600.0, targets);
  return targets.cliques[2].moment_weight;
}

TEST(RankMoments, KeepWhatStandsOutOfTheNoise) {
  // All of it where it is clear: rows * weight of 19 keeps 95 %.
  EXPECT_GT(1600.0 * weight_of(200.0, 10.0), 19.0);
  // Hardly anything of what the noise alone would show.
  EXPECT_LT(1600.0 * weight_of(4.0, 100.0), 1.0);
  EXPECT_GT(weight_of(200.0, 10.0), weight_of(200.0, 100.0));
}

}  // namespace rank_moments_test
}  // namespace mehler
