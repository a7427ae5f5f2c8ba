#include "mehler/generator/fitted_table/cell_decoder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "mehler/encoding/encoder.h"
#include "tests/support/counted_table.h"
#include "tests/support/schema_of.h"

namespace mehler {
namespace cell_decoder_test {

/// One column's rows in these cells, decoded.
EncodedColumn decode(const ColumnEstimate& estimate, const ColumnPartition& cells,
                     const std::vector<std::uint16_t>& codes, std::uint64_t seed = 1) {
  CodedRows rows(codes.size(), 1);
  rows.codes = codes;
  const auto shared = std::make_shared<const ColumnPartition>(cells);
  const CellDecoder decoder(std::span(&estimate, 1), FinerForest(std::span(&shared, 1)),
                            ValueLinks(1));
  SeededRandom random(seed);
  return decoder.decode(rows, 0, rows.rows, random).columns[0];
}

ColumnEstimate estimate_of(const Column& column, std::vector<double> counts) {
  ColumnEstimate estimate{std::make_shared<const ColumnPartition>(ColumnPartition::even(column, 4)),
                          std::move(counts),
                          {}};
  if (column.is_number()) {
    estimate.values.emplace(*estimate.cells, estimate.counts);
  }
  return estimate;
}

TEST(CellDecoder, GivesACategoryOfItsOwnCellItsCode) {
  const Column column = schema_of_categories({3}).columns()[0];
  const EncodedColumn decoded =
      decode(estimate_of(column, {1, 1, 1}), ColumnPartition::even(column, 4), {2, 0, 1, 1});
  EXPECT_EQ(decoded.codes, (WipedVector<std::int32_t>{2, 0, 1, 1}));
  EXPECT_TRUE(decoded.numbers.empty());
}

TEST(CellDecoder, SharesACellOfRareCategoriesByTheirCountsExactly) {
  const Column column = schema_of_categories({4}).columns()[0];
  const ColumnEstimate estimate = estimate_of(column, {3, 90, 1, 0});
  const ColumnPartition cells =
      ColumnPartition::grouped(column, {0, 2, 3});  // code 1, then the others
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::map<std::int32_t, int> seen;
    for (const std::int32_t code :
         decode(estimate, cells, std::vector<std::uint16_t>(40, 1), seed).codes) {
      ++seen[code];
    }
    EXPECT_EQ(seen, (std::map<std::int32_t, int>{{0, 30}, {2, 10}})) << seed;
  }
}

TEST(CellDecoder, TreatsTheValuesOfACellWithoutRecordsAlike) {
  const Column column = schema_of_categories({5}).columns()[0];
  std::map<std::int32_t, int> seen;
  for (const std::int32_t code :
       decode(estimate_of(column, {0, 90, 0, 0, 0}), ColumnPartition::grouped(column, {0, 2, 3, 4}),
              std::vector<std::uint16_t>(40, 1))
           .codes) {
    ++seen[code];
  }
  EXPECT_EQ(seen, (std::map<std::int32_t, int>{{0, 10}, {2, 10}, {3, 10}, {4, 10}}));
}

/// Four ranges of ten values; missing values may be.
Column forty_values() {
  return schema_of(R"({"name": "x", "kind": "integer", "bounds": [0, 39], "missing": true})")
      .columns()[0];
}

/// The value of a coordinate in [-1, 1].
long value_of(double coordinate) { return std::lround((coordinate + 1.0) / 2.0 * 39.0); }

TEST(CellDecoder, SpreadsNumbersEvenlyOverARangeOfEqualDensity) {
  const Column column = forty_values();
  const ColumnEstimate estimate = estimate_of(column, {10, 10, 10, 10, 5});
  std::map<long, int> seen;
  for (const double number :
       decode(estimate, *estimate.cells, std::vector<std::uint16_t>(100, 2)).numbers) {
    ++seen[value_of(number)];
  }
  ASSERT_EQ(seen.size(), 10U);  // 20 to 29
  EXPECT_EQ(seen.begin()->first, 20);
  for (const auto& [value, count] : seen) {
    EXPECT_EQ(count, 10) << value;
  }
}

TEST(CellDecoder, DrawsNumbersWhereTheHalvesSayTheyLie) {
  const Column column = forty_values();
  ColumnEstimate estimate = estimate_of(column, {100, 0, 0, 0, 0});
  estimate.values->split({estimate.cells->leaves(), {{0, 10}}}, std::vector{60.0}, 0.1);
  int low = 0;
  for (const double number :
       decode(estimate, *estimate.cells, std::vector<std::uint16_t>(50, 0)).numbers) {
    low += value_of(number) < 5 ? 1 : 0;
    EXPECT_LT(value_of(number), 10);
  }
  EXPECT_EQ(low, 40);  // 80 of 100 records
}

TEST(CellDecoder, SplitsPiecesThatReachOverSeveralCells) {
  const Column column = forty_values();
  const ColumnEstimate estimate = estimate_of(column, {10, 10, 10, 10, 5});
  const ColumnPartition finer = ColumnPartition::ranges(column, {0, 3, 10, 40 - 1});
  for (const double number : decode(estimate, finer, std::vector<std::uint16_t>(30, 1)).numbers) {
    EXPECT_GE(value_of(number), 3);
    EXPECT_LT(value_of(number), 10);
  }
}

TEST(CellDecoder, GivesTheLastCellOfAColumnThatMayMissNoValue) {
  const Column column = forty_values();
  const ColumnEstimate estimate = estimate_of(column, {10, 10, 10, 10, 5});
  const EncodedColumn decoded = decode(estimate, *estimate.cells, {4, 0, 4});
  EXPECT_TRUE(std::isnan(decoded.numbers[0]));
  EXPECT_FALSE(std::isnan(decoded.numbers[1]));
  EXPECT_TRUE(std::isnan(decoded.numbers[2]));
}

TEST(CellDecoder, DecodesTheRowsThatItIsAskedFor) {
  const Column column = schema_of_categories({3}).columns()[0];
  const ColumnEstimate estimate = estimate_of(column, {1, 1, 1});
  CodedRows rows(5, 1);
  rows.codes = {0, 1, 2, 0, 1};
  const auto cells = estimate.cells;
  const CellDecoder decoder(std::span(&estimate, 1), FinerForest(std::span(&cells, 1)),
                            ValueLinks(1));
  SeededRandom random(1);
  const EncodedBatch batch = decoder.decode(rows, 1, 3, random);
  EXPECT_EQ(batch.rows, 3U);
  EXPECT_EQ(batch.columns[0].codes, (WipedVector<std::int32_t>{1, 2, 0}));
}

/// A decoder of one column, and what a condition leaves of it.
struct Restricted {
  Restricted(const ColumnEstimate& estimate, const ColumnPartition& cells,
             const std::vector<SampleCondition>& where)
      : shared(std::make_shared<const ColumnPartition>(cells)),
        decoder(std::span(&estimate, 1), FinerForest(std::span(&shared, 1)), ValueLinks(1)),
        restriction(decoder.restrict(
            resolve_conditions(Encoder(Schema({cells.column()})), where, ConditionedColumns::kAll)
                .at(0))) {}

