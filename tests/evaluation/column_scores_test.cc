#include "mehler/evaluation/tables/column_scores.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mehler/evaluation/tables/pair_scores.h"

namespace mehler {
namespace column_scores_test {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

const Encoder& encoder() {
  static const Encoder result(Schema::from_json(R"({"mehler_schema": 1, "columns": [
      {"name": "x", "kind": "numeric", "bounds": [0, 10], "missing": true},
      {"name": "y", "kind": "numeric", "bounds": [0, 10], "missing": true},
      {"name": "c", "kind": "categorical", "categories": ["a", "b"], "missing": true}]})"));
  return result;
}

/// Records of encoder(); -1 is a missing category.
CodedTable table_of(const std::vector<double>& x, const std::vector<double>& y,
                    const std::vector<int>& c) {
  CodedTable table;
  table.rows = x.size();
  table.columns.resize(3);
  const auto bins = column_bins(encoder());
  for (std::size_t i = 0; i < 2; ++i) {
    table.columns[i].numbers = i == 0 ? x : y;
    for (const double value : table.columns[i].numbers) {
      table.columns[i].codes.push_back(std::isnan(value) ? bins[i].missing_code()
                                                         : bins[i].bin_of(value));
    }
  }
  for (const int code : c) {
    table.columns[2].codes.push_back(code < 0 ? bins[2].missing_code()
                                              : static_cast<std::uint16_t>(code));
  }
  return table;
}

TEST(DistributionDistance, IsWhatItsDefinitionSays) {
  // F - G is .25 on [1, 2), .25 - 2/3 on [2, 4), 1/2 - 2/3 on [4, 5), 1/2 - 1 on [5, 7), 3/4 - 1
  // on [7, 8).
  const DistributionDistance found = distribution_distance({1, 4, 7, 8}, {2, 2, 5});
  EXPECT_NEAR(found.kolmogorov_smirnov, 0.5, 1e-15);
  EXPECT_NEAR(found.wasserstein, 0.25 + 2 * (2.0 / 3 - 0.25) + 1.0 / 6 + 2 * 0.5 + 0.25, 1e-14);
  const DistributionDistance swapped = distribution_distance({2, 2, 5}, {1, 4, 7, 8});
  EXPECT_NEAR(swapped.wasserstein, found.wasserstein, 1e-14);
}

TEST(DistributionDistance, OfAShiftIsTheShift) {
  const DistributionDistance found = distribution_distance({1, 2, 3}, {4.5, 5.5, 6.5});
  EXPECT_EQ(found.kolmogorov_smirnov, 1.0);
  EXPECT_NEAR(found.wasserstein, 3.5, 1e-14);
  EXPECT_EQ(distribution_distance({1, 2, 3}, {1, 2, 3}).kolmogorov_smirnov, 0.0);
}

TEST(ColumnScores, LeaveMissingValuesOut) {
  const CodedTable real = table_of({1, 2, kMissing, 3}, {1, 1, 1, 1}, {0, 0, 1, -1});
  const CodedTable synthetic = table_of({kMissing, 2, 3, 1}, {2, 2, 2, 2}, {0, 1, -1, -1});
  const auto scores = score_columns(encoder(), real, synthetic, Context{});
  EXPECT_EQ(*scores[0].score, 1.0);
  EXPECT_EQ(*scores[1].score, 0.0);
  EXPECT_NEAR(*scores[1].wasserstein, 1.0, 1e-15);
  EXPECT_NEAR(*scores[1].relative_wasserstein, 0.1, 1e-15);
  EXPECT_EQ(metric_name(scores[2].metric), "TVComplement");
  EXPECT_NEAR(*scores[2].score, 1 - (2.0 / 3 - 0.5), 1e-15);
}

TEST(ColumnScores, AreNothingForAColumnWithoutValues) {
  const CodedTable real = table_of({kMissing, kMissing}, {1, 2}, {-1, -1});
  const CodedTable synthetic = table_of({1, 2}, {1, 2}, {0, 1});
  const auto columns = score_columns(encoder(), real, synthetic, Context{});
  EXPECT_FALSE(columns[0].score.has_value());
  EXPECT_FALSE(columns[0].wasserstein.has_value());
  EXPECT_FALSE(columns[2].score.has_value());
  const auto pairs = score_pairs(encoder(), real, synthetic, Context{});
  EXPECT_FALSE(pairs[0].score.has_value());  // a correlation with nothing
  EXPECT_EQ(*quality_score(columns, pairs).column_shapes, 1.0);
}

TEST(PairScores, CompareCorrelationsOfNumbers) {
  const CodedTable real = table_of({1, 2, 3, 4, kMissing}, {2, 4, 6, 8, 0}, {0, 0, 0, 0, 0});
  const CodedTable synthetic = table_of({1, 2, 3, 4, 1}, {8, 6, 4, 2, kMissing}, {0, 0, 0, 0, 0});
  const auto pairs = score_pairs(encoder(), real, synthetic, Context{});
  ASSERT_EQ(pairs.size(), 3U);
  EXPECT_EQ(metric_name(pairs[0].metric), "CorrelationSimilarity");
  EXPECT_NEAR(*pairs[0].score, 0.0, 1e-15);
  EXPECT_EQ(*score_pairs(encoder(), real, real, Context{})[0].score, 1.0);
}

TEST(PairScores, AreNothingWhereANumberDoesNotVary) {
  const CodedTable real = table_of({1, 2, 3}, {5, 5, 5}, {0, 1, 0});
  const auto pairs = score_pairs(encoder(), real, real, Context{});
  EXPECT_FALSE(pairs[0].score.has_value());
  EXPECT_EQ(*pairs[1].score, 1.0);
  EXPECT_EQ(*pairs[2].score, 1.0);
}

TEST(PairScores, CutNumbersBesideCategoriesIntoTenBinsOfTheirOwnTable) {
  // A shift by 3 keeps every value in its bin; a missing value stands with the largest one.
  const CodedTable real = table_of({0, 1, 4, 5, 2}, {0, 0, 0, 0, 0}, {0, 1, 0, 1, 0});
  const CodedTable shifted = table_of({3, 4, 7, 8, 5}, {0, 0, 0, 0, 0}, {0, 1, 0, 1, 0});
  EXPECT_EQ(*score_pairs(encoder(), real, shifted, Context{})[1].score, 1.0);
  const CodedTable missing = table_of({3, 4, 7, kMissing, 8}, {0, 0, 0, 0, 0}, {0, 1, 0, 1, 0});
  EXPECT_NEAR(*score_pairs(encoder(), real, missing, Context{})[1].score, 1 - 0.2, 1e-15);
}

TEST(PairScores, SayHowStrongTheRealAssociationIs) {
  const CodedTable real = table_of({0, 0, 10, 10, 0}, {0, 0, 0, 0, 0}, {0, 0, 1, 1, 1});
  const auto pairs = score_pairs(encoder(), real, real, Context{});
  // n_ij: (first, 0) 2, (first, 1) 1, (last, 1) 2; n_i 3, 2; n_j 2, 3.
  EXPECT_NEAR(*pairs[1].real_association, std::sqrt(4.0 / 6 + 1.0 / 9 + 4.0 / 6 - 1), 1e-14);
  EXPECT_TRUE(pairs[1].is_strong());
  EXPECT_FALSE(pairs[2].real_association.has_value());  // y does not vary
  EXPECT_FALSE(pairs[2].is_strong());
  PairScore correlation;
  correlation.metric = PairMetric::kCorrelationSimilarity;
  correlation.real_association = -0.6;
  EXPECT_TRUE(correlation.is_strong());
  correlation.real_association = 0.4;
  EXPECT_FALSE(correlation.is_strong());
}

TEST(QualityScore, IsTheMeanOfTheMeansThatAreDefined) {
  std::vector<ColumnScore> columns(3);
  columns[0].score = 0.5;
  columns[2].score = 0.7;
  std::vector<PairScore> pairs(1);
  EXPECT_NEAR(*quality_score(columns, pairs).overall, 0.6, 1e-15);
  pairs[0].score = 1.0;
  EXPECT_NEAR(*quality_score(columns, pairs).overall, 0.8, 1e-15);
  pairs.push_back(pairs[0]);
  pairs[1].score = 0.2;
  pairs[1].real_association = 0.31;
  EXPECT_NEAR(*quality_score(columns, pairs).overall, 0.6, 1e-15);
  EXPECT_NEAR(*quality_score(columns, pairs).strong_overall, 0.4, 1e-15);
  EXPECT_FALSE(quality_score({}, {}).overall.has_value());
}

}  // namespace column_scores_test
}  // namespace mehler
