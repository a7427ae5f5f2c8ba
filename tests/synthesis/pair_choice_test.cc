#include "mehler/synthesis/marginals/pair_choice.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/support/counted_table.h"

namespace mehler {
namespace pair_choice_test {

using Cells = std::vector<std::shared_ptr<const ColumnPartition>>;

Cells cells_of(const std::vector<std::size_t>& sizes) {
  return own_cells(Encoder(schema_of_categories(sizes)));
}

/// Of booleans: the error of a pair is 0.4 sqrt(pairs) / precision where all weigh the same, with
/// precision = rows * sqrt(mu_squared).
PairChoice choice_of(std::size_t columns, double precision) {
  PairChoice choice;
  choice.columns.resize(columns);
  std::iota(choice.columns.begin(), choice.columns.end(), std::size_t{0});
  choice.rows = 100.0;
  choice.mu_squared = precision * precision / 1e4;
  return choice;
}

TEST(PairChoice, SharesGoByTheRootOfTheCellsAndTheTargetsWeight) {
  const Cells cells = cells_of({2, 8, 9});
  PairChoice choice = choice_of(3, 1.0);
  choice.target_weight = 5.0;
  EXPECT_DOUBLE_EQ(choice.share({0, 1}, cells), 4.0);
  EXPECT_DOUBLE_EQ(choice.share({1, 2}, cells), std::sqrt(72.0));
  choice.target = 1;
  EXPECT_DOUBLE_EQ(choice.share({0, 1}, cells), 20.0);
  EXPECT_DOUBLE_EQ(choice.share({0, 2}, cells), std::sqrt(18.0));
  EXPECT_TRUE(choice.is_of_target({1, 2}));
  EXPECT_FALSE(choice.is_of_target({0, 2}));
}

TEST(PairChoice, TakesAllPairsInOrderWhereTheNoiseIsSmall) {
  const Cells cells = cells_of({2, 2, 2, 2});
  const std::vector<ColumnPair> all = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  PairChoice choice = choice_of(4, 100.0);
  EXPECT_EQ(choose_pairs(choice, cells), all);
  choice.target = 2;
  EXPECT_EQ(choose_pairs(choice, cells), all);
}

TEST(PairChoice, LeavesOutColumnsOfOneCell) {
  PairChoice choice = choice_of(0, 100.0);
  choice.columns = {1, 3};
  EXPECT_EQ(choose_pairs(choice, cells_of({2, 2, 2, 2})), (std::vector<ColumnPair>{{1, 3}}));
}

TEST(PairChoice, OfOneColumnHasNone) {
  EXPECT_TRUE(choose_pairs(choice_of(1, 100.0), cells_of({2})).empty());
}

TEST(PairChoice, KeepsTheNearestNeighboursThatTheNoiseAllows) {
  const Cells cells = cells_of({2, 2, 2, 2, 2});
  // 0.4 sqrt(pairs) / precision stays at most 4 up to 100 precision^2 pairs: 6.
  EXPECT_EQ(choose_pairs(choice_of(5, std::sqrt(0.065)), cells),
            (std::vector<ColumnPair>{{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}, {3, 4}}));
  // Neighbours are always taken.
  EXPECT_EQ(choose_pairs(choice_of(5, 1e-6), cells),
            (std::vector<ColumnPair>{{0, 1}, {1, 2}, {2, 3}, {3, 4}}));
}

TEST(PairChoice, AlwaysKeepsThePairsWithTheTarget) {
  PairChoice choice = choice_of(5, 1e-6);
  choice.target = 2;
  EXPECT_EQ(choose_pairs(choice, cells_of({2, 2, 2, 2, 2})),
            (std::vector<ColumnPair>{{0, 2}, {1, 2}, {2, 3}, {2, 4}}));
}

TEST(PairChoice, TakesAThousandPairsOfAWideTableAndMoreOnlyWhereTheyAreClear) {
  const Cells cells = cells_of(std::vector<std::size_t>(50, 2));          // 1,225 pairs
  EXPECT_EQ(choose_pairs(choice_of(50, 20.0), cells).size(), kFewPairs);  // an error of .63
  EXPECT_EQ(choose_pairs(choice_of(50, 1000.0), cells).size(), 1225U);    // of .014
}

}  // namespace pair_choice_test
}  // namespace mehler
