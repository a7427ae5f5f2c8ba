#include "mehler/table/number_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace mehler {
namespace {

constexpr std::array<std::string_view, 4> kSpaces = {" ", "\t", "\u00a0", "\u202f"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t leading_digits(std::string_view text) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) -
                                  text.begin());
}

bool take(std::string_view& text, std::string_view start) {
  if (start.empty() || !text.starts_with(start)) {
    return false;
  }
  text.remove_prefix(start.size());
  return true;
}

/// Takes a sign off the front; whether it is a minus.
std::optional<bool> take_sign(std::string_view& text) {
  if (text.empty() || (text.front() != '-' && text.front() != '+')) {
    return std::nullopt;
  }
  const bool is_minus = text.front() == '-';
  text.remove_prefix(1);
  return is_minus;
}

/// A number as std::from_chars reads it.
class PlainNumber {
 public:
  bool add(std::string_view characters) {
    if (characters.size() > text_.size() - size_) {
      return false;
    }
    std::copy(characters.begin(), characters.end(), text_.begin() + size_);
    size_ += characters.size();
    return true;
  }

  std::optional<double> value() const {
    double number = 0.0;
    const char* end = text_.data() + size_;
    const auto [stop, error] = std::from_chars(text_.data(), end, number);
    return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
  }

 private:
  std::array<char, 400> text_;  // the longest double that is written without an exponent
  std::size_t size_ = 0;
};

/// Copies the digits before the decimal, without thousands separators.
bool take_whole_part(std::string_view& text, std::string_view thousands, PlainNumber& number) {
  std::size_t digits = leading_digits(text);
  bool fits = number.add(text.substr(0, digits));
  text.remove_prefix(digits);
  bool may_be_grouped = digits >= 1 && digits <= 3;
  while (fits && may_be_grouped && take(text, thousands)) {
    digits = leading_digits(text);
    fits = digits == 3 && number.add(text.substr(0, 3));
    text.remove_prefix(fits ? 3 : 0);
  }
  return fits;
}

}  // namespace

std::string_view without_spaces(std::string_view text) {
  // Most texts begin and end with a digit.
  const auto may_be_space = [](char c) { return c == ' ' || c == '\t' || (c & 0x80) != 0; };
  for (bool found = !text.empty() && (may_be_space(text.front()) || may_be_space(text.back()));
       found;) {
    found = false;
    for (const std::string_view space : kSpaces) {
      if (text.starts_with(space)) {
        text.remove_prefix(space.size());
        found = true;
      }
      if (text.ends_with(space)) {
        text.remove_suffix(space.size());
        found = true;
      }
    }
  }
  return text;
}

std::optional<double> NumberText::parse(std::string_view text) const {
  text = without_spaces(text);
  std::optional<bool> is_minus = take_sign(text);
  if (!prefix.empty() && take(text, without_spaces(prefix))) {
    text = without_spaces(text);
    is_minus = is_minus ? is_minus : take_sign(text);
  }
  if (const std::string_view end = without_spaces(suffix); !end.empty() && text.ends_with(end)) {
    text = without_spaces(text.substr(0, text.size() - end.size()));
  }
  if (text == "nan" || text == "NaN" || text == "NAN") {
    return std::numeric_limits<double>::quiet_NaN();
  }
  PlainNumber number;
  const bool has_whole_part = leading_digits(text) > 0;
  if ((is_minus == true && !number.add("-")) || !take_whole_part(text, thousands, number)) {
    return std::nullopt;
  }
  if (take(text, {&decimal, 1})) {
    const std::size_t digits = leading_digits(text);
    if (digits == 0 && !has_whole_part) {
      return std::nullopt;
    }
    if (digits > 0 &&
        (!number.add(has_whole_part ? "." : "0.") || !number.add(text.substr(0, digits)))) {
      return std::nullopt;
    }
    text.remove_prefix(digits);
  } else if (!has_whole_part) {
    return std::nullopt;
  }
  if (!text.empty() && (text.front() == 'e' || text.front() == 'E')) {
    text.remove_prefix(1);
    const std::optional<bool> is_negative = take_sign(text);
    const std::size_t digits = leading_digits(text);
    if (digits == 0 || !number.add(is_negative == true ? "e-" : "e") ||
        !number.add(text.substr(0, digits))) {
      return std::nullopt;
    }
    text.remove_prefix(digits);
  }
  return text.empty() ? number.value() : std::nullopt;
}

void NumberText::write(std::string_view plain, std::string& out) const {
  if (const std::optional<bool> is_minus = take_sign(plain); is_minus == true) {
    out.push_back('-');
  }
  out += prefix;
  const std::size_t digits = leading_digits(plain);
  for (std::size_t i = 0; i < digits; ++i) {
    if (i > 0 && (digits - i) % 3 == 0) {
      out += thousands;
    }
    out.push_back(plain[i]);
  }
  for (const char c : plain.substr(digits)) {
    out.push_back(c == '.' ? decimal : c);
  }
  out += suffix;
}

}  // namespace mehler
