# Writes mehler/report/page.h: the page of HTML reports as a text, with the hashes of its own script and style filled in.
# A browser then runs these two and nothing that data might smuggle in (docs/design/0028-html-report.md).
set(page_file ${PROJECT_SOURCE_DIR}/mehler/report/page.html)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page_file})
file(READ ${page_file} page_text)

# The SHA-256 of what stands between <tag> and </tag>, in base64: three digits of hexadecimal are two of base64.
function(mehler_page_hash tag result)
  string(FIND "${page_text}" "<${tag}>" first)
  string(LENGTH "<${tag}>" tag_length)
  math(EXPR first "${first} + ${tag_length}")
  string(SUBSTRING "${page_text}" ${first} -1 inner)
  string(FIND "${inner}" "</${tag}>" length)
  string(SUBSTRING "${inner}" 0 ${length} inner)
  string(SHA256 hex "${inner}")
  set(digits "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  set(base64 "")
  foreach(place RANGE 0 63 3)
    string(SUBSTRING "${hex}00" ${place} 3 three)
    math(EXPR high "0x${three} >> 6")
    math(EXPR low "0x${three} & 63")
    string(SUBSTRING ${digits} ${high} 1 high)
    string(SUBSTRING ${digits} ${low} 1 low)
    string(APPEND base64 ${high}${low})
  endforeach()
  string(SUBSTRING ${base64} 0 43 base64)  # 256 bits; a sign fills up
  set(${result} "${base64}=" PARENT_SCOPE)
endfunction()

mehler_page_hash(script script_hash)
mehler_page_hash(style style_hash)
string(REPLACE "sha256-SCRIPT" "sha256-${script_hash}" page_text "${page_text}")
string(REPLACE "sha256-STYLE" "sha256-${style_hash}" page_text "${page_text}")
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/mehler/report/page.h @ONLY CONTENT
"#pragma once

#include <string_view>

namespace mehler {

/// The page of an HTML report; the word FIGURES stands where its figures go.
inline constexpr std::string_view kPage = R\"page(@page_text@)page\";

}  // namespace mehler
")
