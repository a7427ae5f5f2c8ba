#include "mehler/encoding/record_rules.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mehler/core/seeded_random.h"
#include "mehler/encoding/encoder.h"
#include "mehler/encoding/never_rules.h"
#include "mehler/encoding/shares_of_total.h"
#include "mehler/encoding/table_columns.h"
#include "mehler/table/calendar.h"
#include "tests/support/errors.h"
#include "tests/support/even_batch.h"
#include "tests/support/schema_of.h"
#include "tests/support/table_stream.h"

namespace mehler {
namespace record_rules_test {

EncodedBatch encoded(const Encoder& encoder, const Table& table) {
  RecordStream stream = part_of({table})();
  const EncoderBinding binding = encoder.bind(stream.schema());
  RecordBatch batch;
  EXPECT_TRUE(stream.next(batch));
  EncodedBatch result;
  encoder.encode(binding, stream.schema(), batch.value(), result);
  return result;
}

TableColumn whole(const char* name, std::vector<std::int64_t> values,
                  ColumnKind kind = ColumnKind::kInteger, std::vector<bool> missing = {}) {
  return {name, kind, std::move(values), std::move(missing)};
}

const std::vector<std::int64_t>& wholes(const Table& table, std::size_t column) {
  return std::get<std::vector<std::int64_t>>(table.columns[column].values);
}

const char* const kTrip =
    R"({"name": "pickup", "kind": "datetime", "bounds": ["2020-01-01", "2020-12-31T23:59:59"]},
       {"name": "dropoff", "kind": "datetime", "after": {"column": "pickup", "bounds": [0, 10800]}})";

TEST(RecordRules, ComeBackAsTheyWereWhereTheyHold) {
  const Encoder encoder(schema_of(kTrip));
  const std::int64_t start = *parse_datetime("2020-03-04T05:06:07");
  Table table;
  table.columns.push_back(whole("pickup", {start, start + 1'000'000}, ColumnKind::kDatetime));
  table.columns.push_back(
      whole("dropoff", {start + 600'000'000, start + 1'000'000}, ColumnKind::kDatetime));
  const EncodedBatch batch = encoded(encoder, table);
  ASSERT_EQ(encoder.columns()[1].name, "dropoff - pickup");
  EXPECT_DOUBLE_EQ(batch.columns[1].numbers[0], 2.0 * 600 / 10800 - 1);
  const Table back = encoder.decode(batch);
  EXPECT_EQ(wholes(back, 0), wholes(table, 0));
  EXPECT_EQ(wholes(back, 1), wholes(table, 1));
}

TEST(RecordRules, ClampADifferenceOutOfItsBoundsOrRefuseIt) {
  const std::int64_t start = *parse_datetime("2020-03-04T05:06:07");
  Table table;
  table.columns.push_back(whole("pickup", {start, start}, ColumnKind::kDatetime));
  table.columns.push_back(
      whole("dropoff", {start - 5'000'000, start + 20'000'000'000}, ColumnKind::kDatetime));
  const Encoder encoder(schema_of(kTrip));
  const Table back = encoder.decode(encoded(encoder, table));
  EXPECT_EQ(wholes(back, 1), (std::vector<std::int64_t>{start, start + 10'800'000'000}));

  std::string refusing = kTrip;
  refusing.insert(refusing.size() - 1, R"(, "out_of_range": "refuse")");
  expect_mentions(
      message_of(ErrorCode::kInvalidTable, [&] { encoded(Encoder(schema_of(refusing)), table); }),
      {"'dropoff - pickup'", "outside its bounds"});
}

TEST(RecordRules, NameTheTablesColumnWhereItCannotBeRead) {
  Table table;
  table.columns.push_back(
      {"pickup", ColumnKind::kCategorical, std::vector<std::string>{"2020-01-01"}, {}});
  table.columns.push_back(
      {"dropoff", ColumnKind::kCategorical, std::vector<std::string>{"noon"}, {}});
  expect_mentions(
      message_of(ErrorCode::kInvalidTable, [&] { encoded(Encoder(schema_of(kTrip)), table); }),
      {"column 'dropoff' is declared datetime"});
}

TEST(RecordRules, AValueIsMissingWithoutTheOneItIsMeasuredFrom) {
  const Encoder encoder(schema_of(
      R"({"name": "a", "kind": "integer", "bounds": [0, 10], "missing": true},
         {"name": "b", "kind": "integer", "missing": true,
          "at_least": {"column": "a", "bounds": [0, 5]}})"));
  Table table;
  table.columns.push_back(whole("a", {3, 0, 4}, ColumnKind::kInteger, {false, true, false}));
  table.columns.push_back(whole("b", {5, 5, 0}, ColumnKind::kInteger, {false, false, true}));
  const Table back = encoder.decode(encoded(encoder, table));
  EXPECT_EQ(back.columns[1].is_missing, (std::vector<bool>{false, true, true}));
  EXPECT_EQ(wholes(back, 1)[0], 5);
}

/// Seeded, with a tenth of the numbers missing that may be.
EncodedBatch seeded_batch(const Encoder& encoder, std::size_t rows, std::uint64_t seed) {
  SeededRandom random(seed);
  return even_batch(encoder, rows, random, 0.1);
}

TEST(RecordRules, ChainsStayInOrderAndWithinTheirOwnBounds) {
  const Schema schema = schema_of(
      R"({"name": "c", "kind": "date", "at_least": {"column": "b", "bounds": [0, 400]},
          "bounds": ["2020-01-02", "2020-12-31"]},
         {"name": "b", "kind": "date", "at_least": {"column": "a", "bounds": [1, 30]}},
         {"name": "a", "kind": "date", "bounds": ["2020-01-01", "2020-11-30"]})");
  const Encoder encoder(schema);
  const Table table = encoder.decode(seeded_batch(encoder, 2000, 1));
  const std::int64_t last = *parse_date("2020-12-31");
  for (std::size_t row = 0; row < 2000; ++row) {
    const std::int64_t more = wholes(table, 1)[row] - wholes(table, 2)[row];
    ASSERT_TRUE(more >= 1 && more <= 30);
    ASSERT_GE(wholes(table, 0)[row], wholes(table, 1)[row]);
    ASSERT_LE(wholes(table, 0)[row], last);
  }
}

TEST(RecordRules, ComputeColumnsThatTheTableNeedNotHave) {
  const Encoder encoder(schema_of(
      R"({"name": "sum", "kind": "numeric", "decimals": 2, "derived": "fare + tip"},
         {"name": "fare", "kind": "numeric", "bounds": [0, 100], "decimals": 2},
         {"name": "tip", "kind": "numeric", "bounds": [0, 100], "decimals": 2},
         {"name": "share", "kind": "numeric", "derived": "tip / fare", "missing": true},
         {"name": "rich", "kind": "boolean", "derived": "max(0, fare - 50) * 1"},
         {"name": "tens", "kind": "ordinal", "categories": ["0", "1", "2"], "other": "many",
          "derived": "fare / 10 - 0.5"},
         {"name": "half", "kind": "integer", "bounds": [0, 30], "derived": "fare / 2"})"));
  Table table;
  table.columns.push_back({"fare", ColumnKind::kNumeric, std::vector<double>{10.1, 0, 70.3}, {}});
  table.columns.push_back({"tip", ColumnKind::kNumeric, std::vector<double>{0.2, 3, 0.7}, {}});
  const Table back = encoder.decode(encoded(encoder, table));
  ASSERT_EQ(back.columns.size(), 7U);
  EXPECT_EQ(std::get<std::vector<double>>(back.columns[0].values),
            (std::vector<double>{10.3, 3, 71}));
  EXPECT_EQ(back.columns[3].is_missing, (std::vector<bool>{false, true, false}));
  EXPECT_EQ(wholes(back, 4), (std::vector<std::int64_t>{0, 0, 1}));
  EXPECT_EQ(std::get<std::vector<std::string>>(back.columns[5].values),
            (std::vector<std::string>{"1", "many", "many"}));
  EXPECT_EQ(wholes(back, 6), (std::vector<std::int64_t>{5, 0, 30}));  // held to its bounds
}

TEST(RecordRules, LookUpWhatAnotherColumnDetermines) {
  const Encoder encoder(schema_of(
      R"({"name": "class", "kind": "integer", "bounds": [1, 3], "missing": true},
         {"name": "name", "kind": "categorical", "missing": true,
          "determined_by": {"column": "class", "map": {"1": "First", "2": "Second", "3": null}}},
         {"name": "fee", "kind": "numeric", "missing": true,
          "determined_by": {"column": "name", "map": {"First": 9.5, "Second": 2}}})"));
  Table table;
  table.columns.push_back(
      whole("class", {1, 2, 3, 1}, ColumnKind::kInteger, {false, false, false, true}));
  const Table back = encoder.decode(encoded(encoder, table));
  EXPECT_EQ(back.columns[1].is_missing, (std::vector<bool>{false, false, true, true}));
  EXPECT_EQ(std::get<std::vector<std::string>>(back.columns[1].values)[1], "Second");
  EXPECT_EQ(std::get<std::vector<double>>(back.columns[2].values)[0], 9.5);
}

TEST(RecordRules, ADatetimeWithItsHourIsADayAndATimeOfDay) {
  const Encoder encoder(schema_of(
      R"({"name": "t", "kind": "datetime", "bounds": ["2020-01-01T06:00:00", "2020-01-03T12:00:00"],
          "parts": ["hour", "minute", "weekday", "month", "day", "year"]})"));
  ASSERT_EQ(encoder.columns().size(), 2U);
  Table table;
  table.columns.push_back(
      whole("t",
            {*parse_datetime("2020-01-02T23:45:59"), *parse_datetime("2020-01-01T06:00:00"),
             *parse_datetime("2020-01-03T12:00:00")},
            ColumnKind::kDatetime));
  const Table back = encoder.decode(encoded(encoder, table));
  EXPECT_EQ(wholes(back, 0), wholes(table, 0));
  const char* names[] = {"t", "t_hour", "t_minute", "t_weekday", "t_month", "t_day", "t_year"};
  const std::int64_t values[] = {wholes(table, 0)[0], 23, 45, 4, 1, 2, 2020};
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(back.columns[i].name, names[i]);
    EXPECT_EQ(wholes(back, i)[0], values[i]) << names[i];
  }
  const Table drawn = encoder.decode(seeded_batch(encoder, 1000, 2));
  for (const std::int64_t value : wholes(drawn, 0)) {
    ASSERT_TRUE(value >= wholes(table, 0)[1] && value <= wholes(table, 0)[2]);
  }
}

TEST(RecordRules, FixedTotalsAreMetExactly) {
  const Schema schema = Schema::from_json(
      R"({"mehler_schema": 1, "sums": [{"parts": ["a", "b", "c"], "total": 100}], "columns": [
          {"name": "a", "kind": "numeric", "bounds": [0, 100], "decimals": 1},
          {"name": "b", "kind": "numeric", "bounds": [5, 60], "decimals": 1},
          {"name": "c", "kind": "numeric", "bounds": [0, 20], "decimals": 1}]})");
  const Encoder encoder(schema);
  EncodedBatch batch = seeded_batch(encoder, 2000, 3);
  const Table table = encoder.decode_and_settle(batch);
  const Table again = encoder.decode(batch);  // what was settled stays
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_EQ(again.columns[c].values, table.columns[c].values);
    EXPECT_EQ(batch.columns[c].numbers[7],
              NumberCoding(schema.columns()[c])
                  .encode(std::get<std::vector<double>>(table.columns[c].values)[7]));
  }
  for (std::size_t row = 0; row < 2000; ++row) {
    std::int64_t tenths = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      const double value = std::get<std::vector<double>>(table.columns[c].values)[row];
      const Interval& bounds = *schema.columns()[c].bounds;
      ASSERT_TRUE(value >= bounds.low && value <= bounds.high);
      ASSERT_EQ(std::round(value * 10) / 10, value);
      tenths += std::llround(value * 10);
    }
    ASSERT_EQ(tenths, 1000);
  }
}

TEST(SharesOfTotal, KeepProportionsWhereBoundsAllow) {
  Column column;
  column.kind = ColumnKind::kInteger;
  column.bounds = Interval{0, 100};
  column.step = 1.0;
  const SharesOfTotal shares({column, column, column}, 100);
  std::vector<double> values = {1, 1, 1};
  shares.apply(values);
  EXPECT_EQ(values, (std::vector<double>{34, 33, 33}));
  values = {0, 0, 0};
  shares.apply(values);
  EXPECT_EQ(values, (std::vector<double>{34, 33, 33}));
  values = {10, 30, 10};
  shares.apply(values);
  EXPECT_EQ(values, (std::vector<double>{20, 60, 20}));
}

TEST(NeverRules, FindRowsWithTheWholeCombination) {
  const Schema schema = Schema::from_json(
      R"({"mehler_schema": 1, "never": [{"month": 2, "day": [30, 31]}, {"age": {"below": 16},
          "married": [true, null]}, {"when": {"from": "2020-02-01", "to": "2020-02-02"}}],
          "columns": [{"name": "month", "kind": "integer", "bounds": [1, 12]},
          {"name": "day", "kind": "integer", "bounds": [1, 31]},
          {"name": "age", "kind": "numeric", "bounds": [0, 99], "step": 0.5},
          {"name": "married", "kind": "boolean", "missing": true},
          {"name": "when", "kind": "date", "bounds": ["2020-01-01", "2020-12-31"]}]})");
  const std::int64_t day = *parse_date("2020-01-31");
  Table table;
  table.columns.push_back(whole("month", {2, 2, 3, 3, 3, 3}));
  table.columns.push_back(whole("day", {30, 29, 31, 1, 1, 1}));
  table.columns.push_back(
      {"age", ColumnKind::kNumeric, std::vector<double>{20, 16, 20, 15.5, 15.5, 20}, {}});
  table.columns.push_back(whole("married", {0, 1, 0, 1, 0, 0}, ColumnKind::kBoolean,
                                {false, false, false, false, true, false}));
  table.columns.push_back(whole("when", {day, day, day, day, day, day + 2}, ColumnKind::kDate));
  const NeverRules rules(schema);
  EXPECT_EQ(rules.broken(table), (std::vector<bool>{true, false, false, true, true, true}));
  std::vector<bool> found;
  rules.find_broken(rows_of(table, {0, 1, 2}), found);
  EXPECT_EQ(found, (std::vector<bool>{true, false, false}));
}

}  // namespace record_rules_test
}  // namespace mehler
