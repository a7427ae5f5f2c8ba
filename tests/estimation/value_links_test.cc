#include "mehler/estimation/value_links.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/schema_of.h"

namespace mehler {
namespace value_links_test {

Column number(const std::string& name) {
  return schema_of(R"({"name": ")" + name + R"(", "kind": "integer", "bounds": [0, 1599]})")
      .columns()[0];
}

/// Sixteen cells of equal width and 100 records each, and a pair whose second cell follows from the
/// first.
struct Pair {
  explicit Pair(const std::function<std::size_t(std::size_t)>& follow) {
    for (std::size_t a = 0; a < 16; ++a) {
      counts[a * 16 + follow(a)] = 100.0;
      second_counts[follow(a)] += 100.0;
    }
  }

  ValueLink link() const { return {cells, first_counts, cells, second_counts, counts}; }

  ColumnPartition cells = ColumnPartition::even(number("x"), 16);
  std::vector<double> first_counts = std::vector<double>(16, 100.0);
  std::vector<double> second_counts = std::vector<double>(16, 0.0);
  std::vector<double> counts = std::vector<double>(256, 0.0);
};

TEST(ValueLink, CarriesTheShareOverWhereOneColumnIsTheOther) {
  const ValueLink link = Pair([](std::size_t a) { return a; }).link();
  EXPECT_GT(link.explained(), 0.99);
  SeededRandom random(1);
  for (std::size_t cell = 2; cell < 14; ++cell) {
    for (const double share : {0.1, 0.5, 0.9}) {
      EXPECT_NEAR(link.draw_share(cell, share, cell, 0.0, 1.0, random), share, 0.06) << cell;
    }
  }
}

TEST(ValueLink, TurnsTheShareRoundWhereOneColumnFallsAsTheOtherRises) {
  const ValueLink link = Pair([](std::size_t a) { return 15 - a; }).link();
  SeededRandom random(1);
  EXPECT_NEAR(link.draw_share(5, 0.2, 10, 0.0, 1.0, random), 0.8, 0.06);
}

TEST(ValueLink, FollowsACurveThatFallsAndRises) {
  const ValueLink link =
      Pair([](std::size_t a) { return a < 8 ? 2 * (7 - a) : 2 * (a - 8); }).link();
  SeededRandom random(1);
  EXPECT_LT(link.draw_share(4, 0.9, 6, 0.0, 1.0, random),
            link.draw_share(4, 0.1, 6, 0.0, 1.0, random));
  EXPECT_GT(link.draw_share(11, 0.9, 6, 0.0, 1.0, random),
            link.draw_share(11, 0.1, 6, 0.0, 1.0, random));
}

TEST(ValueLink, SaysNothingOfIndependentColumns) {
  Pair pair([](std::size_t a) { return a; });
  pair.counts.assign(256, 6.25);
  const ValueLink link = pair.link();
  EXPECT_NEAR(link.explained(), 0.0, 1e-9);
  // Shares are then spread evenly: their mean over 4,000 draws has a standard error of 0.0046.
  SeededRandom random(1);
  double mean = 0.0;
  for (int i = 0; i < 4000; ++i) {
    mean += link.draw_share(3, 0.95, 8, 0.0, 1.0, random) / 4000.0;
  }
  EXPECT_NEAR(mean, 0.5, 0.03);
}

TEST(ValueLink, OfAPairWithoutRecordsDrawsSharesAllTheSame) {
  Pair pair([](std::size_t a) { return a; });
  pair.counts.assign(256, -1.0);
  pair.first_counts.assign(16, 0.0);
  pair.second_counts.assign(16, 0.0);
  SeededRandom random(1);
  const double share = pair.link().draw_share(0, 0.0, 15, 0.0, 1.0, random);
  EXPECT_GE(share, 0.0);
  EXPECT_LT(share, 1.0);
}

TEST(LinkValues, MakesAForestOfTheStrongestPairs) {
  // x determines y and z, y and z go together less: both follow x, or one the other in a row, but
  // no column follows itself.
  const std::vector<Column> schema = {number("x"), number("y"), number("z")};
  std::vector<ColumnEstimate> columns;
  std::vector<std::shared_ptr<const ColumnPartition>> cells;
  for (const Column& column : schema) {
    cells.push_back(std::make_shared<const ColumnPartition>(ColumnPartition::even(column, 16)));
    ColumnEstimate estimate{cells.back(), std::vector<double>(16, 100.0), {}};
    estimate.values.emplace(*cells.back(), estimate.counts);
    columns.push_back(std::move(estimate));
  }
  std::vector<MarginalEstimate> tables;
  for (const auto& [i, j, strength] : std::vector<std::tuple<std::size_t, std::size_t, double>>{
           {0, 1, 0.9}, {0, 2, 0.8}, {1, 2, 0.7}}) {
    MarginalEstimate table;
    table.columns = {i, j};
    table.expected.assign(256, 6.25);
    table.target.assign(256, 6.25 * (1.0 - strength));
    for (std::size_t a = 0; a < 16; ++a) {
      table.target[a * 17] += 100.0 * strength;
    }
    table.tau = 1e9;
    table.cell_variance = 1.0;
    tables.push_back(std::move(table));
  }
  const ValueLinks links = link_values(columns, cells, tables);
  ASSERT_EQ(links.order.size(), 3U);
  std::size_t followers = 0;
  std::vector<bool> seen(3);
  for (const std::size_t c : links.order) {
    if (links.of_column[c]) {
      ++followers;
      EXPECT_TRUE(seen[links.of_column[c]->column]);
    }
    seen[c] = true;
  }
  EXPECT_EQ(followers, 2U);
  // The weakest pair is not needed.
  EXPECT_FALSE(links.of_column[2] && links.of_column[2]->column == 1);
}

}  // namespace value_links_test
}  // namespace mehler
