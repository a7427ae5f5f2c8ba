#include "mehler/encoding/encoder.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mehler/table/calendar.h"
#include "tests/support/errors.h"
#include "tests/support/schema_of.h"
#include "tests/support/table_stream.h"

namespace mehler {
namespace encoder_test {

/// Encodes a table of one batch.
EncodedBatch encode(const Encoder& encoder, const Table& table) {
  RecordStream stream = part_of({table})();
  const EncoderBinding binding = encoder.bind(stream.schema());
  RecordBatch batch;
  EXPECT_TRUE(stream.next(batch));
  EncodedBatch encoded;
  encoder.encode(binding, stream.schema(), batch.value(), encoded);
  return encoded;
}

Table one_column(const char* name, ColumnKind kind, auto values, std::vector<bool> missing = {}) {
  Table table;
  table.columns.push_back({name, kind, std::move(values), std::move(missing)});
  return table;
}

TEST(CategoryIndex, FindsEveryLabelAndNothingElse) {
  std::vector<std::string> labels;
  for (int i = 0; i < 5000; ++i) {
    labels.push_back("a long shared prefix, then " + std::to_string(i));
  }
  labels.push_back("");
  const CategoryIndex index(labels);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    ASSERT_EQ(index.find(labels[i]), static_cast<std::int32_t>(i));
  }
  EXPECT_EQ(index.find("a long shared prefix, then 5000"), CategoryIndex::kUnknown);
  EXPECT_EQ(index.find("a long shared"), CategoryIndex::kUnknown);
}

TEST(Encoder, EncodesEveryKindAndDecodesTheSameTable) {
  const Schema schema = schema_of(
      R"({"name": "n", "kind": "numeric", "bounds": [0, 10], "decimals": 1, "missing": true},
         {"name": "i", "kind": "integer", "bounds": [0, 10]},
         {"name": "c", "kind": "categorical", "categories": ["x", "y"], "other": "rest", "missing": true},
         {"name": "o", "kind": "ordinal", "categories": ["low", "high"]},
         {"name": "b", "kind": "boolean"},
         {"name": "d", "kind": "date", "bounds": ["2020-01-01", "2020-12-31"]},
         {"name": "t", "kind": "datetime", "bounds": ["2020-01-01", "2020-12-31"]},
         {"name": "skip", "kind": "ignored"})");
  const std::int64_t day = *parse_date("2020-02-29");
  Table table;
  table.columns.push_back(
      {"n", ColumnKind::kNumeric, std::vector<double>{2.5, 0, 9.9}, {false, true, false}});
  table.columns.push_back({"i", ColumnKind::kInteger, std::vector<std::int64_t>{0, 5, 10}, {}});
  table.columns.push_back({"c",
                           ColumnKind::kCategorical,
                           std::vector<std::string>{"y", "rest", ""},
                           {false, false, true}});
  table.columns.push_back(
      {"o", ColumnKind::kOrdinal, std::vector<std::string>{"low", "high", "low"}, {}});
  table.columns.push_back({"b", ColumnKind::kBoolean, std::vector<std::int64_t>{1, 0, 1}, {}});
  table.columns.push_back(
      {"d", ColumnKind::kDate, std::vector<std::int64_t>{day, day + 1, day - 1}, {}});
  table.columns.push_back(
      {"t",
       ColumnKind::kDatetime,
       std::vector<std::int64_t>{day * kMicrosecondsPerDay, day * kMicrosecondsPerDay + 1000000,
                                 day * kMicrosecondsPerDay},
       {}});
  const Encoder encoder(schema);
  const EncodedBatch encoded = encode(encoder, table);
  ASSERT_EQ(encoded.columns.size(), 7u);
  EXPECT_EQ(encoded.columns[0].numbers[0], -0.5);
  EXPECT_TRUE(std::isnan(encoded.columns[0].numbers[1]));
  EXPECT_EQ(encoded.columns[2].codes, (WipedVector<std::int32_t>{1, 2, 3}));
  EXPECT_EQ(encoded.columns[4].codes, (WipedVector<std::int32_t>{1, 0, 1}));
  const Table decoded = encoder.decode(encoded);
  ASSERT_EQ(decoded.columns.size(), table.columns.size());
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    EXPECT_EQ(decoded.columns[i].name, table.columns[i].name);
    EXPECT_EQ(decoded.columns[i].kind, table.columns[i].kind);
    EXPECT_EQ(decoded.columns[i].is_missing, table.columns[i].is_missing);
    EXPECT_EQ(decoded.columns[i].values, table.columns[i].values) << table.columns[i].name;
  }
}

