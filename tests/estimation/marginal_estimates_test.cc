#include "mehler/estimation/marginal_estimates.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/support/counted_table.h"
#include "tests/support/schema_of.h"

namespace mehler {
namespace marginal_estimates_test {

using Numbers = std::vector<double>;

void expect_near(const Numbers& values, const Numbers& expected, double tolerance) {
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(values[i], expected[i], tolerance) << i;
  }
}

/// What is measured of some columns, with noise that is stated but not there.
struct Measured {
  explicit Measured(const Schema& schema, double rows)
      : encoder(schema), cells(own_cells(encoder)), measurements(encoder) {
    measurements.set_public_rows(rows);
  }
  void add(const std::vector<std::size_t>& columns, std::vector<std::int64_t> counts,
           double sigma) {
    add_exact_counts(CountBlock::marginal(encoder, columns, cells, "test"), std::move(counts),
                     sigma, measurements);
  }

  Encoder encoder;
  std::vector<std::shared_ptr<const ColumnPartition>> cells;
  MarginalMeasurements measurements;
};

TEST(ColumnEstimates, AreTheMeasuredCounts) {
  Measured measured(schema_of_categories({3, 2}), 100.0);
  measured.add({0}, {50, 20, 30}, 2.0);
  measured.add({1}, {99, 1}, 2.0);
  const std::vector<ColumnEstimate> columns = estimate_columns(measured.measurements);
  expect_near(columns[0].counts, {50, 20, 30}, 1e-9);
  expect_near(columns[1].counts, {99, 1}, 1e-9);
  EXPECT_FALSE(columns[0].values.has_value());
}

TEST(ColumnEstimates, AddUpToTheRecordsWithoutNegativeCounts) {
  // Counts of 100 records, told that there are 60: each has 40/3 fewer, and none less than nothing.
  Measured measured(schema_of_categories({3}), 60.0);
  measured.add({0}, {70, 30, 0}, 2.0);
  // The nearest possible table to (56.7, 16.7, -13.3).
  expect_near(estimate_columns(measured.measurements)[0].counts, {50, 10, 0}, 1e-9);
}

TEST(ColumnEstimates, OfAColumnOfOneCellAreAllRecords) {
  Measured measured(schema_of_categories({1, 2}), 100.0);
  measured.add({1}, {60, 40}, 2.0);
  expect_near(estimate_columns(measured.measurements)[0].counts, {100}, 0.0);
}

TEST(ColumnEstimates, OfOrderedColumnsAreSmoothedWhereTheNoiseIsLarge) {
  const Schema schema = schema_of(R"({"name": "x", "kind": "integer", "bounds": [0, 7]})");
  const std::vector<std::int64_t> counts = {20, 10, 20, 10, 20, 10, 20, 10};
  const auto difference = [&](double sigma) {
    Measured measured(schema, 120.0);
    measured.add({0}, counts, sigma);
    const ColumnEstimate column = estimate_columns(measured.measurements)[0];
    return column.counts[2] - column.counts[3];
  };
  EXPECT_NEAR(difference(0.01), 10.0, 1e-3);
  EXPECT_LT(difference(10.0), 5.0);
  EXPECT_NEAR(difference(1000.0), 0.0, 0.5);
  // Categories have no order to smooth along.
  Measured categories(schema_of_categories({8}), 120.0);
  categories.add({0}, counts, 100.0);
  EXPECT_NEAR(estimate_columns(categories.measurements)[0].counts[1], 10.0, 1e-9);
}

TEST(ColumnEstimates, OfAFrequentValueAreNotSmoothedIntoTheRangesBesideIt) {
  // 0 alone, and ranges: what 0 has says nothing about the ranges beside it.
  const Schema schema = schema_of(R"({"name": "x", "kind": "integer", "bounds": [0, 1599]})");
  Measured measured(schema, 1.0e4);
  const ColumnPartition cells = ColumnPartition::even_and_spikes(schema.columns()[0], 16);
  ASSERT_EQ(cells.size(), 18U);
  measured.cells = {std::make_shared<const ColumnPartition>(cells)};
  std::vector<std::int64_t> counts(18, 400);
  counts[0] = 3600;
  counts[17] = 0;
  measured.add({0}, counts, 60.0);
  const std::vector<double> estimate = estimate_columns(measured.measurements)[0].counts;
  EXPECT_NEAR(estimate[0], 3600.0, 60.0);
  EXPECT_NEAR(estimate[1], 400.0, 60.0);
  EXPECT_LT(estimate[17], 60.0);
}

TEST(ColumnEstimates, OfNumbersKnowTheHalvesThatWereMeasured) {
  const Schema schema = schema_of(R"({"name": "x", "kind": "integer", "bounds": [0, 31]})");
  Measured measured(schema, 160.0);  // 16 ranges of two values
  measured.add({0}, std::vector<std::int64_t>(16, 10), 0.01);
  const CountBlock halves{
      "halves", HalvedRanges{0, std::make_shared<const RangeHalves>(
                                    RangeHalves{measured.cells[0]->leaves(), {{4, 6}, {8, 10}}})}};
  // 7 more in the first half of the one; nothing of note in the other.
  const std::int64_t step = std::int64_t{1} << halves.grid_exponent();
  measured.measurements.add(halves, {1, 2, {7 * step, 1 * step}, halves.grid_exponent()}, 1.0);
  const ColumnEstimate column = estimate_columns(measured.measurements)[0];
  expect_near(column.values->counts_of(std::vector<std::uint32_t>{0, 4, 5, 6, 8, 9, 10}),
              {20, 8.5, 1.5, 10, 5, 5, 110}, 1e-2);
}

TEST(ColumnEstimates, AreCountedInOtherCells) {
  const Schema schema = schema_of_categories({4});
  const Encoder encoder(schema);
  const ColumnEstimate column{own_cells(encoder)[0], {5, 6, 7, 8}, {}};
  expect_near(column.counts_in(*column.cells), {5, 6, 7, 8}, 0.0);
  expect_near(column.counts_in(ColumnPartition::grouped(encoder.columns()[0], {0, 2})), {6, 8, 12},
              0.0);
}

TEST(FitInputs, OfIndependentColumnsExpectTheProductOfShares) {
  expect_near(expect_pair(Numbers{60, 40}, Numbers{50, 30, 20}, 100.0), {30, 18, 12, 20, 12, 8},
              1e-12);
}

/// Two columns of two categories, half of the records each.
Measured halves(std::vector<std::int64_t> joint, double sigma) {
  Measured measured(schema_of_categories({2, 2}), 400.0);
  measured.add({0}, {200, 200}, 0.1);
  measured.add({1}, {200, 200}, 0.1);
  measured.add({0, 1}, std::move(joint), sigma);
  return measured;
}

TEST(FitInputs, TargetTheMeasuredCounts) {
  const Measured measured = halves({150, 50, 50, 150}, 2.0);
  const auto columns = estimate_columns(measured.measurements);
  const std::vector<MarginalEstimate> tables =
      estimate_tables(measured.measurements, columns, Context{});
  ASSERT_EQ(tables.size(), 1U);
  EXPECT_EQ(tables[0].columns, (std::vector<std::size_t>{0, 1}));
  expect_near(tables[0].target, {150, 50, 50, 150}, 1e-6);
  expect_near(tables[0].expected, {100, 100, 100, 100}, 1e-6);
  EXPECT_NEAR(tables[0].precision, 0.25, 1e-12);
  EXPECT_NEAR(tables[0].cell_variance, 1.0, 1e-12);  // a quarter of the contrast's 4
  // A deviation of 50 where chance gives 5 is a strength of about 25, which keeps nearly all of it.
  EXPECT_GT(tables[0].tau, 5.0);
  expect_near(tables[0].posterior_mean(), {150, 50, 50, 150}, 0.2);
}

TEST(FitInputs, TakeForNoiseWhatIsSmallerThanIt) {
  const Measured measured = halves({110, 90, 90, 110}, 100.0);
  const std::vector<MarginalEstimate> tables =
      estimate_tables(measured.measurements, estimate_columns(measured.measurements), Context{});
  expect_near(tables[0].target, {110, 90, 90, 110}, 1e-6);
  const Numbers mean = tables[0].posterior_mean();
  EXPECT_LT(std::fabs(mean[0] - 100.0), 5.0) << "10 measured with noise of 50";
}

TEST(FitInputs, OfThePosteriorMeanWeighPriorAndNoise) {
  MarginalEstimate table;
  table.target = {14.0, 6.0};
  table.expected = {10.0, 10.0};
  table.tau = 0.5;  // a variance of 5
  table.cell_variance = 15.0;
  expect_near(table.posterior_mean(), {11.0, 9.0}, 1e-12);
}

TEST(FitInputs, CompareTriplesWithWhatTheirPairsLetExpect) {
  Measured measured(schema_of_categories({2, 2, 2}), 800.0);
  for (std::size_t c = 0; c < 3; ++c) {
    measured.add({c}, {400, 400}, 0.1);
  }
  measured.add({0, 1}, {200, 200, 200, 200}, 1.0);
  measured.add({0, 2}, {200, 200, 200, 200}, 1.0);
  measured.add({1, 2}, {200, 200, 200, 200}, 1.0);
  measured.add({0, 1, 2}, {160, 40, 40, 160, 40, 160, 160, 40}, 1.0);  // parity, mostly
  const std::vector<MarginalEstimate> tables =
      estimate_tables(measured.measurements, estimate_columns(measured.measurements), Context{});
  ASSERT_EQ(tables.size(), 4U);
  EXPECT_EQ(tables[3].columns, (std::vector<std::size_t>{0, 1, 2}));
  expect_near(tables[3].expected, Numbers(8, 100.0), 1e-3);
  expect_near(tables[3].target, {160, 40, 40, 160, 40, 160, 160, 40}, 1e-3);
  EXPECT_GT(tables[3].tau, 10.0 * tables[0].tau);
}

TEST(JointCellsOfMeasurements, OfColumnsInNoTableAreTheirOwnUnlessTheyAreMany) {
  for (const std::size_t categories : {100U, 101U}) {
    Measured measured(schema_of_categories({2, 2, categories}), 100.0);
    measured.add({0}, {50, 50}, 1.0);
    measured.add({1}, {50, 50}, 1.0);
    measured.add({2}, std::vector<std::int64_t>(categories, 1), 1.0);
    measured.add({0, 1}, {25, 25, 25, 25}, 1.0);
    const auto columns = estimate_columns(measured.measurements);
    const auto cells = joint_cells(measured.measurements, columns);
    EXPECT_EQ(*cells[0], *measured.cells[0]);
    EXPECT_EQ(cells[2]->size(), categories == 100 ? 100U : 1U);
  }
}

TEST(CliqueTargetsOfMeasurements, AreColumnsOfWeightOneAndTablesByTheirStrength) {
  const Measured measured = halves({150, 50, 50, 150}, 2.0);
  const auto columns = estimate_columns(measured.measurements);
  std::vector<MarginalEstimate> tables = estimate_tables(measured.measurements, columns, Context{});
  const double tau = tables[0].tau;
  const CliqueTargets targets =
      make_clique_targets(measured.measurements, columns, std::move(tables));
  EXPECT_EQ(targets.rows, 400U);
  EXPECT_EQ(targets.sizes, (std::vector<std::size_t>{2, 2}));
  ASSERT_EQ(targets.cliques.size(), 3U);
  EXPECT_EQ(targets.cliques[1].columns, (std::vector<std::size_t>{1}));
  EXPECT_EQ(targets.cliques[1].weight, 1.0);
  expect_near(targets.cliques[1].target, {200, 200}, 1e-6);
  EXPECT_EQ(targets.cliques[2].columns, (std::vector<std::size_t>{0, 1}));
  EXPECT_NEAR(targets.cliques[2].weight, tau * 0.25, 1e-9);
  expect_near(targets.cliques[2].target, {150, 50, 50, 150}, 1e-6);
}

// What is known to be independent must not become dependent because other pairs would have it so.
TEST(CliqueTargetsOfMeasurements, ATableThatWasMeasuredAsIndependentIsHeldToIt) {
  const Measured measured = halves({100, 100, 100, 100}, 2.0);
  const auto columns = estimate_columns(measured.measurements);
  std::vector<MarginalEstimate> tables = estimate_tables(measured.measurements, columns, Context{});
  for (const double tau : {0.0, 0.5, 2.999}) {
    tables[0].tau = tau;
    const CliqueTargets targets =
        make_clique_targets(measured.measurements, columns, std::vector<MarginalEstimate>(tables));
    EXPECT_NEAR(targets.cliques[2].weight, 3.0 * 0.25, 1e-9) << tau;
  }
}

}  // namespace marginal_estimates_test
}  // namespace mehler
