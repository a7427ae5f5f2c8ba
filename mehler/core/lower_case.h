#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace mehler {

/// The text with its letters of ASCII in lower case.
inline std::string lower_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

}  // namespace mehler
