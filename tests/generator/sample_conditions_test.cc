#include "mehler/generator/sample_conditions.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/errors.h"
#include "tests/support/schema_of.h"

namespace mehler {
namespace {

const Encoder& encoder() {
  static const Encoder result(schema_of(R"(
      {"name": "id", "kind": "identifier"},
      {"name": "age", "kind": "integer", "bounds": [17, 90]},
      {"name": "dose", "kind": "numeric", "bounds": [0, 1], "step": 0.1, "missing": true},
      {"name": "weight", "kind": "numeric", "bounds": [0, 250], "decimals": 1},
      {"name": "income", "kind": "integer", "bounds": [0, 1000000], "transform": "log"},
      {"name": "ratio", "kind": "numeric", "bounds": [-1, 1]},
      {"name": "born", "kind": "date", "bounds": ["2000-01-01", "2020-12-31"]},
      {"name": "seen", "kind": "datetime", "bounds": ["2020-01-01", "2020-12-31"], "step": 60},
      {"name": "region", "kind": "categorical", "categories": ["west", "east"], "missing": true},
      {"name": "alive", "kind": "boolean"})"));
  return result;
}

std::vector<ColumnCondition> resolve(const std::vector<SampleCondition>& where,
                                     ConditionedColumns allowed = ConditionedColumns::kAll) {
  return resolve_conditions(encoder(), where, allowed);
}

void expect_refused(const std::vector<SampleCondition>& where,
                    std::initializer_list<const char*> words,
                    ConditionedColumns allowed = ConditionedColumns::kAll) {
  expect_mentions(message_of(ErrorCode::kInvalidArgument, [&] { resolve(where, allowed); }), words);
}

/// The value, in the column's units, of the coordinate that a condition on a number gets.
double value_of(const std::string& column, const std::string& value) {
  const ColumnCondition found = resolve({{column, value}}).at(0);
  EXPECT_EQ(encoder().columns()[found.column].name, column);
  return NumberCoding(encoder().columns()[found.column]).decode(found.coordinate);
}

TEST(SampleConditions, FindCategoriesByTheirCode) {
  const auto found = resolve({{"alive", "true"}, {"region", "east"}});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(encoder().columns()[found[0].column].name, "alive");
  EXPECT_EQ(found[0].code, 1);
  EXPECT_EQ(found[1].code, 1);
  EXPECT_EQ(resolve({{"region", ""}})[0].code, 2);
}

TEST(SampleConditions, FindNumbersByTheirCoordinate) {
  EXPECT_EQ(resolve({{"age", "17"}})[0].coordinate, -1.0);
  EXPECT_EQ(value_of("age", "37"), 37.0);
  EXPECT_EQ(value_of("age", "90"), 90.0);
  EXPECT_EQ(value_of("dose", "0.3"), 3 * 0.1);
  EXPECT_EQ(value_of("weight", "72.5"), 72.5);
  EXPECT_EQ(value_of("weight", "72"), 72.0);
  EXPECT_EQ(value_of("income", "123457"), 123457.0);
  EXPECT_EQ(value_of("income", "1e6"), 1e6);
  EXPECT_EQ(value_of("ratio", "-0.25"), -0.25);
  EXPECT_EQ(value_of("born", "2010-02-28"), encoder().columns()[5].parse_value("2010-02-28"));
  EXPECT_EQ(value_of("seen", "2020-02-29T12:01:00"),
            encoder().columns()[6].parse_value("2020-02-29T12:01:00"));
  EXPECT_TRUE(std::isnan(resolve({{"dose", ""}})[0].coordinate));
}

TEST(SampleConditions, TheSameAskedTwiceIsOneCondition) {
  EXPECT_EQ(resolve({{"age", "37"}, {"age", "37.0"}}).size(), 1u);
  EXPECT_EQ(resolve({{"dose", ""}, {"dose", ""}}).size(), 1u);
  EXPECT_EQ(resolve({{"region", "west"}, {"alive", "true"}, {"region", "west"}}).size(), 2u);
}

TEST(SampleConditions, RefuseColumnsThatAreNotThere) {
  expect_refused({{"regio", "west"}}, {"'regio'", "did you mean 'region'?"});
  expect_refused({{"id", "7"}}, {"'id', which is of kind identifier", "not synthesised", "age"});
}

TEST(SampleConditions, RefuseNumbersWhereTheModelKnowsOnlyCategories) {
  const auto refused = [](const char* column, const char* value, const char* words) {
    expect_refused({{column, value}}, {words, "columns of categories: region, alive"},
                   ConditionedColumns::kCategories);
  };
  refused("age", "37", "'age', which is a column of numbers");
  refused("born", "2010-02-28", "'born', which is a column of dates");
  refused("seen", "2020-02-29", "'seen', which is a column of times");
}

TEST(SampleConditions, RefuseUnknownCategories) {
  expect_refused({{"region", "wst"}}, {"'wst'", "did you mean 'west'?"});
}

TEST(SampleConditions, RefuseTextsThatAreNoNumberDateOrTime) {
  for (const char* text : {"old", "37 ", "0x25", "nan", "inf", "1e999", "37,5"}) {
    expect_refused({{"age", text}}, {"'age' = '", text, "numbers", "one from 17 to 90"});
  }
  expect_refused({{"born", "2010-02-30"}}, {"dates", "one from 2000-01-01 to 2020-12-31"});
  expect_refused({{"seen", "noon"}}, {"times", "one from 2020-01-01T00:00:00"});
}

TEST(SampleConditions, RefuseValuesOutOfBounds) {
  expect_refused({{"age", "16"}}, {"'age' = 16", "bounds", "one from 17 to 90"});
  expect_refused({{"age", "91"}}, {"'age' = 91", "bounds", "one from 17 to 90"});
  expect_refused({{"born", "1999-12-31"}}, {"bounds", "2000-01-01"});
}

TEST(SampleConditions, RefuseValuesOffTheStep) {
  expect_refused({{"age", "36.9"}}, {"'age' = 36.9", "between two values", "nearest, 37"});
  expect_refused({{"dose", "0.26"}}, {"between two values"});
  expect_refused({{"weight", "72.55"}}, {"between two values"});
  expect_refused({{"seen", "2020-02-29T12:00:59"}}, {"nearest, 2020-02-29T12:01:00"});
}

TEST(SampleConditions, RefuseMissingWhereNothingMayBe) {
  expect_refused({{"age", ""}}, {"'age' is never missing", "one from 17 to 90"});
  expect_refused({{"alive", ""}}, {"'alive' is never missing", "categories: false, true"});
}

TEST(SampleConditions, RefuseTwoValuesOfOneColumn) {
  expect_refused({{"region", "west"}, {"region", "east"}}, {"'region'", "contradict"});
  expect_refused({{"age", "37"}, {"age", "38"}}, {"'age'", "contradict"});
  expect_refused({{"dose", ""}, {"dose", "0.3"}}, {"'dose'", "contradict"});
}

TEST(SampleConditions, KnowTheSpellingsOfABoolean) {
  for (const char* text : {"true", "True", "1"}) {
    EXPECT_EQ(resolve({{"alive", text}})[0].code, 1) << text;
  }
  EXPECT_EQ(resolve({{"alive", "0"}})[0].code, 0);
}

TEST(SampleConditions, TellAMissingValueFromAnEmptyText) {
  const Encoder texts(schema_of(R"(
      {"name": "a\tb", "kind": "categorical", "categories": ["", "c"], "missing": true},
      {"name": "never", "kind": "categorical", "categories": ["c", ""]})"));
  const auto code = [&](const std::string& column, const std::string& value) {
    return resolve_conditions(texts, {{column, value}}, ConditionedColumns::kAll)[0].code;
  };
  EXPECT_EQ(code("a\tb", ""), 2);  // after the labels: missing
  EXPECT_EQ(code("a\tb", "\"\""), 0);
  EXPECT_EQ(code("never", ""), 1);
}

TEST(SampleConditions, HoldWholeNumbersBeyondTwoToThe52Exactly) {
  const Encoder wide(schema_of(
      R"({"name": "n", "kind": "integer", "bounds": [-4503599627370496, 4503599627370495]})"));
  const NumberCoding coding(wide.columns()[0]);
  std::size_t held = 0;
  for (std::int64_t i = 0; i < 2000; ++i) {
    const std::int64_t value = -4503235472721277 + i * 4'503'000'000'001;
    try {
      const auto found =
          resolve_conditions(wide, {{"n", std::to_string(value)}}, ConditionedColumns::kAll);
      EXPECT_EQ(coding.decode(found[0].coordinate), static_cast<double>(value));
      ++held;
    } catch (const Error& error) {  // or it says that it cannot
      expect_mentions(error.what(), {"'n'", "steps apart", "ask for"});
    }
  }
  EXPECT_GT(held, 1000u);
}

}  // namespace
}  // namespace mehler
