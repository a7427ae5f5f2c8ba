#include "mehler/evaluation/tables/coded_table.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mehler/demo/people.h"
#include "tests/support/errors.h"
#include "tests/support/table_stream.h"

namespace mehler {
namespace coded_table_test {

const Schema& schema() {
  static const Schema result = Schema::from_json(R"({"mehler_schema": 1, "columns": [
      {"name": "x", "kind": "numeric", "bounds": [0, 10], "missing": true},
      {"name": "n", "kind": "integer", "bounds": [1, 5]},
      {"name": "c", "kind": "categorical", "categories": ["a", "b"]},
      {"name": "o", "kind": "categorical", "categories": ["a", "b"], "other": "rest",
       "missing": true},
      {"name": "d", "kind": "date", "bounds": ["2020-01-01", "2020-12-31"]}]})");
  return result;
}

Table table_of(std::vector<double> x, std::vector<double> n, std::vector<std::string> c,
               std::vector<std::string> o, std::vector<std::string> d) {
  Table table;
  table.columns.push_back({"x", ColumnKind::kNumeric, std::move(x), {}});
  table.columns.push_back({"n", ColumnKind::kNumeric, std::move(n), {}});
  table.columns.push_back({"c", ColumnKind::kCategorical, std::move(c), {}});
  table.columns.push_back({"o", ColumnKind::kCategorical, std::move(o), {}});
  table.columns.push_back({"d", ColumnKind::kCategorical, std::move(d), {}});
  return table;
}

TEST(ColumnBins, AreEqualWidthOverTheBounds) {
  const ColumnBins bins(*schema().find("x"), 4);
  EXPECT_EQ(bins.bins(), 4U);
  EXPECT_EQ(bins.bin_of(0.0), 0);
  EXPECT_EQ(bins.bin_of(2.49), 0);
  EXPECT_EQ(bins.bin_of(2.5), 1);
  EXPECT_EQ(bins.bin_of(10.0), 3);
  EXPECT_EQ(bins.bin_of(-7.0), 0);
  EXPECT_EQ(bins.bin_of(1e300), 3);
  EXPECT_EQ(bins.missing_code(), 4);
  EXPECT_EQ(bins.unknown_code(), 5);
}

TEST(ColumnBins, AreOneAValueWhereThereAreFewValues) {
  const ColumnBins exact(*schema().find("n"), 5);
  EXPECT_EQ(exact.bins(), 5U);
  EXPECT_EQ(exact.bin_of(1.0), 0);
  EXPECT_EQ(exact.bin_of(5.0), 4);
  const ColumnBins coarse(*schema().find("n"), 4);
  EXPECT_EQ(coarse.bins(), 4U);
  EXPECT_EQ(coarse.bin_of(5.0), 3);
}

TEST(ColumnBins, AreEqualWidthOnTheScaleOfTheTransform) {
  Column column;
  column.name = "x";
  column.bounds = Interval{0.0, 9999.0};
  column.transform = NumberTransform::kLog;
  const ColumnBins bins(column, 4);
  EXPECT_EQ(bins.bins(), 4U);
  EXPECT_EQ(bins.bin_of(0.0), 0);
  EXPECT_EQ(bins.bin_of(8.9), 0);
  EXPECT_EQ(bins.bin_of(9.1), 1);
  EXPECT_EQ(bins.bin_of(98.9), 1);
  EXPECT_EQ(bins.bin_of(999.1), 3);
  EXPECT_EQ(bins.bin_of(-7.0), 0);
  EXPECT_EQ(bins.bin_of(1e300), 3);
  column.step = 3333.0;  // four values: each has its bin, whatever the scale
  const ColumnBins exact(column, 4);
  EXPECT_EQ(exact.bins(), 4U);
  EXPECT_EQ(exact.bin_of(3333.0), 1);
  EXPECT_EQ(exact.bin_of(6666.0), 2);
}

TEST(ColumnBins, RefuseNumbersOutOfRange) {
  for (const std::size_t bins : {std::size_t{0}, std::size_t{1}, ColumnBins::kMaxBins + 1}) {
    expect_mentions(
        message_of(ErrorCode::kInvalidArgument, [&] { ColumnBins(*schema().find("x"), bins); }),
        {"number of bins", "[2, 10000]"});
  }
  Column many;
  many.name = "zip";
  many.kind = ColumnKind::kCategorical;
  many.categories.emplace();
  for (int i = 0; i < 70'000; ++i) {
    many.categories->push_back(std::to_string(i));
  }
  expect_mentions(message_of(ErrorCode::kInvalidArgument, [&] { ColumnBins(many, 20); }),
                  {"'zip'", "70000", "65534"});
}

