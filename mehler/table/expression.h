#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mehler/core/interval.h"
#include "mehler/table/expression_parser.h"
#include "mehler/table/expression_steps.h"

namespace mehler {

/// "fare + tip", "hour(pickup)", "days(left - came)": arithmetic over the columns of a record.
///
/// + - * / and parentheses, numbers, names of columns (in backticks or double quotes if they are no
/// words), and round(x), round(x, digits), min, max, abs, year, month, day, weekday, hour, minute,
/// date, and days, hours, minutes, seconds of a span of time. A missing value anywhere makes the
/// result missing, and so does a division by 0. Immutable and thread-safe.
class Expression {
 public:
  /// Throws Error(kInvalidArgument) with a complaint that follows a column's name: "has ...".
  Expression(std::string_view text, const ResolveColumn& resolve);

  /// The columns that it names, each once.
  const std::vector<std::string>& inputs() const { return parsed_.inputs; }
  ValueType type() const { return parsed_.result.type; }
  /// Between which values the result lies, not necessarily tightly.
  const Interval& range() const { return parsed_.result.range; }
  /// Whether the result can be missing.
  bool missing() const { return parsed_.result.missing; }

  /// The value for one record: values of inputs(), NaN where missing; NaN if the result is.
  double evaluate(std::span<const double> values) const;

  /// Names that a text mentions, without looking at anything else.
  static std::vector<std::string> names_in(std::string_view text);

 private:
  ParsedExpression parsed_;
};

}  // namespace mehler
