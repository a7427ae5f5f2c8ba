#include "mehler/estimation/value_tree.h"

#include <gtest/gtest.h>

#include <numeric>

#include "mehler/core/error.h"

namespace mehler {
namespace value_tree_test {

Column integers(double high) {
  Column column;
  column.name = "x";
  column.kind = ColumnKind::kInteger;
  column.bounds = Interval{0.0, high};
  column.step = 1.0;
  return column;
}

/// Halves a tree down to its values with the exact differences of a histogram.
ValueTree refined(const ColumnPartition& cells, const std::vector<double>& histogram,
                  double sigma) {
  std::vector<double> counts;
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    const auto [first, second] = cells.range(cell);
    counts.push_back(std::accumulate(histogram.begin() + first, histogram.begin() + second, 0.0));
  }
  ValueTree tree(cells, counts);
  for (std::size_t level = 0; level < ValueTree::levels(cells); ++level) {
    const RangeHalves splits = tree.next_splits(sigma);
    std::vector<double> differences;
    for (const auto& range : splits.ranges) {
      const std::uint32_t middle = RangeHalves::middle(range);
      double difference = 0.0;
      for (std::uint32_t leaf = range.first; leaf < range.second; ++leaf) {
        difference += leaf < middle ? histogram[leaf] : -histogram[leaf];
      }
      differences.push_back(difference);
    }
    if (splits.ranges.empty()) {
      break;
    }
    tree.split(splits, differences, sigma);
  }
  return tree;
}

TEST(ValueTree, FindsEveryValueWithoutNoise) {
  const ColumnPartition cells = ColumnPartition::even(integers(99), 16);
  std::vector<double> histogram;
  for (int i = 0; i < 100; ++i) {
    histogram.push_back(i % 7 == 0 ? 500.0 : i);
  }
  const ValueTree tree = refined(cells, histogram, 1e-9);
  std::vector<std::uint32_t> starts(100);
  std::iota(starts.begin(), starts.end(), 0U);
  const std::vector<double> counts = tree.counts_of(starts);
  for (std::size_t i = 1; i < 100; ++i) {
    EXPECT_NEAR(counts[i], histogram[i], 1e-6);
  }
}

TEST(ValueTree, LeavesFewRecordsAndSmallDifferencesAlone) {
  const ColumnPartition cells = ColumnPartition::even(integers(1023), 16);
  std::vector<double> histogram(1024, 1.0);
  histogram[0] = 5000.0;  // a spike among values that the noise hides
  const ValueTree tree = refined(cells, histogram, 40.0);
  EXPECT_NEAR(tree.pieces().front().count, 5000.0, 1.0 + 63.0);
  EXPECT_EQ(tree.pieces().front().second, 1U);
  // The other cells hold 64 records each, less than 2 sigma: they stay whole.
  EXPECT_EQ(tree.pieces().back().second - tree.pieces().back().first, 64U);
  double sum = 0.0;
  for (const ValueTree::Piece& piece : tree.pieces()) {
    sum += piece.count;
  }
  EXPECT_NEAR(sum, 5000.0 + 1023.0, 1e-6);
}

TEST(ValueTree, HalvesThatNoiseMayHaveFilledAreEmpty) {
  const ColumnPartition cells = ColumnPartition::even(integers(31), 1);
  const RangeHalves halves{cells.leaves(), {{0, 32}}};
  const auto second_half = [&](double difference) {
    ValueTree tree(cells, std::vector{1000.0});
    tree.split(halves, std::vector{difference}, 20.0);
    return tree.pieces()[1].count;
  };
  EXPECT_EQ(second_half(961.0), 0.0);  // within 2 sigma of all
  EXPECT_EQ(second_half(1030.0), 0.0);
  EXPECT_EQ(second_half(959.0), 20.5);
  EXPECT_EQ(second_half(-961.0), 1000.0);
  EXPECT_EQ(second_half(59.0), 500.0);  // within 3 sigma of even
}

TEST(ValueTree, CountsOfWiderAndNarrowerRangesAddUp) {
  const ColumnPartition cells = ColumnPartition::even(integers(31), 4);
  const ValueTree tree(cells, std::vector{80.0, 0.0, 8.0, 16.0});
  EXPECT_EQ(tree.counts_of(std::vector<std::uint32_t>{0}), (std::vector{104.0}));
  EXPECT_EQ(tree.counts_of(std::vector<std::uint32_t>{0, 4, 16}), (std::vector{40.0, 40.0, 24.0}));
}

TEST(ValueTree, RefusesSplitsOfRangesThatItDoesNotHave) {
  const ColumnPartition cells = ColumnPartition::even(integers(31), 4);
  ValueTree tree(cells, std::vector{80.0, 0.0, 8.0, 16.0});
  const RangeHalves other{cells.leaves(), {{0, 4}}};
  EXPECT_THROW(tree.split(other, std::vector{1.0}, 1.0), Error);
}

}  // namespace value_tree_test
}  // namespace mehler
