#include "mehler/table/expression_steps.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mehler/core/error.h"

namespace mehler {
namespace {

double rounded_to(double value, double digits) {
  const double power = std::pow(10.0, digits);
  return std::round(value * power) / power;
}

/// Between which values a part of a moment between two others lies.
Interval range_of_part(DatePart part, const Interval& a) {
  switch (part) {
    case DatePart::kYear:
      return {date_part(part, a.low), date_part(part, a.high)};
    case DatePart::kMonth:
      return {1, 12};
    case DatePart::kDay:
      return {1, 31};
    case DatePart::kWeekday:
      return {1, 7};
    case DatePart::kHour:
      return {0, 23};
    case DatePart::kMinute:
      return {0, 59};
  }
  MEHLER_ASSERT(false && "every part has a range");
}

}  // namespace

std::string_view value_type_words(ValueType type) {
  switch (type) {
    case ValueType::kNumber:
      return "a number";
    case ValueType::kDays:
      return "a number of days";
    case ValueType::kSeconds:
      return "a number of seconds";
    case ValueType::kDate:
      return "a date";
    case ValueType::kDatetime:
      return "a time";
  }
  MEHLER_ASSERT(false && "every type has words");
}

double apply_step(const ExpressionStep& step, double a, double b) {
  switch (step.operation) {
    case Operation::kAdd:
      return a + b;
    case Operation::kSubtract:
      return a - b;
    case Operation::kMultiply:
      return a * b;
    case Operation::kDivide:
      return b == 0.0 ? std::numeric_limits<double>::quiet_NaN() : a / b;
    case Operation::kNegate:
      return -a;
    case Operation::kRound:
      return rounded_to(a, step.constant);
    case Operation::kMinimum:
      return std::isnan(a) || std::isnan(b) ? a + b : std::min(a, b);
    case Operation::kMaximum:
      return std::isnan(a) || std::isnan(b) ? a + b : std::max(a, b);
    case Operation::kAbsolute:
      return std::fabs(a);
    case Operation::kPart:
      return std::isnan(a) ? a : date_part(step.part, a);
    case Operation::kFloorDivide:
      return std::floor(a / step.constant);
    default:
      MEHLER_ASSERT(false && "not an operation on values");
  }
}

bool takes_two(Operation operation) {
  return operation == Operation::kAdd || operation == Operation::kSubtract ||
         operation == Operation::kMultiply || operation == Operation::kDivide ||
         operation == Operation::kMinimum || operation == Operation::kMaximum;
}

Interval range_after(const ExpressionStep& step, const Interval& a, const Interval& b) {
  if (step.operation == Operation::kPart) {
    return range_of_part(step.part, a);
  }
  if (step.operation == Operation::kAbsolute) {
    const double far = std::max(std::fabs(a.low), std::fabs(a.high));
    const bool has_zero = a.low <= 0.0 && a.high >= 0.0;
    return {has_zero ? 0.0 : std::min(std::fabs(a.low), std::fabs(a.high)), far};
  }
  // All others are monotone in each argument: extremes lie in corners.
  Interval result{HUGE_VAL, -HUGE_VAL};
  for (const double x : {a.low, a.high}) {
    for (const double y : {b.low, b.high}) {
      const double value = apply_step(step, x, y);
      result.low = std::min(result.low, value);
      result.high = std::max(result.high, value);
    }
  }
  return result;
}

}  // namespace mehler