TEST(Encoder, ParsesDatesAndTimesFromText) {
  const Schema schema = schema_of(
      R"({"name": "d", "kind": "date", "bounds": ["2020-01-01", "2020-01-03"]},
         {"name": "t", "kind": "datetime", "bounds": ["2020-01-01", "2020-01-03"]})");
  Table table;
  table.columns.push_back({"d",
                           ColumnKind::kCategorical,
                           std::vector<std::string>{"2020-01-02", "2020-01-03 10:00:00"},
                           {}});
  table.columns.push_back({"t",
                           ColumnKind::kCategorical,
                           std::vector<std::string>{"2020-01-02", "2020-01-01T12:00:00"},
                           {}});
  const EncodedBatch encoded = encode(Encoder(schema), table);
  EXPECT_EQ(encoded.columns[0].numbers, (WipedVector<double>{0.0, 1.0}));
  EXPECT_EQ(encoded.columns[1].numbers, (WipedVector<double>{0.0, -0.5}));
}

TEST(Encoder, MatchesIntegerAndBooleanCategoriesAsText) {
  const Schema schema =
      schema_of(R"({"name": "c", "kind": "categorical", "categories": [10, -2]})");
  EXPECT_EQ(encode(Encoder(schema),
                   one_column("c", ColumnKind::kInteger, std::vector<std::int64_t>{-2, 10}))
                .columns[0]
                .codes,
            (WipedVector<std::int32_t>{1, 0}));
  const Schema flags =
      schema_of(R"({"name": "c", "kind": "categorical", "categories": ["true", "false"]})");
  EXPECT_EQ(
      encode(Encoder(flags), one_column("c", ColumnKind::kBoolean, std::vector<std::int64_t>{0, 1}))
          .columns[0]
          .codes,
      (WipedVector<std::int32_t>{1, 0}));
}

TEST(Encoder, TakesWholeNumbersOfAnyTypeForCategories) {
  const auto codes = [](const char* column, std::vector<double> values, StoredType type) {
    Table table = one_column("x", ColumnKind::kNumeric, std::move(values));
    table.columns[0].type = type;
    table.columns[0].decimal_digits = {9, 3};
    return encode(Encoder(schema_of(column)), table).columns[0].codes;
  };
  constexpr const char* kCodes =
      R"({"name": "x", "kind": "categorical", "categories": [10, -2], "missing": true})";
  constexpr const char* kFlags = R"({"name": "x", "kind": "boolean", "missing": true})";
  const WipedVector<std::int32_t> with_missing = {1, 2, 0};
  EXPECT_EQ(codes(kCodes, {-2, NAN, 10}, StoredType::kFloat64), with_missing);
  EXPECT_EQ(codes(kCodes, {-2, NAN, 10}, StoredType::kFloat32), with_missing);
  EXPECT_EQ(codes(kFlags, {1, NAN, 0}, StoredType::kFloat64), with_missing);
  EXPECT_EQ(codes(kCodes, {-2, 10, 10}, StoredType::kDecimal),
            (WipedVector<std::int32_t>{1, 0, 0}));
}

/// Every refusal names the column, and none quotes the value 77.
void expect_value_refused(const std::string& column, const Table& table,
                          std::initializer_list<const char*> words) {
  const Encoder encoder(schema_of(column));
  const std::string message = message_of(ErrorCode::kInvalidTable, [&] { encode(encoder, table); });
  expect_mentions(message, {"'x'"});
  expect_mentions(message, words);
  EXPECT_EQ(message.find("77"), std::string::npos) << message;
}

TEST(Encoder, RefusesMissingValuesWhereNoneMayBe) {
  expect_value_refused(R"({"name": "x", "kind": "integer", "bounds": [0, 9]})",
                       one_column("x", ColumnKind::kInteger, std::vector<std::int64_t>{77}, {true}),
                       {"missing"});
  expect_value_refused(
      R"({"name": "x", "kind": "categorical", "categories": ["a"]})",
      one_column("x", ColumnKind::kCategorical, std::vector<std::string>{"77"}, {true}),
      {"missing"});
}

TEST(Encoder, RefusesInfinity) {
  for (const double value : {INFINITY, -INFINITY}) {
    expect_value_refused(R"({"name": "x", "kind": "numeric", "bounds": [0, 9], "missing": true})",
                         one_column("x", ColumnKind::kNumeric, std::vector<double>{value}),
                         {"infinity"});
  }
}

