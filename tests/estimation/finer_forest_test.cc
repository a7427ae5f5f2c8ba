#include "mehler/estimation/finer_forest.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "tests/support/schema_of.h"

namespace mehler {
namespace finer_forest_test {

using Cells = std::vector<std::shared_ptr<const ColumnPartition>>;

/// Numbers of 16 values each, in 4 joint cells.
Cells joint_cells(std::size_t columns) {
  Cells cells;
  for (std::size_t c = 0; c < columns; ++c) {
    const Schema schema = schema_of(R"({"name": "n)" + std::to_string(c) +
                                    R"(", "kind": "integer", "bounds": [0, 15]})");
    cells.push_back(
        std::make_shared<const ColumnPartition>(ColumnPartition::even(schema.columns()[0], 4)));
  }
  return cells;
}

std::shared_ptr<const ColumnPartition> in_ranges(const ColumnPartition& cells, std::size_t ranges) {
  return std::make_shared<const ColumnPartition>(ColumnPartition::even(cells.column(), ranges));
}

/// Two columns in cells of `width` values, the second of which follows from the first.
FinerTable one_to_one(const Cells& cells, std::size_t first, std::size_t second,
                      std::size_t (*follow)(std::size_t), double elsewhere = 1e-9) {
  FinerTable table{first, second, in_ranges(*cells[first], 16), in_ranges(*cells[second], 16),
                   std::vector<double>(256, elsewhere)};
  for (std::size_t i = 0; i < 16; ++i) {
    table.counts[i * 16 + follow(i)] += 10.0;
  }
  return table;
}

std::size_t shuffled(std::size_t i) { return i * 7 % 16; }
std::size_t same(std::size_t i) { return i; }

/// The finer cells of a record with these joint ones; each has one record.
std::vector<std::uint32_t> draw(const FinerForest& forest, const std::vector<std::uint16_t>& joint,
                                SeededRandom& random) {
  std::vector<std::vector<double>> weights;
  for (const auto& cells : forest.cells()) {
    weights.emplace_back(cells->size(), 1.0);
  }
  std::vector<const std::vector<double>*> pointers;
  for (const std::vector<double>& of_column : weights) {
    pointers.push_back(&of_column);
  }
  FinerForest::Scratch scratch;
  std::vector<std::uint32_t> finer(joint.size());
  forest.draw(joint, pointers, random, scratch, finer);
  return finer;
}

TEST(FinerForest, KeepsTheJointCellsWithoutAnyLook) {
  const FinerForest forest(joint_cells(2));
  SeededRandom random(1);
  EXPECT_EQ(draw(forest, {2, 3}, random), (std::vector<std::uint32_t>{2, 3}));
}

TEST(FinerForest, DrawsValuesThatDetermineOneAnotherWithinTheirJointCells) {
  const Cells cells = joint_cells(2);
  const FinerForest forest(cells, {one_to_one(cells, 0, 1, shuffled)});
  SeededRandom random(1);
  for (std::size_t i = 0; i < 16; ++i) {
    // Joint cells hold four values each; of 16 combinations one at most goes together.
    const std::vector<std::uint16_t> joint = {static_cast<std::uint16_t>(i / 4),
                                              static_cast<std::uint16_t>(shuffled(i) / 4)};
    const std::vector<std::uint32_t> finer = draw(forest, joint, random);
    EXPECT_EQ(finer[1], shuffled(finer[0]));
    EXPECT_EQ(forest.joint_cell(0, finer[0]), joint[0]);
    EXPECT_EQ(forest.joint_cell(1, finer[1]), joint[1]);
  }
}

TEST(FinerForest, LooksAtAllColumnsOfATreeAtOnce) {
  // Column 1 follows from 0, and 2 from 1: the joint cell of 2 alone decides on that of 0.
  const Cells cells = joint_cells(3);
  const FinerForest forest(cells,
                           {one_to_one(cells, 0, 1, same), one_to_one(cells, 1, 2, shuffled)});
  SeededRandom random(1);
  for (std::size_t i = 0; i < 16; ++i) {
    const std::vector<std::uint32_t> finer =
        draw(forest,
             {static_cast<std::uint16_t>(i / 4), static_cast<std::uint16_t>(i / 4),
              static_cast<std::uint16_t>(shuffled(i) / 4)},
             random);
    EXPECT_EQ(finer[0], finer[1]);
    EXPECT_EQ(finer[2], shuffled(finer[1]));
  }
}

TEST(FinerForest, DrawsCellsAsOftenAsTheTableSays) {
  const Cells cells = joint_cells(2);
  const FinerTable table = one_to_one(cells, 0, 1, same, 1.0);  // 11 on the diagonal, 1 elsewhere
  const FinerForest forest(cells, {table});
  SeededRandom random(1);
  constexpr int kDraws = 40'000;
  int together = 0;
  for (int i = 0; i < kDraws; ++i) {
    const std::vector<std::uint32_t> finer = draw(forest, {1, 1}, random);
    together += finer[0] == finer[1] ? 1 : 0;
  }
  // 44 of 56; six standard deviations of a share of 40,000 draws are .012.
  EXPECT_NEAR(static_cast<double>(together) / kDraws, 44.0 / 56.0, 0.0125);
}

TEST(FinerForest, LeavesOutTheWeakestTableOfACircle) {
  const Cells cells = joint_cells(3);
  const FinerForest forest(cells, {one_to_one(cells, 0, 2, shuffled, 0.5),
                                   one_to_one(cells, 0, 1, same), one_to_one(cells, 1, 2, same)});
  SeededRandom random(1);
  for (std::uint16_t cell = 0; cell < 4; ++cell) {
    const std::vector<std::uint32_t> finer = draw(forest, {cell, cell, cell}, random);
    EXPECT_EQ(finer[0], finer[1]);
    EXPECT_EQ(finer[1], finer[2]);
  }
}

TEST(FinerForest, JoinsLooksInDifferentCells) {
  const Cells cells = joint_cells(3);
  FinerTable coarse{1, 2, in_ranges(*cells[1], 8), in_ranges(*cells[2], 8),
                    std::vector<double>(64, 1e-9)};
  for (std::size_t i = 0; i < 8; ++i) {
    coarse.counts[i * 8 + i] = 10.0;
  }
  const FinerForest forest(cells, {one_to_one(cells, 0, 1, same), coarse});
  EXPECT_EQ(forest.cells()[1]->size(), 16U);
  EXPECT_EQ(forest.cells()[2]->size(), 8U);
  SeededRandom random(1);
  const std::vector<std::uint32_t> finer = draw(forest, {3, 3, 3}, random);
  EXPECT_EQ(finer[0], finer[1]);
  EXPECT_EQ(finer[1] / 2, finer[2]);
}

}  // namespace finer_forest_test
}  // namespace mehler