  std::shared_ptr<const ColumnPartition> shared;
  CellDecoder decoder;
  CellDecoder::Restriction restriction;
};

TEST(CellDecoder, CountsACellThatIsAllowedInPartByItsShare) {
  const Column column =
      schema_of(R"({"name": "n", "kind": "integer", "bounds": [0, 39]})").columns()[0];
  const ColumnPartition cells = ColumnPartition::even(column, 4);
  const ColumnEstimate estimate = estimate_of(column, {10, 20, 30, 40});
  const Restricted some(estimate, cells,
                        {{"n", ConditionRelation::kAtLeast, {"15"}},
                         {"n", ConditionRelation::kLess, {"32"}},
                         {"n", ConditionRelation::kNotIn, {"20"}}});
  ASSERT_EQ(some.restriction.shares.size(), 4u);
  EXPECT_EQ(some.restriction.shares[0], 0.0);
  EXPECT_NEAR(some.restriction.shares[1], 0.5, 1e-12);
  EXPECT_NEAR(some.restriction.shares[2], 0.9, 1e-12);
  EXPECT_NEAR(some.restriction.shares[3], 0.2, 1e-12);
  CodedRows rows(600, 1);
  for (std::size_t r = 0; r < rows.rows; ++r) {
    rows.codes[r] = static_cast<std::uint16_t>(1 + r % 3);
  }
  SeededRandom random(1);
  std::map<double, int> seen;
  const NumberCoding coding(column);
  const EncodedBatch batch =
      some.decoder.decode(rows, 0, rows.rows, random, std::span(&some.restriction, 1));
  for (const double number : batch.columns[0].numbers) {
    ++seen[coding.decode(number)];
  }
  EXPECT_EQ(seen.size(), 16u);  // 15 to 31 without 20
  EXPECT_EQ(seen.count(20.0), 0u);
  EXPECT_EQ(seen.begin()->first, 15.0);
  EXPECT_EQ(seen.rbegin()->first, 31.0);
  EXPECT_EQ(seen[15.0], 40);   // a fifth of 200
  EXPECT_EQ(seen[31.0], 100);  // a half of 200
}

TEST(CellDecoder, TreatsAllowedValuesWithoutRecordsAlike) {
  const Column column =
      schema_of(R"({"name": "n", "kind": "integer", "bounds": [0, 39]})").columns()[0];
  const ColumnPartition cells = ColumnPartition::even(column, 4);
  ColumnEstimate estimate{
      std::make_shared<const ColumnPartition>(ColumnPartition::even(column, 40)),
      std::vector<double>(40, 1.0),
      {}};
  estimate.counts[12] = 0.0;
  estimate.counts[25] = 0.0;
  estimate.values.emplace(*estimate.cells, estimate.counts);
  const Restricted none(estimate, cells, {{"n", ConditionRelation::kIn, {"12", "25"}}});
  EXPECT_EQ(none.restriction.shares[1], none.restriction.shares[2]);
  EXPECT_GT(none.restriction.shares[1], 0.0);
  const Restricted one(estimate, cells, {{"n", ConditionRelation::kIn, {"12", "26"}}});
  EXPECT_EQ(one.restriction.shares[1], 0.0);
  EXPECT_GT(one.restriction.shares[2], 0.0);
}

TEST(CellDecoder, CountsRareCategoriesOfOneCellByTheirShares) {
  const Column column = schema_of_categories({4}).columns()[0];
  const ColumnPartition cells = ColumnPartition::grouped(column, {0, 2, 3});
  ColumnCondition condition;
  condition.codes = {true, true, false, true};
  const auto shared = std::make_shared<const ColumnPartition>(cells);
  const ColumnEstimate estimate = estimate_of(column, {3, 90, 1, 0});
  const CellDecoder decoder(std::span(&estimate, 1), FinerForest(std::span(&shared, 1)),
                            ValueLinks(1));
  EXPECT_EQ(decoder.restrict(condition).shares, (std::vector<double>{1.0, 0.75}));
}

TEST(CellDecoder, PutsRecordsOfOneLeafOnItsRoundestValue) {
  // A balance with cents has more values than leaves: 0 shares its leaf with 0.01 to 0.28.
  const Column column = schema_of(R"({"name": "balance", "kind": "numeric", "bounds": [0, 300000],
                                      "decimals": 2})")
                            .columns()[0];
  const ColumnPartition cells = ColumnPartition::even_and_spikes(column, 16);
  ColumnEstimate estimate{
      std::make_shared<const ColumnPartition>(cells), std::vector<double>(cells.size(), 10.0), {}};
  estimate.values.emplace(cells, estimate.counts);
  const NumberCoding coding(column);
  for (const double number : decode(estimate, cells, std::vector<std::uint16_t>(50, 0)).numbers) {
    EXPECT_EQ(coding.decode(number), 0.0);
  }
  const auto last = static_cast<std::uint16_t>(cells.size() - 1);
  for (const double number :
       decode(estimate, cells, std::vector<std::uint16_t>(50, last)).numbers) {
    EXPECT_EQ(coding.decode(number), 300000.0);
  }
}