TEST(CodedTable, HoldsCodesAndCountsWhatTheSchemaDoesNotAllow) {
  const Encoder encoder(schema());
  const auto bins = column_bins(encoder, 10);
  Table raw = table_of({0.5, 11.0, NAN, 9.99, 3.0}, {1.0, 2.0, 2.5, 9.0, 5.0},
                       {"a", "b", "z", "a", "a"}, {"a", "z", "b", "b", "rest"},
                       {"2020-01-01", "2021-01-01", "soon", "2020-12-31", "2020-07-01"});
  raw.columns[0].is_missing = {false, false, false, false, true};
  raw.columns[2].is_missing = {false, false, false, true, false};
  raw.columns[3].is_missing = {false, false, true, false, false};
  const CodedTable coded = read_coded_table(encoder, bins, raw);
  ASSERT_EQ(coded.rows, 5U);
  using Codes = std::vector<std::uint16_t>;
  EXPECT_EQ(coded.columns[0].codes, (Codes{0, 9, 10, 9, 10}));
  EXPECT_EQ(coded.columns[0].invalid, 1U);  // out of bounds
  EXPECT_EQ(coded.columns[0].missing, 2U);  // NaN too
  EXPECT_EQ(coded.columns[0].numbers[1], 11.0);
  EXPECT_TRUE(std::isnan(coded.columns[0].numbers[4]));
  EXPECT_EQ(coded.columns[1].codes, (Codes{0, 1, 2, 4, 4}));
  EXPECT_EQ(coded.columns[1].invalid, 2U);  // a fraction, out of bounds
  EXPECT_EQ(coded.columns[2].codes, (Codes{0, 1, 3, 2, 0}));
  EXPECT_EQ(coded.columns[2].invalid, 2U);  // an unknown category, missing where nothing may be
  EXPECT_EQ(coded.columns[2].missing, 1U);
  EXPECT_EQ(coded.columns[3].codes, (Codes{0, 2, 3, 1, 2}));  // unknown is 'rest' here
  EXPECT_EQ(coded.columns[3].invalid, 0U);
  EXPECT_EQ(coded.columns[4].codes[0], 0);
  EXPECT_EQ(coded.columns[4].codes[1], 9);
  EXPECT_EQ(coded.columns[4].codes[2], 11);
  EXPECT_EQ(coded.columns[4].invalid, 2U);  // out of bounds, no date
}

TEST(CodedTable, IsTheSameInAnyBatches) {
  const Encoder encoder(people_schema());
  const auto bins = column_bins(encoder);
  const Table people = simulate_people(300, 1);
  std::vector<std::size_t> first(100);
  std::vector<std::size_t> rest(200);
  for (std::size_t i = 0; i < 300; ++i) {
    (i < 100 ? first[i] : rest[i - 100]) = i;
  }
  const CodedTable whole = read_coded_table(encoder, bins, people);
  const CodedTable parts = read_coded_table(
      encoder, bins, {part_of({rows_of(people, first)}), part_of({rows_of(people, rest)})},
      Context{});
  ASSERT_EQ(parts.rows, 300U);
  for (std::size_t i = 0; i < whole.columns.size(); ++i) {
    EXPECT_EQ(whole.columns[i].codes, parts.columns[i].codes);
    EXPECT_EQ(whole.columns[i].missing, parts.columns[i].missing);
    EXPECT_EQ(whole.columns[i].invalid, 0U);
  }
}

TEST(CodedTable, RefusesOtherColumnsOtherTypesAndNoRecords) {
  const Encoder encoder(schema());
  const auto bins = column_bins(encoder);
  const Table good = table_of({1.0}, {1.0}, {"a"}, {"a"}, {"2020-01-01"});
  Table absent = good;
  absent.columns.pop_back();
  expect_mentions(
      message_of(ErrorCode::kInvalidTable, [&] { read_coded_table(encoder, bins, absent); }),
      {"no column 'd'"});
  Table further = good;
  further.columns.push_back({"e", ColumnKind::kNumeric, std::vector<double>{1.0}, {}});
  expect_mentions(
      message_of(ErrorCode::kInvalidTable, [&] { read_coded_table(encoder, bins, further); }),
      {"'e'", "does not describe"});
  Table other = good;
  other.columns[0] = {"x", ColumnKind::kCategorical, std::vector<std::string>{"a"}, {}};
  expect_mentions(
      message_of(ErrorCode::kInvalidTable, [&] { read_coded_table(encoder, bins, other); }),
      {"'x'", "numeric", "text"});
  expect_mentions(
      message_of(ErrorCode::kInvalidTable,
                 [&] { read_coded_table(encoder, bins, table_of({}, {}, {}, {}, {})); }),
      {"no rows"});
}

}  // namespace coded_table_test
}  // namespace mehler
