#include "mehler/report/page_text.h"

#include <fmt/format.h>

#include "mehler/report/page.h"

namespace mehler {

std::string json_in_html(const Json& json) {
  std::string text;
  for (const char c : json.dump(-1, ' ', true, Json::error_handler_t::ignore)) {
    if (c == '<' || c == '>' || c == '&') {  // only within texts: JSON has no such signs of its own
      text += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      text += c;
    }
  }
  return text;
}

std::string page_of(const Json& figures) {
  constexpr std::string_view kPlace = ">FIGURES<";
  const std::size_t place = kPage.find(kPlace);
  MEHLER_ASSERT(place != std::string_view::npos);
  return fmt::format("{}>{}<{}", kPage.substr(0, place), json_in_html(figures),
                     kPage.substr(place + kPlace.size()));
}

std::string base64_of(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t first = 0; first < bytes.size(); first += 3) {
    unsigned three = 0;
    for (std::size_t i = first; i < first + 3; ++i) {
      three = three << 8 | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U);
    }
    for (std::size_t digit = 0; digit < 4; ++digit) {
      const bool is_filling = first + digit > bytes.size();
      text += is_filling ? '=' : kDigits[three >> (18 - 6 * digit) & 63U];
    }
  }
  return text;
}

}  // namespace mehler