TEST(CellDecoder, OrdersValuesWithinCellsAsTheColumnsGoTogether) {
  // y = x in four cells of ten values each: without a link, values of a cell would be independent.
  const Schema schema = schema_of(R"({"name": "x", "kind": "integer", "bounds": [0, 39]},
                                     {"name": "y", "kind": "integer", "bounds": [0, 39]})");
  const std::vector<ColumnEstimate> columns = {
      estimate_of(schema.columns()[0], {100, 100, 100, 100}),
      estimate_of(schema.columns()[1], {100, 100, 100, 100})};
  const std::vector<std::shared_ptr<const ColumnPartition>> cells = {columns[0].cells,
                                                                     columns[1].cells};
  MarginalEstimate pair;
  pair.columns = {0, 1};
  pair.expected.assign(16, 25.0);
  pair.target.assign(16, 0.0);
  for (std::size_t cell = 0; cell < 4; ++cell) {
    pair.target[cell * 5] = 100.0;
  }
  pair.tau = 1e6;
  pair.cell_variance = 1.0;
  CodedRows rows(400, 2);
  for (std::size_t r = 0; r < rows.rows; ++r) {
    rows.codes[2 * r] = rows.codes[2 * r + 1] = static_cast<std::uint16_t>(r / 100);
  }
  const auto mean_distance = [&](const ValueLinks& links) {
    SeededRandom random(1);
    const EncodedBatch batch =
        CellDecoder(columns, FinerForest(cells), links).decode(rows, 0, 400, random);
    double sum = 0.0;
    for (std::size_t r = 0; r < 400; ++r) {
      sum += std::fabs(batch.columns[0].numbers[r] - batch.columns[1].numbers[r]) * 19.5 / 400.0;
    }
    return sum;
  };
  EXPECT_GT(mean_distance(ValueLinks(2)), 2.5);
  EXPECT_LT(mean_distance(link_values(columns, cells, std::span(&pair, 1))), 0.2);
}

}  // namespace cell_decoder_test
}  // namespace mehler