TEST(Encoder, TakesNaNForAMissingValue) {
  const Table table = one_column("x", ColumnKind::kNumeric, std::vector<double>{3.0, NAN, NAN},
                                 {false, true, false});
  const Encoder encoder(
      schema_of(R"({"name": "x", "kind": "numeric", "bounds": [0, 9], "missing": true})"));
  const auto numbers = encode(encoder, table).columns[0].numbers;
  EXPECT_FALSE(std::isnan(numbers[0]));
  EXPECT_TRUE(std::isnan(numbers[1]) && std::isnan(numbers[2]));
  expect_value_refused(R"({"name": "x", "kind": "numeric", "bounds": [0, 9]})",
                       one_column("x", ColumnKind::kNumeric, std::vector<double>{NAN}),
                       {"NaN", "counts as a missing value", "\"missing\": true"});
}

TEST(Encoder, RefusesFractionsInIntegers) {
  expect_value_refused(R"({"name": "x", "kind": "integer", "bounds": [0, 100]})",
                       one_column("x", ColumnKind::kNumeric, std::vector<double>{77.5}),
                       {"fraction", "numeric"});
}

TEST(Encoder, RefusesNumbersThatAreNotWholeForCategoriesEvenBesideAnOther) {
  constexpr const char* kCategories[] = {
      R"({"name": "x", "kind": "categorical", "categories": [1, 77]})",
      R"({"name": "x", "kind": "ordinal", "categories": [1, 2], "other": "rest"})",
      R"({"name": "x", "kind": "boolean"})"};
  for (const char* column : kCategories) {
    for (const double value : {77.5, 1e-300, 0x1p53, 1.77e300, double{INFINITY}}) {
      expect_value_refused(column, one_column("x", ColumnKind::kNumeric, std::vector{value}),
                           {"not whole", "make them text"});
    }
    expect_value_refused(column, one_column("x", ColumnKind::kNumeric, std::vector<double>{NAN}),
                         {"NaN"});
  }
  expect_value_refused(R"({"name": "x", "kind": "categorical", "categories": [1]})",
                       one_column("x", ColumnKind::kNumeric, std::vector<double>{77}),
                       {"not among its categories"});
}

TEST(Encoder, RefusesUnknownCategoriesAndBooleans) {
  expect_value_refused(R"({"name": "x", "kind": "categorical", "categories": ["a"]})",
                       one_column("x", ColumnKind::kCategorical, std::vector<std::string>{"77"}),
                       {"other"});
  expect_value_refused(R"({"name": "x", "kind": "boolean"})",
                       one_column("x", ColumnKind::kInteger, std::vector<std::int64_t>{77}),
                       {"boolean"});
}

TEST(Encoder, RefusesTextThatIsNoDate) {
  expect_value_refused(
      R"({"name": "x", "kind": "date", "bounds": ["2020-01-01", "2021-01-01"]})",
      one_column("x", ColumnKind::kCategorical, std::vector<std::string>{"77.1.2020"}),
      {"YYYY-MM-DD"});
}

TEST(Encoder, RefusesOrClampsWhatIsOutOfRange) {
  const Table table = one_column("x", ColumnKind::kInteger, std::vector<std::int64_t>{77});
  expect_value_refused(
      R"({"name": "x", "kind": "integer", "bounds": [0, 9], "out_of_range": "refuse"})", table,
      {"bounds"});
  EXPECT_EQ(
      encode(Encoder(schema_of(R"({"name": "x", "kind": "integer", "bounds": [0, 9]})")), table)
          .columns[0]
          .numbers[0],
      1.0);
}

TEST(Encoder, ClampsRefusesAndKeepsMissingOnATransformedScale) {
  const Table table = one_column("x", ColumnKind::kNumeric, std::vector<double>{0.0, 70.0, 0.0},
                                 {true, false, false});
  const Encoder encoder(schema_of(
      R"({"name": "x", "kind": "integer", "bounds": [0, 63], "missing": true, "transform": "log"})"));
  const EncodedBatch encoded = encode(encoder, table);
  EXPECT_TRUE(std::isnan(encoded.columns[0].numbers[0]));
  EXPECT_EQ(encoded.columns[0].numbers[1], 1.0);
  EXPECT_EQ(encoded.columns[0].numbers[2], -1.0);
  const Table back = encoder.decode(encoded);
  EXPECT_EQ(back.columns[0].is_missing, (std::vector<bool>{true, false, false}));
  EXPECT_EQ(std::get<std::vector<std::int64_t>>(back.columns[0].values)[1], 63);
  expect_value_refused(
      R"({"name": "x", "kind": "integer", "bounds": [0, 9], "transform": "log", "out_of_range": "refuse"})",
      one_column("x", ColumnKind::kInteger, std::vector<std::int64_t>{77}), {"bounds"});
}

