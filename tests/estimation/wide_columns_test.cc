// What wide tables take from counts of columns: pooled estimates, and scores.

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "mehler/core/seeded_random.h"
#include "mehler/estimation/column_scores.h"
#include "mehler/estimation/pooled_columns.h"
#include "tests/support/counted_table.h"

namespace mehler {
namespace wide_columns_test {

constexpr std::size_t kColumns = 40;
constexpr double kRows = 1600.0;

/// Forty columns of one description, and one of another.
Schema wide_schema(std::size_t count) {
  std::string columns;
  for (std::size_t c = 0; c < count; ++c) {
    columns +=
        R"({"name": "x)" + std::to_string(c) + R"(", "kind": "integer", "bounds": [0, 159]}, )";
  }
  return Schema::from_json(
      R"({"mehler_schema": 1, "columns": [)" + columns +
      R"({"name": "c", "kind": "categorical", "categories": ["u", "v"], "missing": true}]})");
}

/// Counts that go up and down by a pattern of which each column has more or less, with noise.
struct Counted {
  std::size_t alike;
  Encoder encoder;
  MarginalMeasurements measurements{encoder};
  std::vector<std::vector<double>> exact;

  explicit Counted(double sigma, std::size_t count = kColumns)
      : alike(count), encoder(wide_schema(count)) {
    SeededRandom random(11);
    const auto cells = own_cells(encoder);
    measurements.set_public_rows(kRows);
    for (std::size_t c = 0; c < alike; ++c) {
      const double size = 8.0 * std::sin(static_cast<double>(c));
      std::vector<std::int64_t> counts;
      exact.emplace_back();
      for (std::size_t i = 0; i < 16; ++i) {
        exact.back().push_back(100.0 + size * (static_cast<double>(7 * i % 16) - 7.5));
        counts.push_back(std::llround(exact.back().back() + sigma * random.normal()));
      }
      add_exact_counts(CountBlock::marginal(encoder, {{c}}, cells, ""), counts, sigma,
                       measurements);
    }
    add_exact_counts(CountBlock::marginal(encoder, {{alike}}, cells, ""), {800, 400, 400}, sigma,
                     measurements);
  }

  /// The mean total variation of the estimates.
  double error() const {
    const std::vector<ColumnEstimate> columns = estimate_columns(measurements);
    double sum = 0.0;
    for (std::size_t c = 0; c < alike; ++c) {
      for (std::size_t i = 0; i < 16; ++i) {
        sum += std::fabs(columns[c].counts[i] - exact[c][i]);
      }
    }
    return sum / (2.0 * kRows * static_cast<double>(alike));
  }
};

TEST(PooledColumns, ColumnsThatAreAlikeHelpOneAnother) {
  const Counted all(60.0);
  const Counted few(60.0, kFewestPooled - 1);
  EXPECT_LT(all.error(), 0.7 * few.error());
}

TEST(PooledColumns, ArePooledOnlyWhereNoiseIsLargeAndOthersAreAlike) {
  const std::vector<std::vector<double>> counts = pooled_counts(Counted(60.0).measurements);
  EXPECT_FALSE(counts.front().empty());
  EXPECT_TRUE(counts.back().empty());
  EXPECT_TRUE(pooled_counts(Counted(0.5).measurements).front().empty());
  EXPECT_LT(Counted(0.5).error(), 0.005);
}

TEST(NormalScores, HaveMeanZeroAndVarianceOne) {
  const Counted counted(0.5);
  const std::vector<ColumnEstimate> columns = estimate_columns(counted.measurements);
  const auto scores = normal_scores(columns, 3);
  ASSERT_EQ(scores->size(), kColumns);  // the fourth is left out
  EXPECT_EQ(scores->columns[3].counted.column, 4U);
  for (const ScoreTables::OfColumn& table : scores->columns) {
    const std::vector<double> counts =
        columns[table.counted.column].counts_in(*table.counted.cells);
    double mean = 0.0;
    double squares = 0.0;
    double all = 0.0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const double score = std::ldexp(table.scores[i], -kScoreExponent);
      mean += counts[i] * score;
      squares += counts[i] * score * score;
      all += table.scores[i] == 0 ? 0.0 : counts[i];
    }
    EXPECT_NEAR(mean / all, 0.0, 0.01);
    EXPECT_NEAR(squares / all, 1.0, 0.02);
  }
  EXPECT_EQ(scores->columns.back().scores.back(), 0);  // missing
}

TEST(NormalQuantile, IsTheInverseOfTheDistribution) {
  for (const double x : {-3.9, -2.5, -1.0, -0.1, 0.0, 0.7, 2.0, 3.3}) {
    EXPECT_NEAR(normal_quantile(0.5 * std::erfc(-x / std::sqrt(2.0))), x, 1e-9);
  }
  EXPECT_NEAR(normal_quantile(0.0), -4.0, 1e-9);
  EXPECT_NEAR(normal_quantile(1.0), 4.0, 1e-9);
}

}  // namespace wide_columns_test
}  // namespace mehler
