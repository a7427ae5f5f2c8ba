#include "mehler/table/expression.h"

#include <cmath>
#include <limits>

#include "mehler/table/expression_tokens.h"

namespace mehler {

Expression::Expression(std::string_view text, const ResolveColumn& resolve)
    : parsed_(parse_expression(text, resolve)) {}

double Expression::evaluate(std::span<const double> values) const {
  std::vector<double> stack;
  for (const ExpressionStep& step : parsed_.steps) {
    if (step.operation == Operation::kConstant) {
      stack.push_back(step.constant);
    } else if (step.operation == Operation::kInput) {
      stack.push_back(values[step.input]);
    } else {
      const double b = stack.back();
      if (takes_two(step.operation)) {
        stack.pop_back();
      }
      stack.back() = apply_step(step, stack.back(), b);
    }
  }
  return std::isfinite(stack.back()) ? stack.back() : std::numeric_limits<double>::quiet_NaN();
}

std::vector<std::string> Expression::names_in(std::string_view text) {
  const std::vector<ExpressionToken> tokens = expression_tokens(text);
  std::vector<std::string> names;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const bool is_function = tokens[i].is_word && tokens[i + 1].text == "(" &&
                             tokens[i + 1].kind == ExpressionToken::Kind::kSign;
    if (tokens[i].kind == ExpressionToken::Kind::kName && !is_function) {
      names.push_back(tokens[i].text);
    }
  }
  return names;
}

}  // namespace mehler
