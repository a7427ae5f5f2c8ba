#include "mehler/synthesis/marginals/joint_cells.h"

#include <gtest/gtest.h>

#include <numeric>
#include <tuple>

#include "tests/support/counted_table.h"
#include "tests/support/errors.h"
#include "tests/support/schema_of.h"

namespace mehler {
namespace joint_cells_test {

constexpr std::size_t kMemory = 1'000'000'000;

/// A column's estimate in its own cells.
ColumnEstimate estimate_of(const Column& column, std::vector<double> counts) {
  ColumnEstimate estimate{
      std::make_shared<const ColumnPartition>(ColumnPartition::even(column, 16)),
      std::move(counts),
      {}};
  if (column.is_number()) {
    estimate.values.emplace(*estimate.cells, estimate.counts);
  }
  return estimate;
}

/// The cells that one column gets.
std::shared_ptr<const ColumnPartition> chosen(const ColumnEstimate& estimate, double rows,
                                              double sigma, std::size_t most_ranges = 32) {
  return choose_joint_cells(std::span(&estimate, 1), {}, {rows, sigma, most_ranges, kMemory})[0];
}

Column number_column() {  // 16 ranges of 10 values
  return schema_of(R"({"name": "x", "kind": "integer", "bounds": [0, 159], "missing": true})")
      .columns()[0];
}

TEST(JointCells, OfNumbersAreTheRangesThatWereCountedWhereTheseHaveAboutTheSameMass) {
  const ColumnEstimate estimate = estimate_of(number_column(), std::vector<double>(17, 10.0));
  EXPECT_EQ(*chosen(estimate, 170.0, 0.5), *estimate.cells);
}

TEST(JointCells, JoinRangesThatTheNoiseHidesButNotBelowFour) {
  std::vector<double> counts(17, 10.0);
  counts[4] = counts[5] = 4.0;
  const ColumnEstimate estimate = estimate_of(number_column(), counts);
  const auto cells = chosen(estimate, 158.0, 4.5);
  std::vector<std::uint32_t> starts = estimate.cells->starts();
  starts.erase(starts.begin() + 5);
  EXPECT_EQ(cells->starts(), starts);
  EXPECT_EQ(chosen(estimate, 158.0, 1e6)->value_cells(), 4U);
  EXPECT_EQ(chosen(estimate, 158.0, 2.0, 8)->value_cells(), 8U);
}

TEST(JointCells, DivideARangeOfManyPartsAndPutAFrequentValueAlone) {
  std::vector<double> counts(17, 0.0);
  counts[3] = 1000.0;  // values 30 to 39
  ColumnEstimate estimate = estimate_of(number_column(), counts);
  const ValueGrid leaves = estimate.cells->leaves();
  // 800 have the value 35, the others spread over 30 to 34.
  const auto split = [&](std::uint32_t first, std::uint32_t second, double difference) {
    estimate.values->split({leaves, {{first, second}}}, std::vector{difference}, 1e-3);
  };
  split(30, 40, 200.0 - 800.0);  // 30..34 against 35..39
  split(35, 40, 800.0);          // 35..37 against 38, 39
  split(35, 38, 800.0);          // 35, 36 against 37
  split(35, 37, 800.0);          // 35 against 36
  // With much noise, only the frequent value is divided off: a part has half of the records.
  EXPECT_EQ(chosen(estimate, 1000.0, 40.0)->cell_of(35),
            chosen(estimate, 1000.0, 40.0)->cell_of(34) + 1);
  // With little, the 40 records of each of the values 30 to 34 are nearly a part of 1000 / 16.
  const auto fine = chosen(estimate, 1000.0, 0.01);
  EXPECT_GE(fine->cell_of(35) - fine->cell_of(30), 2U);
}

TEST(JointCells, HaveNoneWithoutRecords) {
  std::vector<double> counts(17, 0.0);
  counts[2] = counts[3] = 500.0;
  ColumnEstimate estimate = estimate_of(number_column(), counts);
  EXPECT_EQ(chosen(estimate, 1000.0, 40.0)->value_cells(), 2U);
  EXPECT_NE(chosen(estimate, 1000.0, 40.0)->cell_of(29),
            chosen(estimate, 1000.0, 40.0)->cell_of(30));
  // All records have the value 35: no pair tells of it.
  counts[2] = 0.0;
  counts[3] = 1000.0;
  estimate = estimate_of(number_column(), counts);
  const ValueGrid leaves = estimate.cells->leaves();
  for (const auto& [first, second, difference] : {std::tuple{30U, 40U, -1000.0},
                                                  {35U, 40U, 1000.0},
                                                  {35U, 38U, 1000.0},
                                                  {35U, 37U, 1000.0}}) {
    estimate.values->split({leaves, {{first, second}}}, std::vector{difference}, 1.0);
  }
  EXPECT_EQ(chosen(estimate, 1000.0, 40.0)->value_cells(), 1U);
}

TEST(JointCells, AreFinerTheLessNoiseThereIs) {
  std::vector<double> counts(17, 1.0);
  counts[2] = 9984.0;
  const ColumnEstimate estimate = estimate_of(
      schema_of(R"({"name": "x", "kind": "integer", "bounds": [0, 159999], "missing": true})")
          .columns()[0],
      counts);
  std::size_t before = 0;
  for (const double sigma : {1000.0, 100.0, 10.0, 1.0}) {
    const std::size_t cells = chosen(estimate, 1e4, sigma)->size();
    EXPECT_GE(cells, before) << sigma;
    before = cells;
  }
  EXPECT_GE(before, 16U);
  EXPECT_LE(before, 34U);
}

TEST(JointCells, GroupCategoriesRarerThanTheNoise) {
  for (const std::size_t categories : {100U, 101U}) {
    const Schema schema = schema_of_categories({categories});
    std::vector<double> counts(categories, 50.0);
    counts[3] = counts[70] = counts[99] = 4.9;
    counts[4] = 5.0;
    counts[5] = counts[6] = 2.0;
    // Below the noise, or below twice the noise in a column with more than a hundred.
    const auto cells = chosen(estimate_of(schema.columns()[0], counts), 5000.0, 2.5);
    EXPECT_EQ(cells->rare(), categories == 100 ? (std::vector<std::uint32_t>{5, 6})
                                               : (std::vector<std::uint32_t>{3, 5, 6, 70, 99}));
  }
}

TEST(JointCells, KeepTheThreeMostFrequentOfFewCategories) {
  const Schema schema = schema_of_categories({5});
  const auto cells =
      chosen(estimate_of(schema.columns()[0], {1.0, 9.0, 2.0, 8.0, 7.0}), 27.0, 100.0);
  EXPECT_EQ(cells->rare(), (std::vector<std::uint32_t>{0, 2}));
}

TEST(JointCells, OfATeachersClassesStayApartHoweverRareTheyAre) {
  const Schema schema = schema_of_categories({5, 5});
  const std::vector<ColumnEstimate> columns = {
      estimate_of(schema.columns()[0], {1.0, 9.0, 2.0, 8.0, 7.0}),
      estimate_of(schema.columns()[1], {1.0, 9.0, 2.0, 8.0, 7.0})};
  const auto cells = choose_joint_cells(columns, {}, {27.0, 100.0, 32, kMemory, 1});
  EXPECT_EQ(cells[0]->size(), 4U);
  EXPECT_EQ(*cells[1], *columns[1].cells);
}

TEST(JointCells, LeaveASingleRareCategoryAlone) {
  std::vector<double> counts(101, 50.0);
  counts[8] = 0.0;
  const Schema schema = schema_of_categories({101});
  EXPECT_TRUE(chosen(estimate_of(schema.columns()[0], counts), 5000.0, 5.0)->rare().empty());
}

TEST(JointCells, AreFewerWhereThePairsWouldTakeMoreMemoryThanThereIs) {
  const Schema schema = schema_of_categories({1000, 1000});
  std::vector<double> counts(1000);
  std::iota(counts.rbegin(), counts.rend(), 1.0);  // the first is the most frequent
  const std::vector<ColumnEstimate> columns = {estimate_of(schema.columns()[0], counts),
                                               estimate_of(schema.columns()[1], counts)};
  const std::vector<ColumnPair> pairs = {{0, 1}};
  const auto size_within = [&](std::size_t bytes) {
    const auto cells = choose_joint_cells(columns, pairs, {1e6, 1e-9, 32, bytes});
    EXPECT_LE(cells[0]->size() * cells[1]->size() * kBytesPerJointCell, bytes);
    EXPECT_EQ(cells[0]->size(), cells[1]->size());
    // The most frequent keep cells of their own; the others share one.
    EXPECT_TRUE(cells[0]->rare().empty() ||
                cells[0]->rare().front() == static_cast<std::uint32_t>(cells[0]->size() - 1));
    return cells[0]->size();
  };
  EXPECT_EQ(size_within(1000 * 1000 * kBytesPerJointCell), 1000U);
  EXPECT_EQ(size_within(1000 * 1000 * kBytesPerJointCell - 1), 512U);
  EXPECT_EQ(size_within(512 * 512 * kBytesPerJointCell - 1), 256U);
  EXPECT_EQ(size_within(2 * 2 * kBytesPerJointCell), 2U);
}

TEST(JointMemory, IsRefusedWhereEvenTheFewestCellsTakeMore) {
  const Encoder encoder(schema_of_categories({2, 2, 2, 2}));
  const std::size_t fewest = 6 * 9 * kBytesPerJointCell;  // six pairs of 3 x 3 cells
  require_joint_memory(encoder, fewest);
  expect_mentions(
      message_of(ErrorCode::kInvalidArgument, [&] { require_joint_memory(encoder, fewest - 1); }),
      {"4 columns", "memory"});
}

}  // namespace joint_cells_test
}  // namespace mehler
