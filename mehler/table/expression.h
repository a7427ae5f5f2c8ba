#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

/// What an expression may name: a column's type, range and whether it can be missing.
struct ExpressionInput {
  ValueType type = ValueType::kNumber;
  Interval range;
  bool missing = false;
};

/// "fare + tip", "hour(pickup)", "days(left - came)": arithmetic over the columns of a record.
///
/// + - * / and parentheses, numbers, names of columns (in backticks or double quotes if they are no
/// words), and round(x), round(x, digits), min, max, abs, year, month, day, weekday, hour, minute,
/// date, and days, hours, minutes, seconds of a span of time. A missing value anywhere makes the
/// result missing, and so does a division by 0. Immutable and thread-safe.
class Expression {
 public:
  /// The type and range of a named column. Throws for one that cannot be used.
  using Resolve = std::function<ExpressionInput(const std::string& name)>;

  /// Throws Error(kInvalidArgument) with a complaint that follows a column's name: "has ...".
  Expression(std::string_view text, const Resolve& resolve);

  /// The columns that it names, each once.
  const std::vector<std::string>& inputs() const { return inputs_; }
  ValueType type() const { return type_; }
  /// Between which values the result lies, not necessarily tightly.
  const Interval& range() const { return range_; }
  /// Whether the result can be missing.
  bool missing() const { return missing_; }

  /// The value for one record: values of inputs(), NaN where missing; NaN if the result is.
  double evaluate(std::span<const double> values) const;

  /// Names that a text mentions, without looking at anything else.
  static std::vector<std::string> names_in(std::string_view text);

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
  /// One step of the computation, which takes what it needs from the end of a list of values and
  /// adds its result there.
  struct Step {
    Operation operation = Operation::kConstant;
    double constant = 0.0;
    std::size_t input = 0;
    DatePart part = DatePart::kYear;
  };

 private:
  std::vector<Step> steps_;
  std::vector<std::string> inputs_;
  ValueType type_ = ValueType::kNumber;
  Interval range_;
  bool missing_ = false;
};

}  // namespace mehler
