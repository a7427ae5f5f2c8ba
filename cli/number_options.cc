#include "number_options.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>

#include "mehler/core/error.h"

namespace mehler {

double parse_number(const std::string& text, const std::string& option) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} takes a number, but got '{}'; write one such as 0.5 or 1e-6",
                            option, text));
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
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} takes a whole number {}, but got '{}'", option, range, text));
  }
  return value;
}

}  // namespace mehler
