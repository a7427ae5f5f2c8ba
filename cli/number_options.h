#pragma once

#include <cstdint>
#include <string>

namespace mehler {

/// The number that an option's text is. Throws Error(kInvalidArgument) naming the option unless the
/// whole text is one number ("nan" and "inf" are; the library says what it thinks of them).
double parse_number(const std::string& text, const std::string& option);

/// The whole number, at least `smallest`, that an option's text is.
std::uint64_t parse_count(const std::string& text, const std::string& option,
                          std::uint64_t smallest, std::uint64_t largest);

}  // namespace mehler
