#include "mehler/table/expression_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/table/calendar.h"
#include "mehler/table/expression_tokens.h"

namespace mehler {
namespace {

constexpr double kSecond = static_cast<double>(kMicrosecondsPerSecond);
constexpr double kDay = static_cast<double>(kMicrosecondsPerDay);
constexpr double kSecondsOfDay = kDay / kSecond;
constexpr int kMostDigits = 12;
constexpr int kDeepest = 200;
/// The range of a number of which nothing is known.
constexpr double kAnyNumber = 1e200;

using Part = ExpressionInput;
using Step = ExpressionStep;

/// Reads the grammar by recursive descent and writes the steps.
class Parser {
 public:
  Parser(std::string_view text, const ResolveColumn& resolve, std::vector<Step>& steps,
         std::vector<std::string>& inputs)
      : text_(text),
        resolve_(resolve),
        tokens_(expression_tokens(text)),
        steps_(steps),
        inputs_(inputs) {}

  Part parse() {
    const Part result = parse_sum();
    if (peek().kind != ExpressionToken::Kind::kEnd) {
      fail(fmt::format("in which '{}' is not expected; put an operator before it, or remove it",
                       shown(peek().text)));
    }
    return result;
  }

 private:
  [[noreturn]] void fail(const std::string& complaint) const {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("has the expression '{}', {}", shown(text_), complaint));
  }

  const ExpressionToken& peek() const { return tokens_[at_]; }
  bool is_sign(char sign) const {
    return peek().kind == ExpressionToken::Kind::kSign && peek().text[0] == sign;
  }
  bool take(char sign) {
    const bool found = is_sign(sign);
    at_ += found ? 1 : 0;
    return found;
  }
  void require(char sign) {
    if (!take(sign)) {
      fail(fmt::format("in which a '{}' is missing; write it", sign));
    }
  }

  Part add_step(const Step& step, const Part& a, const Part& b, ValueType type) {
    steps_.push_back(step);
    Part result{type, range_after(step, a.range, b.range), a.missing || b.missing};
    if (!std::isfinite(result.range.low) || !std::isfinite(result.range.high)) {
      fail("whose value can be too large for a number; narrow the bounds of its columns");
    }
    return result;
  }
  Part add_step(const Step& step, const Part& a, ValueType type) {
    return add_step(step, a, a, type);
  }
  /// The last value times a constant.
  Part times(const Part& a, double factor, ValueType type) {
    steps_.push_back({Operation::kConstant, factor});
    return add_step({Operation::kMultiply}, a, {ValueType::kNumber, {factor, factor}}, type);
  }

  Part divided(const Part& a, double divisor, ValueType type) {
    steps_.push_back({Operation::kConstant, divisor});
    return add_step({Operation::kDivide}, a, {ValueType::kNumber, {divisor, divisor}}, type);
  }

  Part parse_sum() {
    Part left = parse_product();
    while (is_sign('+') || is_sign('-')) {
      const bool plus = is_sign('+');
      ++at_;
      const Part right = parse_product();
      left = plus ? add(left, right) : subtract(left, right);
    }
    return left;
  }

  Part add(const Part& left, const Part& right) {
    if (!is_plain_number(left.type) && !is_plain_number(right.type)) {
      fail("which adds two dates or times; subtract them, or add a number of days or seconds");
    }
    if (is_plain_number(left.type) && !is_plain_number(right.type)) {
      fail("which adds a date or a time to a number; write the date or time first");
    }
    return shift(left, right, Operation::kAdd);
  }

  Part subtract(const Part& left, const Part& right) {
    if (is_plain_number(right.type)) {
      return shift(left, right, Operation::kSubtract);
    }
    if (left.type != right.type) {
      fail(
          fmt::format("which subtracts {} from {}; both must be dates, or both times: date(...) "
                      "gives the date of a time",
                      value_type_words(right.type), value_type_words(left.type)));
    }
    const Part difference = add_step({Operation::kSubtract}, left, right, ValueType::kDays);
    return left.type == ValueType::kDate ? difference
                                         : divided(difference, kSecond, ValueType::kSeconds);
  }

