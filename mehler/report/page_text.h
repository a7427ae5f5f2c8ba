#pragma once

#include <string>
#include <string_view>

#include "mehler/core/strict_json.h"

namespace mehler {

/// JSON as it may stand in a <script> element: no '<', '>' or '&' and nothing but ASCII, so that no
/// text can end the element, whatever it says. Texts that are not UTF-8 lose the bytes that are
/// not.
std::string json_in_html(const Json& json);

/// A page of HTML that draws these figures; page.html says what it expects.
std::string page_of(const Json& figures);

/// Bytes in the alphabet of data: addresses.
std::string base64_of(std::string_view bytes);

}  // namespace mehler
