#pragma once

#include <cstddef>
#include <string_view>

#include "mehler/core/interval.h"
#include "mehler/table/constraints.h"

namespace mehler {

/// What an expression's value is. Spans of time are numbers that know their unit.
enum class ValueType {
  kNumber,
  kDays,      ///< between two dates
  kSeconds,   ///< between two moments
  kDate,      ///< days since 1970
  kDatetime,  ///< microseconds since 1970
};

/// "a number", "a date" and so on.
std::string_view value_type_words(ValueType type);
/// Numbers and spans of time.
inline bool is_plain_number(ValueType type) {
  return type != ValueType::kDate && type != ValueType::kDatetime;
}

/// What a step of an expression does.
enum class Operation {
  kConstant,
  kInput,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kNegate,
  kRound,
  kMinimum,
  kMaximum,
  kAbsolute,
  kPart,
  kFloorDivide,  ///< by a constant: days of microseconds
};

/// One step of the computation, which takes what it needs from the end of a list of values and adds
/// its result there.
struct ExpressionStep {
  Operation operation = Operation::kConstant;
  double constant = 0.0;
  std::size_t input = 0;
  DatePart part = DatePart::kYear;
};

/// Whether it takes two values; the others but constants and inputs take one.
bool takes_two(Operation operation);

/// The result of a step that takes values; b is used if it takes two. NaN if one that it uses is.
double apply_step(const ExpressionStep& step, double a, double b);

/// Where that lies for all values of intervals. The second one of a division does not contain 0.
Interval range_after(const ExpressionStep& step, const Interval& a, const Interval& b);

}  // namespace mehler
