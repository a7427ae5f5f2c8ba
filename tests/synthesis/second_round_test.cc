#include "mehler/synthesis/marginals/second_round.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/counted_table.h"

namespace mehler {
namespace second_round_test {

/// Three columns of two categories; pairs and the triple are measured in a second round.
struct ThreeColumns {
  ThreeColumns()
      : schema(schema_of_categories({2, 2, 2})),
        counted(schema, table_of(schema, {{0, 1, 0}, {1, 1, 0}, {0, 0, 1}}), {1.0, 1e-6}),
        cells(own_cells(counted.encoder)),
        round(counted.encoder, cells, counted.rounds) {}

  /// A table whose cells all deviate with this variance, of which nothing is known.
  void add(const std::vector<std::size_t>& columns, double variance, double importance = 1.0,
           double cell_variance = 0.0) {
    const std::vector<double> expected(std::size_t{1} << columns.size(), 10.0);
    round.add(columns, expected, variance / 10.0, cell_variance, importance);
  }

  /// The precision that a table was measured with; 0 if it was not.
  double precision(const std::vector<std::size_t>& columns) const {
    for (const MeasuredMarginal& table : counted.rounds.measurements().joint_tables()) {
      if (table.columns == columns) {
        return table.precision;
      }
    }
    return 0.0;
  }

  Schema schema;
  CountedTable counted;
  std::vector<std::shared_ptr<const ColumnPartition>> cells;
  SecondRound round;
};

TEST(SecondRound, SpendsAllThatIsLeft) {
  ThreeColumns tables;
  tables.add({0, 1}, 100.0);
  tables.add({1, 2}, 50.0);
  tables.round.measure(std::vector{1.0, 1.0}, Context{});
  const Accountant& accountant = tables.counted.accountant;
  ASSERT_EQ(accountant.ledger().size(), 1U);
  EXPECT_EQ(accountant.ledger()[0].what, "counts, round 2");
  EXPECT_GE(accountant.left_mu_squared(), 0.0);
  EXPECT_LT(accountant.left_mu_squared(), 1e-10 * accountant.total_mu_squared());
}

TEST(SecondRound, MeasuresTablesOfWhichEquallyLittleIsKnownEquallyWell) {
  ThreeColumns tables;
  tables.add({0, 1}, 100.0);
  tables.add({0, 2}, 100.0);
  tables.add({1, 2}, 100.0);
  tables.round.measure(std::vector{5.0, 1.0, 1.0}, Context{});
  // A precision of 1 on a pair's contrasts costs a quarter.
  const double even = tables.counted.accountant.total_mu_squared() / 0.75;
  for (const std::vector<std::size_t>& pair :
       std::vector<std::vector<std::size_t>>{{0, 1}, {0, 2}, {1, 2}}) {
    EXPECT_NEAR(tables.precision(pair), even, 1e-6 * even);
  }
}

TEST(SecondRound, IsTheWaterFillingOfWhatIsKnown) {
  // Deviations of variance 90 that were measured with noise of variance 10 are known up to
  // 90 * 10 / 100 = 9.
  ThreeColumns tables;
  tables.add({0, 1}, 90.0, 1.0, 10.0);
  tables.add({0, 2}, 40.0, 4.0);
  tables.round.measure(std::vector{1.0, 1.0}, Context{});
  const double total = tables.counted.accountant.total_mu_squared();
  // A precision on the cells is a quarter of that of the contrasts, whose price is a quarter.
  const std::vector<MeasurementCandidate> known = {{std::vector<double>(4, 9.0), 1.0 / 16.0, 1.0},
                                                   {std::vector<double>(4, 40.0), 1.0 / 16.0, 4.0}};
  const std::vector<double> best = fill_with_precision(known, total);
  const double spent = 0.25 * tables.precision({0, 1}) + 0.25 * tables.precision({0, 2});
  EXPECT_NEAR(spent, total, 1e-9 * total);
  EXPECT_NEAR(tables.precision({0, 1}), 0.25 * best[0], 1e-6 * total);
  EXPECT_NEAR(tables.precision({0, 2}), 0.25 * best[1], 1e-6 * total);
}

TEST(SecondRound, GoesByTheFirstSharesWhereNothingIsLeftToLearn) {
  ThreeColumns tables;
  tables.add({0, 1}, 0.0);
  tables.add({1, 2}, 0.0);
  tables.add({0, 1, 2}, 0.0);
  tables.round.measure(std::vector{1.0, 3.0}, Context{});
  EXPECT_NEAR(tables.precision({1, 2}) / tables.precision({0, 1}), 3.0, 1e-9);
  EXPECT_EQ(tables.precision({0, 1, 2}), 0.0);
  EXPECT_LT(tables.counted.accountant.left_mu_squared(),
            1e-10 * tables.counted.accountant.total_mu_squared());
}

TEST(SecondRound, LeavesOutWhatWouldHardlyBeMeasured) {
  // A triple with a share below 1e-4; a pair as unimportant is measured.
  ThreeColumns as_triple;
  as_triple.add({0, 1}, 1e6);
  as_triple.add({0, 1, 2}, 1e6, 1e-8);
  as_triple.round.measure(std::vector{1.0}, Context{});
  EXPECT_EQ(as_triple.precision({0, 1, 2}), 0.0);
  ThreeColumns as_pair;
  as_pair.add({0, 1}, 1e6);
  as_pair.add({1, 2}, 1e6, 1e-8);
  as_pair.round.measure(std::vector{1.0, 1.0}, Context{});
  EXPECT_GT(as_pair.precision({1, 2}), 0.0);
  EXPECT_LT(as_pair.precision({1, 2}), 1e-3 * as_pair.precision({0, 1}));
}

}  // namespace second_round_test
}  // namespace mehler
