#include "mehler/report/drawn_tables.h"

#include <gtest/gtest.h>

namespace mehler {
namespace drawn_tables_test {

CellAxis categories(const std::string& name, std::size_t count) {
  CellAxis axis{name, {}, {}};
  for (std::size_t i = 0; i < count; ++i) {
    axis.labels.push_back("c" + std::to_string(i));
  }
  return axis;
}

DrawnTable column(const std::string& name, double distance, std::size_t cells = 2) {
  DrawnTable table{{categories(name, cells)}, {}, {}, 1.0, distance};
  for (std::size_t i = 0; i < cells; ++i) {
    table.reference.push_back(static_cast<double>(i));
    table.synthetic.push_back(1.0);
  }
  return table;
}

DrawnTable pair(const std::string& first, const std::string& second, double distance) {
  return {{categories(first, 2), categories(second, 2)},
          {1.0, 2.0, 3.0, 4.0},
          {4.0, 3.0, 2.0, 1.0},
          1.0,
          distance};
}

TEST(DrawnColumns, AreTheWorstFirstAndSayHowManyAreLeftOut) {
  DrawnLimits limits;
  limits.columns = 2;
  const DrawnColumns drawn =
      drawn_columns({column("a", 0.5), column("b", 3.0), column("c", 1.0)}, limits);
  ASSERT_EQ(drawn.cards.size(), 2u);
  EXPECT_EQ(drawn.cards[0]["name"], "b");
  EXPECT_EQ(drawn.cards[1]["name"], "c");
  EXPECT_EQ(drawn.left_out, 1u);
  EXPECT_EQ(cut_words(2, 1), " 2 of 3 columns are shown: those that differ most.");
  EXPECT_EQ(cut_words(3, 0), "");
}

TEST(DrawnColumns, KeepTheCommonestCategoriesInTheirOrder) {
  DrawnLimits limits;
  limits.categories = 3;
  const Json card = drawn_columns({column("a", 1.0, 10)}, limits).cards[0];
  EXPECT_EQ(card["labels"], (Json{"c7", "c8", "c9"}));
  EXPECT_EQ(card["note"], "3 of 10 categories: those with the most records");
  EXPECT_EQ(card["ordered"], false);
}

TEST(DrawnColumns, PutNeighbouringRangesTogetherButNotMissingValues) {
  DrawnTable numbers = column("n", 1.0, 6);
  numbers.axes[0].edges = {0.0, 1.0, 2.0, 3.0, 4.0, 5.0};  // five ranges, and one that is missing
  DrawnLimits limits;
  limits.ranges = 3;
  const Json card = drawn_columns({numbers}, limits).cards[0];
  EXPECT_EQ(card["labels"], (Json{"c0 ... c1", "c2 ... c3", "c4", "c5"}));
  EXPECT_EQ(card["reference"], (Json{1.0, 5.0, 4.0, 5.0}));
  EXPECT_EQ(card["synthetic"], (Json{2.0, 2.0, 1.0, 1.0}));
  EXPECT_EQ(card["ranges"], 3);
  EXPECT_EQ(card["note"], "last bar: c5");
  EXPECT_NEAR(card["sigma"].get<double>(), std::sqrt(2.0), 1e-4);
}

TEST(DrawnPairs, AreOfTheColumnsThatDifferMost) {
  DrawnLimits limits;
  limits.paired_columns = 3;
  const DrawnPairs drawn =
      drawn_pairs({pair("a", "b", 1.0), pair("c", "d", 5.0), pair("a", "d", 2.0)}, limits);
  EXPECT_EQ(drawn.names, (Json{"a", "c", "d"}));
  EXPECT_EQ(drawn.columns_left_out, 1u);
  ASSERT_EQ(drawn.values.size(), 2u);
  EXPECT_EQ(drawn.values[0], (Json{1, 2, 5.0, 0}));
  EXPECT_EQ(drawn.values[1], (Json{0, 2, 2.0, 1}));
}

TEST(DrawnPairs, HaveTablesAsFarAsThereIsRoom) {
  DrawnLimits limits;
  limits.cells_of_pairs = 4;
  const DrawnPairs drawn = drawn_pairs({pair("a", "b", 1.0), pair("b", "c", 5.0)}, limits);
  ASSERT_EQ(drawn.tables.size(), 1u);
  EXPECT_EQ(drawn.values[0][3], 0);
  EXPECT_EQ(drawn.values[1][3], -1);
}

TEST(DrawnPairs, ThatWereMeasuredTwiceAreShownOnceAtTheirWorst) {
  const DrawnPairs drawn = drawn_pairs({pair("a", "b", 1.0), pair("b", "a", 5.0)});
  ASSERT_EQ(drawn.values.size(), 1u);
  EXPECT_EQ(drawn.values[0][2], 5.0);
}

}  // namespace drawn_tables_test
}  // namespace mehler
