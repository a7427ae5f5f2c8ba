#include "mehler/generator/sample_conditions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mehler/core/seeded_random.h"
#include "tests/support/errors.h"
#include "tests/support/schema_of.h"

namespace mehler {
namespace sample_conditions_test {

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
      {"name": "grade", "kind": "ordinal", "categories": ["low", "mid", "high"], "other": "none",
       "missing": true},
      {"name": "alive", "kind": "boolean"},
      {"name": "photo", "kind": "image", "shape": [8, 8, 1]})"));
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

/// The value, in the column's units, of the coordinates that a condition on a number gets.
double value_of(const std::string& column, const std::string& value) {
  const ColumnCondition found = resolve({{column, value}}).at(0);
  EXPECT_EQ(encoder().columns()[found.column].name, column);
  EXPECT_EQ(found.ranges.size(), 1u);
  EXPECT_FALSE(found.missing);
  const NumberCoding coding(encoder().columns()[found.column]);
  EXPECT_EQ(coding.decode(found.ranges[0].low), coding.decode(found.ranges[0].high));
  return coding.decode(found.ranges[0].low);
}

/// The codes that conditions on one column of categories leave.
std::vector<std::size_t> codes_of(const std::vector<SampleCondition>& where) {
  const auto found = resolve(where);
  EXPECT_EQ(found.size(), 1u);
  std::vector<std::size_t> codes;
  for (std::size_t code = 0; code < found.at(0).codes.size(); ++code) {
    if (found[0].codes[code]) {
      codes.push_back(code);
    }
  }
  return codes;
}

/// The ranges of values that conditions on one column of numbers leave: "17..64 66..90 missing".
std::string ranges_of(const std::vector<SampleCondition>& where) {
  const ColumnCondition found = resolve(where).at(0);
  const Column& column = encoder().columns()[found.column];
  const NumberCoding coding(column);
  std::string words;
  for (const Interval& range : found.ranges) {
    words += column.format_value(coding.decode(range.low)) + ".." +
             column.format_value(coding.decode(range.high)) + " ";
  }
  return words + (found.missing ? "missing" : "");
}

using Relation = ConditionRelation;

TEST(SampleConditions, FindCategoriesByTheirCode) {
  const auto found = resolve({{"alive", "true"}, {"region", "east"}});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(encoder().columns()[found[0].column].name, "alive");
  EXPECT_EQ(found[0].codes, (std::vector<bool>{false, true}));
  EXPECT_EQ(found[1].codes, (std::vector<bool>{false, true, false}));
  EXPECT_EQ(codes_of({{"region", ""}}), (std::vector<std::size_t>{2}));
}

TEST(SampleConditions, AreNotForImages) {
  expect_refused({{"photo", "1"}}, {"'photo'", "images", "numbers and categories"});
  expect_refused({{"photo", "1"}}, {"'photo'", "images"}, ConditionedColumns::kCategories);
}

TEST(SampleConditions, FindNumbersByTheirCoordinates) {
  EXPECT_EQ(resolve({{"age", "17"}})[0].ranges[0].low, -1.0);
  EXPECT_EQ(value_of("age", "37"), 37.0);
  EXPECT_EQ(value_of("age", "90"), 90.0);
  EXPECT_EQ(value_of("dose", "0.3"), 3 * 0.1);
  EXPECT_EQ(value_of("weight", "72.5"), 72.5);
  EXPECT_EQ(value_of("weight", "72"), 72.0);
  EXPECT_EQ(value_of("income", "123457"), 123457.0);
  EXPECT_EQ(value_of("income", "1e6"), 1e6);
  EXPECT_EQ(value_of("ratio", "-0.25"), -0.25);
  EXPECT_EQ(value_of("ratio", "0"), 0.0);
  EXPECT_EQ(value_of("born", "2010-02-28"), encoder().columns()[5].parse_value("2010-02-28"));
  EXPECT_EQ(value_of("seen", "2020-02-29T12:01:00"),
            encoder().columns()[6].parse_value("2020-02-29T12:01:00"));
  EXPECT_EQ(ranges_of({{"dose", ""}}), "missing");
}

TEST(SampleConditions, CompareNumbersDatesAndTimes) {
  EXPECT_EQ(ranges_of({{"age", Relation::kAtLeast, {"65"}}}), "65..90 ");
  EXPECT_EQ(ranges_of({{"age", Relation::kGreater, {"65"}}}), "66..90 ");
  EXPECT_EQ(ranges_of({{"age", Relation::kAtMost, {"65"}}}), "17..65 ");
  EXPECT_EQ(ranges_of({{"age", Relation::kLess, {"65"}}}), "17..64 ");
  EXPECT_EQ(ranges_of({{"age", Relation::kAtLeast, {"64.5"}}}), "65..90 ");
  EXPECT_EQ(ranges_of({{"age", Relation::kLess, {"1000"}}}), "17..90 ");
  // 3 * 0.1 is not the double that 0.3 is.
  EXPECT_EQ(ranges_of({{"dose", Relation::kAtMost, {"0.3"}}}), "0..0.30000000000000004 ");
  EXPECT_EQ(ranges_of({{"dose", Relation::kLess, {"0.3"}}}), "0..0.2 ");
  EXPECT_EQ(ranges_of({{"weight", Relation::kGreater, {"72.5"}}}), "72.6..250 ");
  EXPECT_EQ(ranges_of({{"income", Relation::kGreater, {"0"}}}), "1..1000000 ");
  EXPECT_EQ(ranges_of({{"born", Relation::kLess, {"2010-03-01"}}}), "2000-01-01..2010-02-28 ");
  EXPECT_EQ(ranges_of({{"seen", Relation::kAtLeast, {"2020-12-30T23:59:30"}}}),
            "2020-12-31T00:00:00..2020-12-31T00:00:00 ");
  const ColumnCondition ratio = resolve({{"ratio", Relation::kGreater, {"0.5"}}})[0];
  EXPECT_GT(ratio.ranges[0].low, 0.5);
  EXPECT_LT(ratio.ranges[0].low, 0.5 + 1e-15);
}

TEST(SampleConditions, ListAndLeaveOutNumbers) {
  EXPECT_EQ(ranges_of({{"age", Relation::kIn, {"40", "17", "40", "41"}}}), "17..17 40..40 41..41 ");
  EXPECT_EQ(ranges_of({{"age", Relation::kNotIn, {"17", "65"}}}), "18..64 66..90 ");
  EXPECT_EQ(ranges_of({{"dose", Relation::kIn, {"", "1"}}}), "1..1 missing");
  EXPECT_EQ(ranges_of({{"dose", Relation::kNotIn, {"1"}}}), "0..0.9 missing");
  EXPECT_EQ(ranges_of({{"dose", Relation::kNotIn, {"1", ""}}}), "0..0.9 ");
  EXPECT_EQ(ranges_of({{"dose", Relation::kNotMissing}}), "0..1 ");
  EXPECT_EQ(ranges_of({{"dose", Relation::kMissing}}), "missing");
  EXPECT_EQ(ranges_of({{"age", Relation::kNotMissing}}), "17..90 ");
}

TEST(SampleConditions, ListAndLeaveOutCategories) {
  using Codes = std::vector<std::size_t>;
  EXPECT_EQ(codes_of({{"region", Relation::kIn, {"east", "west"}}}), (Codes{0, 1}));
  EXPECT_EQ(codes_of({{"region", Relation::kNotIn, {"east"}}}), (Codes{0, 2}));
  EXPECT_EQ(codes_of({{"region", Relation::kNotIn, {"east", ""}}}), (Codes{0}));
  EXPECT_EQ(codes_of({{"region", Relation::kMissing}}), (Codes{2}));
  EXPECT_EQ(codes_of({{"region", Relation::kNotMissing}}), (Codes{0, 1}));
  EXPECT_EQ(codes_of({{"alive", Relation::kNotIn, {"1"}}}), (Codes{0}));
}

TEST(SampleConditions, CompareOrdinalColumnsByTheirOrder) {
  const auto codes = [](Relation relation, const char* value) {
    return codes_of({{"grade", relation, {value}}});
  };
  using Codes = std::vector<std::size_t>;
  EXPECT_EQ(codes(Relation::kAtLeast, "mid"), (Codes{1, 2}));
  EXPECT_EQ(codes(Relation::kGreater, "mid"), (Codes{2}));
  EXPECT_EQ(codes(Relation::kAtMost, "mid"), (Codes{0, 1}));
  EXPECT_EQ(codes(Relation::kLess, "mid"), (Codes{0}));
  expect_refused({{"grade", Relation::kLess, {"low"}}}, {"no value of 'grade'", "low, mid, high"});
  expect_refused({{"grade", Relation::kLess, {"none"}}}, {"no place in its order", "low, mid"});
  expect_refused({{"grade", Relation::kLess, {""}}}, {"no place in its order"});
  expect_refused({{"grade", Relation::kLess, {"hgh"}}}, {"'hgh'", "'high'"});
}

TEST(SampleConditions, SeveralOnOneColumnHoldTogether) {
  EXPECT_EQ(ranges_of({{"age", Relation::kAtLeast, {"65"}},
                       {"age", Relation::kLess, {"80"}},
                       {"age", Relation::kNotIn, {"70"}}}),
            "65..69 71..79 ");
  EXPECT_EQ(codes_of({{"region", Relation::kNotIn, {"east"}}, {"region", Relation::kNotMissing}}),
            (std::vector<std::size_t>{0}));
}

TEST(SampleConditions, EveryCoordinateOfARangeDecodesToAnAllowedValue) {
  SeededRandom random(1);
  const auto place = [&](const Interval& range) {
    return std::clamp(range.low + random.uniform() * range.width(), range.low, range.high);
  };
  for (const Column& column : encoder().columns()) {
    if (!column.is_number()) {
      continue;
    }
    const NumberCoding coding(column);
    for (int i = 0; i < 200; ++i) {
      const double value = coding.decode(2.0 * random.uniform() - 1.0);
      const auto relation = static_cast<Relation>(i % 6);
      const bool is_less = relation == Relation::kLess || relation == Relation::kAtMost;
      std::vector<SampleCondition> where = {{column.name, relation, {column.format_value(value)}}};
      std::vector<ColumnCondition> found;
      try {
        found = resolve(where);
      } catch (const Error& error) {  // below the lowest, above the highest
        EXPECT_TRUE(value == (is_less ? column.bounds->low : column.bounds->high) ||
                    std::string(error.what()).find("too many steps") != std::string::npos)
            << error.what();
        continue;
      }
      for (const Interval& range : found[0].ranges) {
        for (const double coordinate : {range.low, range.high, place(range)}) {
          const double decoded = coding.decode(coordinate);
          const bool holds = relation == Relation::kIn        ? decoded == value
                             : relation == Relation::kNotIn   ? decoded != value
                             : relation == Relation::kLess    ? decoded < value
                             : relation == Relation::kAtMost  ? decoded <= value
                             : relation == Relation::kGreater ? decoded > value
                                                              : decoded >= value;
          EXPECT_TRUE(holds) << column.name << " " << column.format_value(value) << " " << i;
        }
      }
    }
  }
}

TEST(SampleConditions, NearestCoordinatesAreAllowed) {
  const ColumnCondition found = resolve({{"dose", Relation::kIn, {"0", "1"}}})[0];
  EXPECT_EQ(found.nearest(-1.0), -1.0);
  EXPECT_EQ(found.nearest(-0.2), found.ranges[0].high);
  EXPECT_EQ(found.nearest(0.2), found.ranges[1].low);
  EXPECT_TRUE(std::isnan(found.nearest(std::nan(""))));
}

TEST(SampleConditions, RefuseConditionsThatNothingMeets) {
  expect_refused({{"age", Relation::kGreater, {"90"}}}, {"no value of 'age'", "from 17 to 90"});
  expect_refused({{"born", Relation::kLess, {"1999-01-01"}}}, {"no value of 'born'", "dates lie"});
  expect_refused({{"alive", Relation::kNotIn, {"true", "false"}}}, {"no value of 'alive'"});
  expect_refused({{"alive", Relation::kMissing}}, {"'alive' is missing, but it never is"});
  expect_refused({{"age", Relation::kMissing}}, {"'age' is missing, but it never is"});
  expect_refused({{"age", Relation::kAtLeast, {"60"}}, {"age", Relation::kLess, {"50"}}},
                 {"'age'", "contradict"});
  expect_refused(
      {{"region", Relation::kNotIn, {"west", "east"}}, {"region", Relation::kNotMissing}},
      {"'region'", "contradict"});
}

TEST(SampleConditions, RefuseComparisonsOfWhatHasNoOrder) {
  expect_refused({{"region", Relation::kLess, {"west"}}}, {"'region'", "categorical", "no order"});
  expect_refused({{"alive", Relation::kAtLeast, {"true"}}}, {"'alive'", "boolean", "no order"});
  expect_refused({{"age", Relation::kAtLeast, {"65 and age<80"}}},
                 {"compares 'age' with '65 and age<80'", "numbers", "such as 17", "by itself"});
}

TEST(SampleConditions, RefuseTheWrongNumberOfValues) {
  expect_refused({{"age", Relation::kIn, {}}}, {"'age'", "at least one"});
  expect_refused({{"age", Relation::kLess, {"20", "30"}}}, {"'age'", "2 values", "give one"});
  expect_refused({{"region", Relation::kMissing, {"west"}}}, {"'region'", "takes no others"});
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
    expect_refused({{column, value}}, {words, "columns of categories: region, grade, alive"},
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
    EXPECT_EQ(codes_of({{"alive", text}}), (std::vector<std::size_t>{1})) << text;
  }
  EXPECT_EQ(codes_of({{"alive", "0"}}), (std::vector<std::size_t>{0}));
}

TEST(SampleConditions, TellAMissingValueFromAnEmptyText) {
  const Encoder texts(schema_of(R"(
      {"name": "a\tb", "kind": "categorical", "categories": ["", "c"], "missing": true},
      {"name": "never", "kind": "categorical", "categories": ["c", ""]})"));
  const auto code = [&](const std::string& column, const std::string& value) {
    const auto codes =
        resolve_conditions(texts, {{column, value}}, ConditionedColumns::kAll)[0].codes;
    return std::find(codes.begin(), codes.end(), true) - codes.begin();
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
      EXPECT_EQ(coding.decode(found[0].ranges[0].low), static_cast<double>(value));
      EXPECT_EQ(coding.decode(found[0].ranges[0].high), static_cast<double>(value));
      ++held;
    } catch (const Error& error) {  // or it says that it cannot
      expect_mentions(error.what(), {"'n'", "steps apart", "ask for"});
    }
  }
  EXPECT_GT(held, 1000u);
}

}  // namespace sample_conditions_test
}  // namespace mehler
