#include "mehler/evaluation/tables/binned_shares.h"

#include <gtest/gtest.h>

#include <numeric>

#include "mehler/demo/people.h"

namespace mehler {
namespace binned_shares_test {

struct People {
  Encoder encoder{people_schema().without_rules()};
  std::vector<ColumnBins> bins = column_bins(encoder);
  CodedTable real = read_coded_table(encoder, bins, simulate_people(800, 1));
  CodedTable synthetic = read_coded_table(encoder, bins, simulate_people(500, 2));

  DrawnShares drawn(const BinnedSharesLimits& limits = {}) const {
    return drawn_shares(encoder, bins, real, synthetic, limits, Context{});
  }
};

double half_of_differences(const BinnedShares& table) {
  double sum = 0.0;
  for (std::size_t i = 0; i < table.real.size(); ++i) {
    sum += std::fabs(table.real[i] - table.synthetic[i]);
  }
  return sum / 2.0;
}

TEST(BinnedShares, OfColumnsAreTheirDefinition) {
  const People people;
  const DrawnShares drawn = people.drawn();
  ASSERT_EQ(drawn.columns.size(), people.bins.size());
  for (const BinnedShares& column : drawn.columns) {
    ASSERT_EQ(column.real.size(), column.axes[0].labels.size());
    EXPECT_NEAR(std::accumulate(column.real.begin(), column.real.end(), 0.0), 1.0, 1e-9);
    EXPECT_NEAR(half_of_differences(column), column.total_variation, 1e-9);
  }
  EXPECT_TRUE(std::is_sorted(drawn.columns.begin(), drawn.columns.end(),
                             [](const BinnedShares& a, const BinnedShares& b) {
                               return a.total_variation > b.total_variation;
                             }));
}

TEST(BinnedShares, OfPairsAreCoarserThanWhatTheyAreComparedBy) {
  const DrawnShares drawn = People().drawn();
  EXPECT_EQ(drawn.pairs.size(), 36u);
  for (const BinnedShares& pair : drawn.pairs) {
    EXPECT_LE(pair.axes[0].labels.size(), 12u);
    EXPECT_NEAR(std::accumulate(pair.synthetic.begin(), pair.synthetic.end(), 0.0), 1.0, 1e-9);
    EXPECT_LE(half_of_differences(pair), pair.total_variation + 1e-9);
  }
}

TEST(BinnedShares, KeepWithinTheirLimits) {
  BinnedSharesLimits limits;
  limits.columns = 2;
  limits.paired_columns = 3;
  limits.cells_of_pair = 3;
  const DrawnShares drawn = People().drawn(limits);
  EXPECT_EQ(drawn.columns.size(), 2u);
  EXPECT_EQ(drawn.paired.size(), 3u);
  ASSERT_EQ(drawn.pairs.size(), 3u);
  for (const BinnedShares& pair : drawn.pairs) {
    EXPECT_LE(pair.axes[1].labels.size(), 5u);  // missing and unknown values beside
  }
}

TEST(BinnedShares, OfWholeNumbersAreNamedByTheirFirstAndLast) {
  for (const BinnedShares& column : People().drawn().columns) {
    if (column.axes[0].column == "age") {
      EXPECT_EQ(column.axes[0].labels.front(), "18 to 21");
      EXPECT_EQ(column.axes[0].labels[1], "22 to 25");
      EXPECT_EQ(column.axes[0].labels.back(), "92 to 95");
    }
  }
}

}  // namespace binned_shares_test
}  // namespace mehler
