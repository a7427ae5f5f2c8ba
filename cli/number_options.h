#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mehler {

/// The number that an option's text is. Throws Error(kInvalidArgument) naming the option unless the
/// whole text is one number ("nan" and "inf" are; the library says what it thinks of them).
double parse_number(const std::string& text, const std::string& option);

/// The whole number, at least `smallest`, that an option's text is.
std::uint64_t parse_count(const std::string& text, const std::string& option,
                          std::uint64_t smallest, std::uint64_t largest);

/// The whole numbers that a list such as "1,2,5-8" names, rising, each once. Each within `smallest`
/// and `largest`.
std::vector<std::size_t> parse_count_list(const std::string& text, const std::string& option,
                                          std::uint64_t smallest, std::uint64_t largest);

/// Splits "column=number", whatever the number is; the column is empty for a bare number.
std::pair<std::string, std::string> split_column(const std::string& text,
                                                 const std::string& option);

/// The same, with the number read.
std::pair<std::string, double> parse_column_number(const std::string& text,
                                                   const std::string& option);

}  // namespace mehler
