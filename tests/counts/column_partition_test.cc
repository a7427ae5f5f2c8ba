#include "mehler/counts/column_partition.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mehler/core/error.h"
#include "mehler/counts/range_halves.h"
#include "mehler/encoding/number_coding.h"

namespace mehler {
namespace column_partition_test {

Column number(ColumnKind kind, double low, double high) {
  Column column;
  column.name = "x";
  column.kind = kind;
  column.bounds = Interval{low, high};
  column.step = default_step(kind);
  return column;
}

Column categories(std::size_t count, bool missing = false) {
  Column column;
  column.name = "c";
  column.kind = ColumnKind::kCategorical;
  column.categories.emplace();
  for (std::size_t i = 0; i < count; ++i) {
    column.categories->push_back("v" + std::to_string(i));
  }
  column.missing = missing;
  return column;
}

TEST(ValueGrid, EveryWholeNumberHasALeafThatGivesItBack) {
  const Column column = number(ColumnKind::kInteger, -3, 40);
  const ValueGrid leaves(column);
  const NumberCoding coding(column);
  ASSERT_EQ(leaves.value_leaves(), 44U);
  for (int value = -3; value <= 40; ++value) {
    const std::uint32_t leaf = leaves.leaf_of_coordinate(coding.encode(value));
    EXPECT_EQ(leaf, static_cast<std::uint32_t>(value + 3));
    EXPECT_EQ(coding.decode(leaves.coordinate(leaf, 0.7)), value);
  }
}

TEST(ValueGrid, DecimalsAndTransformsKeepTheirGrid) {
  Column column = number(ColumnKind::kNumeric, 0.0, 10.0);
  column.step.reset();
  column.decimals = 2;
  column.transform = NumberTransform::kLog;
  const ValueGrid leaves(column);
  const NumberCoding coding(column);
  ASSERT_EQ(leaves.value_leaves(), 1001U);
  for (int i = 0; i <= 1000; ++i) {
    const double value = i / 100.0;
    const std::uint32_t leaf = leaves.leaf_of_coordinate(coding.encode(value));
    EXPECT_EQ(leaf, static_cast<std::uint32_t>(i));
    EXPECT_NEAR(coding.decode(leaves.coordinate(leaf, 0.0)), value, 1e-12);
  }
}

TEST(ValueGrid, NumbersWithoutAGridHaveLeavesOfEqualWidth) {
  Column column = number(ColumnKind::kNumeric, 0.0, 1.0);
  column.missing = true;
  const ValueGrid leaves(column);
  EXPECT_EQ(leaves.value_leaves(), ValueGrid::kMaxLeaves);
  EXPECT_EQ(leaves.leaf_of_coordinate(-1.0), 0U);
  EXPECT_EQ(leaves.leaf_of_coordinate(1.0), ValueGrid::kMaxLeaves - 1);
  EXPECT_TRUE(
      leaves.is_missing(leaves.leaf_of_coordinate(std::numeric_limits<double>::quiet_NaN())));
  EXPECT_EQ(leaves.leaf_of_coordinate(leaves.coordinate(12'345, 0.5)), 12'345U);
}

TEST(ColumnPartition, KnowsWhichCellsLieWithinOthers) {
  const Column column = number(ColumnKind::kInteger, 0, 99);
  const ColumnPartition halves = ColumnPartition::ranges(column, {0, 50});
  const ColumnPartition thirds = ColumnPartition::ranges(column, {0, 33, 66});
  const ColumnPartition fine = ColumnPartition::ranges(column, {0, 20, 50, 51});
  EXPECT_TRUE(fine.refines(halves));
  EXPECT_TRUE(fine.refines(fine));
  EXPECT_FALSE(halves.refines(fine));
  EXPECT_FALSE(fine.refines(thirds));
  EXPECT_FALSE(fine.refines(ColumnPartition::ranges(number(ColumnKind::kInteger, 0, 98), {0})));
  EXPECT_EQ(fine.cells_within(halves), (std::vector<std::size_t>{0, 0, 1, 1}));
}

TEST(ColumnPartition, EvenRangesHaveOneWidth) {
  const ColumnPartition cells = ColumnPartition::even(number(ColumnKind::kInteger, 0, 99), 16);
  EXPECT_EQ(cells.size(), 15U);  // seven values each, and two in the last
  for (std::size_t cell = 0; cell + 1 < cells.size(); ++cell) {
    EXPECT_EQ(cells.range(cell).second - cells.range(cell).first, 7U);
  }
  EXPECT_EQ(ColumnPartition::even(number(ColumnKind::kInteger, 1, 16), 16).size(), 16U);
  EXPECT_EQ(ColumnPartition::even(number(ColumnKind::kInteger, 1, 5), 16).size(), 5U);
}

TEST(ColumnPartition, PutsTheBoundsAndZeroOfManyValuesAlone) {
  const auto starts = [](ColumnKind kind, double low, double high) {
    return ColumnPartition::even_and_spikes(number(kind, low, high), 4).starts();
  };
  using Starts = std::vector<std::uint32_t>;
  EXPECT_EQ(starts(ColumnKind::kInteger, 0, 99), (Starts{0, 1, 25, 50, 75, 99}));
  EXPECT_EQ(starts(ColumnKind::kInteger, -60, 39), (Starts{0, 1, 25, 50, 60, 61, 75, 99}));
  EXPECT_EQ(starts(ColumnKind::kInteger, 0, 15), (Starts{0, 4, 8, 12}));  // few values
  EXPECT_EQ(starts(ColumnKind::kNumeric, 1, 2).size(), 6U);
  EXPECT_EQ(ColumnPartition::even_and_spikes(categories(3, true), 4).size(), 4U);
}

TEST(ValueGrid, AFrequentValueIsABoundOrTheRoundestOfItsLeaf) {
  const auto frequent = [](double low, double high, double value) {
    const Column column = number(ColumnKind::kNumeric, low, high);
    const NumberCoding coding(column);
    const ValueGrid leaves(column);
    return coding.decode(
        leaves.frequent_coordinate(leaves.leaf_of_coordinate(coding.encode(value))));
  };
  EXPECT_EQ(frequent(0, 300'000, 0.0), 0.0);
  EXPECT_EQ(frequent(0, 300'000, 300'000.0), 300'000.0);
  EXPECT_NEAR(frequent(-7, 9, 0.0), 0.0, 1e-12);
  EXPECT_NEAR(frequent(-70'000, 90'000, 1000.0), 1000.0, 1e-6);
  EXPECT_NEAR(frequent(-70'000, 90'000, -250.0), -250.0, 1e-6);
  EXPECT_NEAR(frequent(1, 17, 2.5), 2.5, 1e-9);
}

TEST(ColumnPartition, EvenRangesOfATransformAreEvenAfterIt) {
  Column column = number(ColumnKind::kInteger, 0, 100'000);
  column.transform = NumberTransform::kLog;
  const ColumnPartition cells = ColumnPartition::even(column, 16);
  EXPECT_GT(cells.size(), 12U);
  EXPECT_EQ(cells.range(0), (std::pair<std::uint32_t, std::uint32_t>{0, 2}));  // 0, 1
  const auto last = cells.range(cells.size() - 1);
  EXPECT_NEAR(std::log1p(100'000.0) - std::log1p(last.first), std::log1p(100'000.0) / 16, 0.01);
}

TEST(ColumnPartition, RareCategoriesShareTheCellAfterTheOthers) {
  const ColumnPartition cells = ColumnPartition::grouped(categories(6, true), {1, 4});
  ASSERT_EQ(cells.size(), 6U);  // 0, 2, 3, 5, rare, missing
  const std::vector<std::size_t> expected = {0, 4, 1, 2, 4, 3, 5};
  for (std::uint32_t code = 0; code < expected.size(); ++code) {
    EXPECT_EQ(cells.cell_of(code), expected[code]);
  }
  EXPECT_EQ(cells.codes(4), (std::vector<std::uint32_t>{1, 4}));
}

TEST(ColumnPartition, RefusesCellsThatAreNone) {
  const Column integer = number(ColumnKind::kInteger, 0, 9);
  EXPECT_THROW(ColumnPartition::ranges(integer, {1, 4}), Error);
  EXPECT_THROW(ColumnPartition::ranges(integer, {0, 4, 4}), Error);
  EXPECT_THROW(ColumnPartition::ranges(integer, {0, 10}), Error);
  EXPECT_THROW(ColumnPartition::ranges(integer, {}), Error);
  EXPECT_THROW(ColumnPartition::grouped(categories(4), {3}), Error);
  EXPECT_THROW(ColumnPartition::grouped(categories(4), {2, 1}), Error);
  EXPECT_THROW(ColumnPartition::grouped(categories(4), {2, 4}), Error);
}

TEST(RangeHalves, FindsTheRangeOfALeaf) {
  const RangeHalves splits{ValueGrid(number(ColumnKind::kInteger, 0, 99)), {{10, 20}, {30, 33}}};
  splits.validate();
  EXPECT_EQ(splits.range_of(9), RangeHalves::kNone);
  EXPECT_EQ(splits.range_of(10), 0U);
  EXPECT_EQ(splits.range_of(20), RangeHalves::kNone);
  EXPECT_EQ(splits.range_of(32), 1U);
  EXPECT_EQ(RangeHalves::middle({30, 33}), 32U);
  for (const auto& ranges : std::vector<decltype(splits.ranges)>{
           {}, {{5, 6}}, {{5, 3}}, {{5, 9}, {8, 12}}, {{98, 101}}}) {
    EXPECT_THROW((RangeHalves{splits.leaves, ranges}.validate()), Error);
  }
}

}  // namespace column_partition_test
}  // namespace mehler