  /// A number, date or time plus or minus a number or span.
  Part shift(const Part& left, const Part& right, Operation operation) {
    const bool spans_differ = left.type != right.type && left.type != ValueType::kNumber &&
                              right.type != ValueType::kNumber;
    Part scaled = right;
    if (left.type == ValueType::kDatetime) {
      const double unit = right.type == ValueType::kDays ? kDay : kSecond;
      scaled = times(right, unit, ValueType::kNumber);
    } else if (left.type == ValueType::kDate) {
      if (right.type == ValueType::kSeconds) {
        fail("which moves a date by seconds; write days(...) around them");
      }
    } else if (spans_differ) {
      fail("which mixes days and seconds; write days(...) or seconds(...) around them");
    }
    const ValueType type = left.type == ValueType::kNumber ? right.type : left.type;
    return add_step({operation}, left, scaled, type);
  }

  Part parse_product() {
    Part left = parse_factor();
    while (is_sign('*') || is_sign('/')) {
      const bool divides = is_sign('/');
      ++at_;
      const Part right = parse_factor();
      if (!is_plain_number(left.type) || !is_plain_number(right.type)) {
        fail("which multiplies or divides a date or a time; use numbers");
      }
      const bool by_zero = divides && right.range.low <= 0.0 && right.range.high >= 0.0;
      if (by_zero) {
        // Missing where the denominator is 0, and any number beside it.
        steps_.push_back({Operation::kDivide});
        left = {ValueType::kNumber, {-kAnyNumber, kAnyNumber}, true};
        continue;
      }
      left = add_step({divides ? Operation::kDivide : Operation::kMultiply}, left, right,
                      ValueType::kNumber);
    }
    return left;
  }

  Part parse_factor() {
    if (++depth_ > kDeepest) {
      fail("which has too many parentheses; simplify it");
    }
    Part result;
    if (take('-')) {
      result = parse_factor();
      if (!is_plain_number(result.type)) {
        fail("which negates a date or a time; use a number");
      }
      result = add_step({Operation::kNegate}, result, result.type);
    } else {
      result = parse_primary();
    }
    --depth_;
    return result;
  }

  Part parse_primary() {
    const ExpressionToken token = peek();
    if (take('(')) {
      const Part inside = parse_sum();
      require(')');
      return inside;
    }
    if (token.kind == ExpressionToken::Kind::kNumber) {
      ++at_;
      steps_.push_back({Operation::kConstant, token.number});
      return {ValueType::kNumber, {token.number, token.number}};
    }
    if (token.kind != ExpressionToken::Kind::kName) {
      fail(token.kind == ExpressionToken::Kind::kEnd
               ? "which ends too early; complete it"
               : fmt::format("in which '{}' is not expected; put a number or a column before it",
                             shown(token.text)));
    }
    ++at_;
    if (token.is_word && is_sign('(')) {
      return parse_function(token.text);
    }
    const auto known = std::find(inputs_.begin(), inputs_.end(), token.text);
    Step step{Operation::kInput};
    step.input = static_cast<std::size_t>(known - inputs_.begin());
    if (known == inputs_.end()) {
      inputs_.push_back(token.text);
      resolved_.push_back(resolve_(token.text));
    }
    const ExpressionInput& input = resolved_[step.input];
    steps_.push_back(step);
    return {input.type, input.range, input.missing};
  }

