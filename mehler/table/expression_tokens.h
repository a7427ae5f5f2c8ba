#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mehler {

/// A piece of an expression's text.
struct ExpressionToken {
  enum class Kind { kNumber, kName, kSign, kEnd };
  Kind kind = Kind::kEnd;
  std::string text;      ///< a name without its quotes; one of ()+-*/, for a sign
  double number = 0.0;   ///< of kNumber
  bool is_word = false;  ///< a name without quotes, which may be a function's
};

/// The pieces, the last being kEnd. Throws Error(kInvalidArgument): "has an expression ...".
std::vector<ExpressionToken> expression_tokens(std::string_view text);

}  // namespace mehler
