#include "mehler/synthesis/marginals/target_precision.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/counted_table.h"
#include "tests/support/schema_of.h"

namespace mehler {
namespace target_precision_test {

/// All pairs of nine columns of two categories, of which the first is the target: 8 of 36. With
/// equal shares every pair costs a precision of 1 a quarter, so that the others cost 28/8 = 3.5
/// times what those with the target do, and a cell's noise has the variance 0.25 * 9 / left.
struct NinePairs {
  NinePairs()
      : schema(schema_of_categories(std::vector<std::size_t>(9, 2))),
        counted(schema, table_of(schema, {std::vector<std::int64_t>(9, 0)}), {1.0, 1e-6}),
        cells(own_cells(counted.encoder)) {
    choice.target = 0;
    for (std::size_t i = 0; i < 9; ++i) {
      for (std::size_t j = i + 1; j < 9; ++j) {
        add(i, j);
      }
    }
  }

  void add(std::size_t i, std::size_t j) {
    pairs.emplace_back(i, j);
    blocks.push_back(CountBlock::marginal(counted.encoder, {{i, j}}, cells, "test"));
    shares.push_back(1.0);
  }

  double factor(std::vector<double> classes) const {
    return target_factor({cells[0], std::move(classes), {}}, choice, blocks, pairs, shares,
                         counted.rounds);
  }

  /// Of a cell of a pair, with equal shares.
  double noise() const { return 0.5 * 3.0 / std::sqrt(counted.rounds.left()); }

  Schema schema;
  CountedTable counted;
  std::vector<std::shared_ptr<const ColumnPartition>> cells;
  PairChoice choice;
  std::vector<ColumnPair> pairs;
  std::vector<CountBlock> blocks;
  std::vector<double> shares;
};

TEST(TargetFactor, IsOneWhereTheRarestClassStandsOut) {
  const NinePairs pairs;
  EXPECT_EQ(pairs.factor({1e6, 5.01 * pairs.noise()}), 1.0);
  EXPECT_EQ(pairs.factor({1e6, 1e6}), 1.0);
}

TEST(TargetFactor, LiftsTheRarestClassToFiveTimesTheNoise) {
  const NinePairs pairs;
  // Twice the precision makes the noise smaller by sqrt(2).
  EXPECT_NEAR(pairs.factor({1e6, 5.0 * pairs.noise() / std::sqrt(2.0)}), 2.0, 1e-9);
  EXPECT_NEAR(pairs.factor({5.0 * pairs.noise() / std::sqrt(3.0), 1e6}), 3.0, 1e-9);
}

TEST(TargetFactor, TakesAtMostHalfOfTheBudget) {
  const NinePairs pairs;
  // Then the pairs with the target cost what the others do.
  EXPECT_NEAR(pairs.factor({1e6, 1.0}), 3.5, 1e-9);
  EXPECT_NEAR(pairs.factor({1e6, 0.0}), 3.5, 1e-9) << "a class without records counts as one";
}

TEST(TargetFactor, IsAtMostEight) {
  NinePairs pairs;
  for (int i = 0; i < 100; ++i) {
    pairs.add(1, 2);
  }
  EXPECT_NEAR(pairs.factor({1e6, 1.0}), 8.0, 1e-9);  // half of the budget would be 128/8 = 16 times
}

TEST(TargetFactor, GivesAQuarterOfTheBudgetInWideTables) {
  NinePairs pairs;
  while (pairs.pairs.size() <= kFewPairs) {
    pairs.add(1, 2);
  }
  const double others = static_cast<double>(pairs.pairs.size()) - 8.0;
  EXPECT_NEAR(pairs.factor({1e6, 1e6}), others / 8.0 / 3.0, 1e-9);
}

TEST(TargetFactor, IsOneWithoutPairsWithTheTarget) {
  NinePairs pairs;
  pairs.choice.target = 20;
  EXPECT_EQ(pairs.factor({1e6, 1.0}), 1.0);
}

TEST(TargetFactor, OfANumberDoesNotGoByItsRarestRange) {
  NinePairs pairs;
  const Schema number = schema_of(R"({"name": "x", "kind": "integer", "bounds": [0, 1]})");
  const auto cells =
      std::make_shared<const ColumnPartition>(ColumnPartition::even(number.columns()[0], 16));
  EXPECT_EQ(target_factor({cells, {1e6, 1.0}, {}}, pairs.choice, pairs.blocks, pairs.pairs,
                          pairs.shares, pairs.counted.rounds),
            1.0);
}

}  // namespace target_precision_test
}  // namespace mehler
