#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mehler {

/// A written form of numbers: "1.234,50 €" has the decimal ',', the thousands separator '.' and the
/// suffix " €".
struct NumberText {
  char decimal = '.';
  std::string thousands;  ///< one character in UTF-8, or empty
  std::string prefix;
  std::string suffix;

  bool is_plain() const {
    return decimal == '.' && thousands.empty() && prefix.empty() && suffix.empty();
  }

  /// The number that a text is; nothing if it is not written so. Prefix, suffix and thousands
  /// separators may be absent; where there are separators, each must stand before three digits, so
  /// that a decimal point is never taken for one. Spaces around the number do not count. A sign
  /// stands before the prefix or after it, and an exponent may follow. "nan" is read as NaN.
  std::optional<double> parse(std::string_view text) const;

  /// Appends a number that fmt has written ("-1234.5", "1e+20").
  void write(std::string_view plain, std::string& out) const;
};

/// Without the spaces at both ends, narrow and no-break ones too.
std::string_view without_spaces(std::string_view text);

}  // namespace mehler