TEST(Encoder, RefusesTypesThatDoNotFitTheKind) {
  expect_value_refused(R"({"name": "x", "kind": "numeric", "bounds": [0, 9]})",
                       one_column("x", ColumnKind::kCategorical, std::vector<std::string>{"77"}),
                       {"text"});
  expect_value_refused(R"({"name": "x", "kind": "categorical", "categories": ["a"]})",
                       one_column("x", ColumnKind::kNumeric, std::vector<double>{77}),
                       {"floating"});
}

TEST(Encoder, RefusesColumnsThatAreAbsentOrUnknown) {
  const Encoder encoder(schema_of(R"({"name": "x", "kind": "boolean"})"));
  const Table table = one_column("xx", ColumnKind::kBoolean, std::vector<std::int64_t>{1});
  expect_mentions(message_of(ErrorCode::kInvalidTable, [&] { encode(encoder, table); }),
                  {"'xx'", "ignored"});
  const Encoder two(
      schema_of(R"({"name": "xx", "kind": "boolean"}, {"name": "y", "kind": "boolean"})"));
  expect_mentions(message_of(ErrorCode::kInvalidTable, [&] { encode(two, table); }), {"'y'"});
}

TEST(Encoder, ColumnsThatAreNotListedCanBeIgnored) {
  Schema schema = schema_of(R"({"name": "x", "kind": "boolean"})");
  Table table = one_column("other", ColumnKind::kInteger, std::vector<std::int64_t>{7});
  table.columns.push_back({"more", ColumnKind::kInteger, std::vector<std::int64_t>{7}, {}});
  table.columns.push_back({"x", ColumnKind::kBoolean, std::vector<std::int64_t>{1}, {}});
  expect_mentions(message_of(ErrorCode::kInvalidTable, [&] { encode(Encoder(schema), table); }),
                  {"'other', 'more'", "\"others\": \"ignored\""});
  schema.set_ignores_others(true);
  EXPECT_EQ(encode(Encoder(schema), table).columns[0].codes[0], 1);
}

TEST(Encoder, NamesEveryColumnWhoseTypeDoesNotFit) {
  const Encoder encoder(schema_of(
      R"({"name": "a", "kind": "numeric", "bounds": [0, 1]}, {"name": "b", "kind": "integer", "bounds": [0, 1]},
         {"name": "c", "kind": "date", "bounds": ["2020-01-01", "2020-01-02"]}, {"name": "d", "kind": "boolean"})"));
  Table table = one_column("a", ColumnKind::kCategorical, std::vector<std::string>{"t"});
  table.columns.push_back({"b", ColumnKind::kCategorical, std::vector<std::string>{"t"}, {}});
  table.columns.push_back({"c", ColumnKind::kInteger, std::vector<std::int64_t>{7}, {}});
  expect_mentions(message_of(ErrorCode::kInvalidTable, [&] { encode(encoder, table); }),
                  {"column 'a' is declared numeric", "column 'b' is declared integer",
                   "column 'c' is declared date", "no column 'd'"});
}

TEST(Encoder, ReadsTimesOfDayAndDurationsInSeconds) {
  const Encoder encoder(schema_of(
      R"({"name": "at", "kind": "numeric", "bounds": [0, 86399.999], "decimals": 3, "type": "time[ms]"},
         {"name": "took", "kind": "integer", "bounds": [-10, 10], "type": "duration[ns]", "missing": true})"));
  Table table = one_column("at", ColumnKind::kNumeric, std::vector<double>{0.001, 86399.999});
  table.columns[0].type = StoredType::kTimeMilliseconds;
  table.columns.push_back(
      {"took", ColumnKind::kInteger, std::vector<std::int64_t>{-3, 0}, {false, true}});
  table.columns[1].type = StoredType::kDurationNanoseconds;
  const Table back = encoder.decode(encode(encoder, table));
  EXPECT_EQ(back.columns[0].values, table.columns[0].values);
  EXPECT_EQ(back.columns[0].type, StoredType::kTimeMilliseconds);
  EXPECT_EQ(std::get<std::vector<std::int64_t>>(back.columns[1].values)[0], -3);
  EXPECT_TRUE(back.columns[1].is_missing[1]);
}

TEST(Encoder, RefusesAnUndeclaredSchema) {
  message_of(ErrorCode::kInvalidSchema,
             [] { Encoder encoder(schema_of(R"({"name": "x", "kind": "numeric"})")); });
}

}  // namespace encoder_test
}  // namespace mehler
