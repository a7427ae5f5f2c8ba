#include "mehler/synthesis/marginals/triple_choice.h"

#include <gtest/gtest.h>

namespace mehler {
namespace triple_choice_test {

using Cells = std::shared_ptr<const ColumnPartition>;

Schema schema_of(const std::string& column) {
  return Schema::from_json(R"({"mehler_schema": 1, "relation": "add-remove-one", "columns": [)" +
                           column + "]}");
}

/// Coarser cells of one column with these counts.
Cells coarse(const Encoder& encoder, std::size_t ranges, std::vector<double> counts) {
  const Column& column = encoder.columns()[0];
  const Cells cells =
      std::make_shared<const ColumnPartition>(ColumnPartition::even(column, ranges));
  const std::vector<ColumnEstimate> estimates = {{cells, std::move(counts), {}}};
  return scout_cells(estimates, std::span(&cells, 1))[0];
}

TEST(TripleChoice, TakesTriplesWhosePairsAreMeasured) {
  const std::vector<ColumnPair> all = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  EXPECT_EQ(triples_of(all),
            (std::vector<ColumnTriple>{{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}}));
  const std::vector<ColumnPair> some = {{0, 1}, {0, 3}, {1, 2}, {1, 3}};
  EXPECT_EQ(triples_of(some), (std::vector<ColumnTriple>{{0, 1, 3}}));
  EXPECT_TRUE(triples_of({}).empty());
}

TEST(ScoutCells, OfNumbersHoldAboutAsManyRecordsEach) {
  const Encoder encoder(
      schema_of(R"({"name": "x", "kind": "numeric", "bounds": [0, 16], "missing": true})"));
  std::vector<double> counts(17, 0.0);
  counts[0] = 400.0;
  for (std::size_t i = 8; i < 16; ++i) {
    counts[i] = 75.0;
  }
  const Cells cells = coarse(encoder, 16, counts);
  EXPECT_LE(cells->size(), 6U);
  EXPECT_GE(cells->size(), 4U);
  EXPECT_EQ(cells->range(0).first, 0U);
  // The heavy first range is alone.
  EXPECT_EQ(cells->range(0).second,
            ColumnPartition::even(encoder.columns()[0], 16).range(0).second);
}

TEST(ScoutCells, OfCategoriesKeepTheMostFrequentApart) {
  const Encoder encoder(schema_of(
      R"({"name": "x", "kind": "categorical", "categories": ["a", "b", "c", "d", "e", "f", "g", "h"]})"));
  const Cells cells = coarse(encoder, 16, {1.0, 90.0, 2.0, 80.0, 70.0, 3.0, 60.0, 50.0});
  EXPECT_EQ(cells->size(), 6U);
  EXPECT_EQ(cells->rare(), (std::vector<std::uint32_t>{0, 2, 5}));
}

TEST(ScoutCells, AreTheColumnsOwnWhereItHasFew) {
  const Encoder encoder(schema_of(
      R"({"name": "x", "kind": "categorical", "categories": ["a", "b", "c"], "missing": true})"));
  EXPECT_EQ(coarse(encoder, 16, {1.0, 2.0, 3.0, 4.0})->size(), 4U);
}

}  // namespace triple_choice_test
}  // namespace mehler
