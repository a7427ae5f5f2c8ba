#include "mehler/core/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <set>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"

namespace mehler {

std::string option_words(std::string_view name) { return fmt::format("option '{}'", name); }

const std::vector<std::string>& OptionValues::all(const std::string& name) const {
  static const std::vector<std::string> kNone;
  const auto place = values_.find(name);
  return place == values_.end() ? kNone : place->second;
}

std::uint64_t OptionValues::count(const std::string& name, std::uint64_t otherwise,
                                  std::uint64_t smallest, std::uint64_t largest) const {
  return has(name) ? parse_count(all(name).back(), option_words(name), smallest, largest)
                   : otherwise;
}

double OptionValues::number(const std::string& name, double otherwise) const {
  return has(name) ? parse_number(all(name).back(), option_words(name)) : otherwise;
}

std::size_t OptionValues::choice(const std::string& name, std::size_t otherwise,
                                 const std::vector<std::string>& words) const {
  if (!has(name)) {
    return otherwise;
  }
  const std::string& text = all(name).back();
  const auto place = std::find(words.begin(), words.end(), text);
  if (place == words.end()) {
    const std::vector<std::string> near = near_names(text, words);
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} takes one of {}, but got '{}'{}", option_words(name),
                            fmt::join(words, ", "), shown(text),
                            near.empty() ? "" : suggest_names(text, words)));
  }
  return static_cast<std::size_t>(place - words.begin());
}

std::map<std::string, double> OptionValues::numbers_by_name(const std::string& name) const {
  return numbers_by_name(name, parse_number, static_cast<double*>(nullptr));
}

std::pair<std::string, std::string> OptionValues::split_name(const std::string& option,
                                                             const std::string& text,
                                                             bool bare_too) {
  std::pair<std::string, std::string> parts = split_column(text, option_words(option));
  if (parts.first.empty() && !bare_too) {
    throw Error(ErrorCode::kInvalidArgument, fmt::format("{} takes NAME=NUMBER, but got '{}'",
                                                         option_words(option), shown(text)));
  }
  return parts;
}

std::string OptionValues::words_of(const std::string& option, const std::string& key) {
  return fmt::format("{} of '{}'", option_words(option), shown(key));
}

void OptionValues::refuse_second(const std::string& option, const std::string& key) {
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("{} is given twice for {}; give it once", option_words(option),
                          key.empty() ? "all columns" : fmt::format("'{}'", shown(key))));
}

OptionValues OptionValues::only(const std::vector<Option>& options) const {
  OptionValues result;
  for (const Option& option : options) {
    if (const auto place = values_.find(option.name); place != values_.end()) {
      result.values_.insert(*place);
    }
  }
  return result;
}

void OptionValues::require_known(const std::vector<Option>& known, std::string_view of_what) const {
  std::vector<std::string> names;
  for (const Option& option : known) {
    names.push_back(option.name);
  }
  for (const auto& [name, values] : values_) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      throw Error(
          ErrorCode::kInvalidArgument,
          fmt::format("{} has no option '{}'{}", of_what, shown(name), suggest_names(name, names)));
    }
  }
}

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