  Part parse_function(const std::string& name) {
    require('(');
    if (name == "min" || name == "max") {
      return parse_extreme(name == "min" ? Operation::kMinimum : Operation::kMaximum);
    }
    const Part argument = parse_sum();
    Step round_step{Operation::kRound};
    if (name == "round" && take(',')) {
      const ExpressionToken digits = peek();
      if (digits.kind != ExpressionToken::Kind::kNumber || digits.number > kMostDigits ||
          std::trunc(digits.number) != digits.number) {
        fail(
            fmt::format("whose round has no whole number of digits from 0 to {} as its second "
                        "argument; write round(x, 2)",
                        kMostDigits));
      }
      ++at_;
      round_step.constant = digits.number;
    }
    require(')');
    if (name == "round" || name == "abs") {
      if (!is_plain_number(argument.type)) {
        fail(fmt::format("whose {} is of {}; give it a number", name,
                         value_type_words(argument.type)));
      }
      return add_step(name == "round" ? round_step : Step{Operation::kAbsolute}, argument,
                      argument.type);
    }
    if (const auto part = date_part_from_name(name)) {
      return part_of(*part, name, argument);
    }
    return span_or_date(name, argument);
  }

  Part parse_extreme(Operation operation) {
    Part result = parse_sum();
    while (take(',')) {
      const Part next = parse_sum();
      if (is_plain_number(result.type) != is_plain_number(next.type) ||
          (!is_plain_number(result.type) && result.type != next.type)) {
        fail(
            "whose min or max compares different things; give it only numbers, only dates or "
            "only times");
      }
      const ValueType type = result.type == next.type ? result.type : ValueType::kNumber;
      result = add_step({operation}, result, next, type);
    }
    require(')');
    return result;
  }

  Part part_of(DatePart part, const std::string& name, const Part& argument) {
    const bool of_day = part != DatePart::kHour && part != DatePart::kMinute;
    if (argument.type != ValueType::kDatetime && !(of_day && argument.type == ValueType::kDate)) {
      fail(fmt::format("whose {} is of {}; give it a {}", name, value_type_words(argument.type),
                       of_day ? "date or a time" : "time"));
    }
    Part moment = argument;
    if (argument.type == ValueType::kDate) {
      moment = times(argument, kDay, ValueType::kDatetime);
    }
    Step step{Operation::kPart};
    step.part = part;
    return add_step(step, moment, ValueType::kNumber);
  }

  Part span_or_date(const std::string& name, const Part& argument) {
    if (name == "date") {
      if (argument.type != ValueType::kDatetime) {
        fail(fmt::format("whose date is of {}; give it a time", value_type_words(argument.type)));
      }
      return add_step({Operation::kFloorDivide, kDay}, argument, ValueType::kDate);
    }
    const double seconds = name == "days"      ? kSecondsOfDay
                           : name == "hours"   ? 3600.0
                           : name == "minutes" ? 60.0
                           : name == "seconds" ? 1.0
                                               : 0.0;
    if (seconds == 0.0) {
      std::vector<std::string> known = date_part_names();
      known.insert(known.end(),
                   {"round", "min", "max", "abs", "date", "days", "hours", "minutes", "seconds"});
      fail(fmt::format("which calls the unknown function '{}'{}", shown(name),
                       suggest_names(name, known)));
    }
    if (argument.type != ValueType::kDays && argument.type != ValueType::kSeconds) {
      fail(fmt::format("whose {} is of {}; give it a difference of two dates or times", name,
                       value_type_words(argument.type)));
    }
    const double unit = argument.type == ValueType::kDays ? kSecondsOfDay : 1.0;
    const ValueType type = name == "days"      ? ValueType::kDays
                           : name == "seconds" ? ValueType::kSeconds
                                               : ValueType::kNumber;
    return unit == seconds  ? argument
           : unit > seconds ? times(argument, unit / seconds, type)
                            : divided(argument, seconds / unit, type);
  }

  std::string_view text_;
  const ResolveColumn& resolve_;
  std::vector<ExpressionToken> tokens_;
  std::vector<Step>& steps_;
  std::vector<std::string>& inputs_;
  std::vector<ExpressionInput> resolved_;  ///< of the inputs
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

ParsedExpression parse_expression(std::string_view text, const ResolveColumn& resolve) {
  ParsedExpression parsed;
  parsed.result = Parser(text, resolve, parsed.steps, parsed.inputs).parse();
  return parsed;
}

}  // namespace mehler
