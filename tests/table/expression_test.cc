#include "mehler/table/expression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "mehler/table/calendar.h"
#include "tests/support/errors.h"

namespace mehler {
namespace expression_test {

/// Numbers a, b and "odd name"; dates came and left; datetimes start and end.
ExpressionInput resolve(const std::string& name) {
  const double day = static_cast<double>(*parse_date("2020-01-01"));
  const double moment = static_cast<double>(*parse_datetime("2020-01-01T00:00:00"));
  const std::map<std::string, ExpressionInput> inputs = {
      {"a", {ValueType::kNumber, {-10, 10}, false}},
      {"b", {ValueType::kNumber, {1, 5}, false}},
      {"may_miss", {ValueType::kNumber, {1, 5}, true}},
      {"odd name", {ValueType::kNumber, {0, 1}, false}},
      {"came", {ValueType::kDate, {day, day + 366}, false}},
      {"left", {ValueType::kDate, {day, day + 366}, false}},
      {"start", {ValueType::kDatetime, {moment, moment + 1e12}, false}},
      {"end", {ValueType::kDatetime, {moment, moment + 1e12}, false}},
  };
  return inputs.at(name);
}

double value_of(const char* text, std::vector<double> values) {
  return Expression(text, resolve).evaluate(values);
}

TEST(Expression, ComputesWithTheUsualPrecedence) {
  EXPECT_EQ(value_of("1 + 2 * a - -b", {4, 2}), 11);
  EXPECT_EQ(value_of("(1 + 2) * a / 2", {4}), 6);
  EXPECT_EQ(value_of("a - b - 1", {4, 2}), 1);
  EXPECT_EQ(value_of("8 / b / 2", {2}), 2);
  EXPECT_EQ(value_of("round(a / 3, 2)", {1}), 0.33);
  EXPECT_EQ(value_of("round(a)", {2.5}), 3);
  EXPECT_EQ(value_of("max(a, b, 3) + min(a, b)", {1, 2}), 4);
  EXPECT_EQ(value_of("abs(a)", {-4}), 4);
  EXPECT_EQ(value_of("`odd name` + \"odd name\"", {0.5}), 1);
}

TEST(Expression, TakesPartsOfDatesAndTimes) {
  const auto moment = static_cast<double>(*parse_datetime("2020-02-29T13:45:59"));  // a Saturday
  const std::pair<const char*, double> expected[] = {
      {"year(start)", 2020},
      {"month(start)", 2},
      {"day(start)", 29},
      {"hour(start)", 13},
      {"minute(start)", 45},
      {"weekday(start)", 6},
      {"date(start)", static_cast<double>(*parse_date("2020-02-29"))}};
  for (const auto& [text, value] : expected) {
    EXPECT_EQ(value_of(text, {moment}), value) << text;
  }
  EXPECT_TRUE(std::isfinite(value_of("year(start)", {1e300})));
  const auto before_1970 = static_cast<double>(*parse_datetime("1969-12-31T23:59:59"));
  EXPECT_EQ(value_of("hour(start)", {before_1970}), 23);
  EXPECT_EQ(value_of("weekday(came)", {static_cast<double>(*parse_date("1969-12-28"))}), 7);
}

TEST(Expression, KnowsSpansOfTime) {
  const auto early = static_cast<double>(*parse_datetime("2020-01-01T00:00:00"));
  const auto late = static_cast<double>(*parse_datetime("2020-01-02T12:00:00"));
  EXPECT_EQ(value_of("end - start", {late, early}), 129'600);
  EXPECT_EQ(value_of("days(end - start)", {late, early}), 1.5);
  EXPECT_EQ(value_of("hours(end - start)", {late, early}), 36);
  EXPECT_EQ(value_of("minutes(end - start)", {late, early}), 2160);
  EXPECT_EQ(value_of("days(left - came)", {40, 10}), 30);
  EXPECT_EQ(value_of("hours(left - came)", {40, 10}), 720);
  EXPECT_EQ(value_of("came + 7", {10}), 17);
  EXPECT_EQ(value_of("start + 60", {early}), early + 60e6);
  EXPECT_EQ(value_of("start + (left - came)", {early, 12, 10}), early + 2 * 86'400e6);
  EXPECT_EQ(Expression("end - start", resolve).type(), ValueType::kSeconds);
  EXPECT_EQ(Expression("came + 7", resolve).type(), ValueType::kDate);
}

TEST(Expression, IsMissingWhereAnInputIsOrADenominatorIsZero) {
  EXPECT_TRUE(std::isnan(value_of("a + b", {std::nan(""), 1})));
  EXPECT_TRUE(std::isnan(value_of("min(a, b)", {std::nan(""), 1})));
  EXPECT_TRUE(std::isnan(value_of("max(b, a)", {1, std::nan("")})));
  EXPECT_TRUE(std::isnan(value_of("b / a", {1, 0})));
  EXPECT_TRUE(Expression("b / a", resolve).missing());
  EXPECT_FALSE(Expression("a / b", resolve).missing());
  EXPECT_TRUE(Expression("a + may_miss", resolve).missing());
}

TEST(Expression, EnclosesItsValues) {
  const auto range = [](const char* text) { return Expression(text, resolve).range(); };
  EXPECT_EQ(range("a * b - 1"), (Interval{-51, 49}));
  EXPECT_EQ(range("abs(a)"), (Interval{0, 10}));
  EXPECT_EQ(range("a / b"), (Interval{-10, 10}));
  EXPECT_EQ(range("max(a, 3)"), (Interval{3, 10}));
  EXPECT_EQ(range("month(start)"), (Interval{1, 12}));
}

TEST(Expression, SaysWhatIsWrongWithItsText) {
  const std::pair<const char*, const char*> cases[] = {
      {"a +", "ends too early"},
      {"a b", "not expected"},
      {"(a", "a ')' is missing"},
      {"a ? b", "has no meaning"},
      {"`a", "not closed"},
      {"sqrt(a)", "unknown function 'sqrt'"},
      {"round(a, b)", "whole number of digits"},
      {"came + left", "adds two dates"},
      {"1 + came", "write the date or time first"},
      {"came - start", "date(...)"},
      {"came * 2", "multiplies or divides a date"},
      {"-came", "negates a date"},
      {"hour(came)", "give it a time"},
      {"month(a)", "give it a date or a time"},
      {"days(a)", "difference of two dates"},
      {"max(a, came)", "compares different things"},
      {"(end - start) + (left - came)", "mixes days and seconds"},
      {"came + (end - start)", "moves a date by seconds"},
      {"1e308 * a", "too large"},
      {"1e999", "cannot be read"},
      {"", "ends too early"},
  };
  for (const auto& [text, word] : cases) {
    expect_mentions(
        message_of(ErrorCode::kInvalidArgument, [&, given = text] { Expression(given, resolve); }),
        {word});
  }
  const std::string deep(1000, '(');
  expect_mentions(message_of(ErrorCode::kInvalidArgument, [&] { Expression(deep, resolve); }),
                  {"parentheses"});
}

}  // namespace expression_test
}  // namespace mehler
