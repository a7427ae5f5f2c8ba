#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "mehler/table/expression_steps.h"

namespace mehler {

/// What is known of a value: its type, between what it lies, and whether it can be missing.
struct ExpressionInput {
  ValueType type = ValueType::kNumber;
  Interval range;
  bool missing = false;
};

/// What is known of a named column. Throws for one that cannot be used.
using ResolveColumn = std::function<ExpressionInput(const std::string& name)>;

/// An expression taken apart.
struct ParsedExpression {
  std::vector<ExpressionStep> steps;
  std::vector<std::string> inputs;  ///< the columns that it names, each once
  ExpressionInput result;
};

/// Throws Error(kInvalidArgument) with a complaint that follows a column's name: "has ...".
ParsedExpression parse_expression(std::string_view text, const ResolveColumn& resolve);

}  // namespace mehler
