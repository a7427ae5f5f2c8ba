#include "mehler/table/expression_tokens.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"

namespace mehler {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Letters, the underscore, and whatever is not ASCII.
bool begins_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

[[noreturn]] void fail(std::string_view text, const std::string& complaint) {
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("has the expression '{}', {}", shown(text), complaint));
}

}  // namespace

std::vector<ExpressionToken> expression_tokens(std::string_view text) {
  using Kind = ExpressionToken::Kind;
  std::vector<ExpressionToken> tokens;
  std::size_t at = 0;
  while (at < text.size()) {
    const char c = text[at];
    ExpressionToken token;
    std::size_t end = at + 1;
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      at = end;
      continue;
    }
    if (is_digit(c) || c == '.') {
      const auto [last, error] =
          std::from_chars(text.data() + at, text.data() + text.size(), token.number);
      if (error != std::errc() || !std::isfinite(token.number)) {
        fail(text, "which has a number that cannot be read; write it as 12.5");
      }
      end = static_cast<std::size_t>(last - text.data());
      token.kind = Kind::kNumber;
    } else if (c == '`' || c == '"') {
      end = text.find(c, at + 1);
      if (end == std::string_view::npos) {
        fail(text, "which has a quote that is not closed; close it");
      }
      token.kind = Kind::kName;
      token.text = text.substr(at + 1, end - at - 1);
      ++end;
    } else if (begins_word(c)) {
      while (end < text.size() && (begins_word(text[end]) || is_digit(text[end]))) {
        ++end;
      }
      token.kind = Kind::kName;
      token.text = text.substr(at, end - at);
      token.is_word = true;
    } else if (std::string_view("()+-*/,").find(c) != std::string_view::npos) {
      token.kind = Kind::kSign;
      token.text = c;
    } else {
      fail(text, fmt::format("in which '{}' has no meaning; allowed are + - * / ( ), numbers, "
                             "functions, and names of columns, in backticks if they are no words",
                             shown(text.substr(at, 1))));
    }
    tokens.push_back(std::move(token));
    at = end;
  }
  tokens.push_back({});
  return tokens;
}

}  // namespace mehler
