#include "number_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <set>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"

namespace mehler {

double parse_number(const std::string& text, const std::string& option) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} takes a number, but got '{}'; write one such as 0.5 or 1e-6",
                            option, shown(text)));
  }
  return value;
}

std::uint64_t parse_count(const std::string& text, const std::string& option,
                          std::uint64_t smallest, std::uint64_t largest) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < smallest ||
      value > largest) {
    const std::string range = largest == UINT64_MAX
                                  ? fmt::format("of at least {}", smallest)
                                  : fmt::format("from {} to {}", smallest, largest);
    throw Error(ErrorCode::kInvalidArgument, fmt::format("{} takes a whole number {}, but got '{}'",
                                                         option, range, shown(text)));
  }
  return value;
}

std::vector<std::size_t> parse_count_list(const std::string& text, const std::string& option,
                                          std::uint64_t smallest, std::uint64_t largest) {
  std::set<std::size_t> numbers;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string item = text.substr(begin, end - begin);
    // A leading '-' is a sign, which parse_count refuses with the range.
    const std::size_t dash = item.find('-', 1);
    const std::uint64_t first = parse_count(item.substr(0, dash), option, smallest, largest);
    const std::uint64_t last = dash == std::string::npos
                                   ? first
                                   : parse_count(item.substr(dash + 1), option, smallest, largest);
    if (last < first) {
      throw Error(
          ErrorCode::kInvalidArgument,
          fmt::format("{} names the range '{}', which ends before it begins", option, shown(item)));
    }
    for (std::uint64_t number = first; number <= last; ++number) {
      numbers.insert(number);
    }
    begin = end + 1;
  }
  return {numbers.begin(), numbers.end()};
}

std::pair<std::string, std::string> split_column(const std::string& text,
                                                 const std::string& option) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos) {
    return {"", text};
  }
  if (equals == 0) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} has no name before the '=' of '{}'; write NAME=NUMBER", option,
                            shown(text)));
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::pair<std::string, double> parse_column_number(const std::string& text,
                                                   const std::string& option) {
  const auto [column, number] = split_column(text, option);
  return {column, parse_number(number, option)};
}

}  // namespace mehler
