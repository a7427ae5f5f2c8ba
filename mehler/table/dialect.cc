#include "mehler/table/dialect.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace mehler {
namespace {

constexpr std::array kEncodings = {
    std::pair{TextEncoding::kUtf8, std::string_view("utf-8")},
    std::pair{TextEncoding::kUtf8Bom, std::string_view("utf-8-bom")},
    std::pair{TextEncoding::kLatin1, std::string_view("latin-1")},
    std::pair{TextEncoding::kWindows1252, std::string_view("windows-1252")},
    std::pair{TextEncoding::kUtf16, std::string_view("utf-16")},
};

/// What windows-1252 has at 0x80 to 0x9f.
constexpr std::u32string_view kWindowsExtras = U"€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ";

void check_missing(const Dialect& dialect, ErrorCode code, std::string_view what) {
  const std::string refused = {dialect.delimiter.value_or(','), '"', '\r', '\n'};
  for (const std::string& spelling : dialect.missing) {
    if (spelling.find_first_of(refused) != std::string::npos) {
      throw Error(code, fmt::format("{} has a spelling of missing values with the delimiter, a "
                                    "quote or a line break in it; only unquoted fields are "
                                    "missing, so take it out",
                                    what));
    }
  }
}

/// The code points of a text in UTF-8 that is well formed.
std::u32string code_points(std::string_view text) {
  std::u32string points;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xc0) == 0x80 && !points.empty()) {
      points.back() = (points.back() << 6) | (byte & 0x3f);
    } else {
      points.push_back(byte < 0x80 ? byte : byte < 0xe0 ? byte & 0x1f : byte & 0x0f);
    }
  }
  return points;
}

}  // namespace

std::string_view encoding_name(TextEncoding encoding) {
  return std::find_if(kEncodings.begin(), kEncodings.end(),
                      [&](const auto& entry) { return entry.first == encoding; })
      ->second;
}

std::optional<TextEncoding> encoding_from_name(std::string_view name) {
  for (const auto& [encoding, known] : kEncodings) {
    if (known == name) {
      return encoding;
    }
  }
  return std::nullopt;
}

std::vector<std::string> encoding_names() {
  std::vector<std::string> names;
  for (const auto& entry : kEncodings) {
    names.emplace_back(entry.second);
  }
  return names;
}

const std::vector<std::string>& thousands_separators() {
  static const std::vector<std::string> separators = {".", ",",      "'",     "\u2019",
                                                      " ", "\u00a0", "\u202f"};
  return separators;
}

void check_words(const std::vector<std::string>& true_words,
                 const std::vector<std::string>& false_words, ErrorCode code,
                 std::string_view what) {
  if (true_words.empty() != false_words.empty()) {
    throw Error(code, fmt::format("{} has words for {} alone; write both \"true\" and \"false\"",
                                  what, true_words.empty() ? "false" : "true"));
  }
  std::vector<std::string> all = true_words;
  all.insert(all.end(), false_words.begin(), false_words.end());
  for (const std::string& word : all) {
    if (word.empty() || word.find_first_of("\"\r\n") != std::string::npos) {
      throw Error(code, fmt::format("{} has a word for true or false that is empty or has a quote "
                                    "or a line break; an empty field is a missing value",
                                    what));
    }
  }
  std::sort(all.begin(), all.end());
  if (std::adjacent_find(all.begin(), all.end()) != all.end()) {
    throw Error(code, fmt::format("{} has a word for true or false twice; remove one", what));
  }
}

void check_dialect(const Dialect& dialect, ErrorCode code, std::string_view what) {
  const auto refuse = [&](std::string_view complaint) {
    throw Error(code, fmt::format("{} {}", what, complaint));
  };
  const char delimiter = dialect.delimiter.value_or(',');
  if (std::string_view("\"\r\n").find(delimiter) != std::string_view::npos || delimiter == '\0') {
    refuse("has a quote, a line break or the zero byte as its delimiter; choose another character");
  }
  if (static_cast<unsigned char>(delimiter) >= 0x80) {
    refuse("has a delimiter that is no ASCII character; choose another character");
  }
  if (dialect.decimal != '.' && dialect.decimal != ',') {
    refuse("has a decimal that is neither \".\" nor \",\"; choose one of the two");
  }
  const std::vector<std::string>& separators = thousands_separators();
  if (!dialect.thousands.empty() &&
      std::find(separators.begin(), separators.end(), dialect.thousands) == separators.end()) {
    refuse(
        "has a thousands separator that is not known; allowed are \"\" for none, \".\", \",\", "
        "an apostrophe, a space and a no-break space");
  }
  if (dialect.thousands == std::string(1, dialect.decimal)) {
    refuse("has the same character as its decimal and its thousands separator; change one");
  }
  if (dialect.decimal == delimiter) {
    refuse(
        "has a decimal that is also the delimiter between fields; name the delimiter that the "
        "file has, such as \";\"");
  }
  check_missing(dialect, code, what);
  check_words(dialect.true_words, dialect.false_words, code, what);
  std::vector<std::string> written = dialect.missing;
  written.push_back(dialect.thousands);
  for (const auto* words : {&dialect.true_words, &dialect.false_words}) {
    for (const std::string& word : *words) {
      if (std::find(dialect.missing.begin(), dialect.missing.end(), word) !=
          dialect.missing.end()) {
        refuse(
            "has a word for true or false that is also a spelling of missing values; remove "
            "one");
      }
      written.push_back(word);
    }
  }
  if (!std::all_of(written.begin(), written.end(), [&](const std::string& text) {
        return can_be_written(text, dialect.encoding);
      })) {
    refuse(
        fmt::format("has a spelling or a separator that cannot be written in its encoding {}; "
                    "choose the encoding utf-8 or utf-16",
                    encoding_name(dialect.encoding)));
  }
}

bool can_be_written(std::string_view text, TextEncoding encoding) {
  if (can_write_all(encoding)) {
    return true;
  }
  const std::u32string points = code_points(text);
  return std::all_of(points.begin(), points.end(), [&](char32_t point) {
    return point < 0x80 || (point >= 0xa0 && point <= 0xff) ||
           (point < 0xa0 && encoding == TextEncoding::kLatin1) ||
           (encoding == TextEncoding::kWindows1252 &&
            kWindowsExtras.find(point) != std::u32string_view::npos);
  });
}

}  // namespace mehler
