#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mehler/core/error.h"

namespace mehler {

/// How the characters of a text file are written as bytes.
enum class TextEncoding {
  kUtf8,         ///< a byte order mark is skipped, and none is written
  kUtf8Bom,      ///< the same, but the mark is written: Excel then knows the file for UTF-8
  kLatin1,       ///< ISO 8859-1
  kWindows1252,  ///< what Excel's plain CSV is in Western Europe and America
  kUtf16,        ///< either order of bytes; written with the low byte first and a mark
};

/// "utf-8", "utf-8-bom", "latin-1", "windows-1252" or "utf-16".
std::string_view encoding_name(TextEncoding encoding);
std::optional<TextEncoding> encoding_from_name(std::string_view name);
std::vector<std::string> encoding_names();

/// How a CSV table is written: a part of its schema, so that every command reads the table alike
/// and synthetic tables are written as it is. Public. Parquet and Arrow have no use for it.
struct Dialect {
  /// Between fields. Empty: a tab in .tsv, else a comma. A .tsv file has tabs whatever stands here.
  std::optional<char> delimiter;
  /// Whether the first line names the columns.
  bool header = true;
  /// '.' or ','.
  char decimal = '.';
  /// One of thousands_separators(), or empty.
  std::string thousands;
  /// Spellings of a missing value besides the empty field. The first is written; "" writes nothing.
  std::vector<std::string> missing;
  /// Boolean columns: words for true and for false; of each the first is written. Both or neither;
  /// without them true, false, 1 and 0 are read, and true and false written.
  std::vector<std::string> true_words;
  std::vector<std::string> false_words;
  TextEncoding encoding = TextEncoding::kUtf8;
  /// Lines at the top that are left out. Synthetic tables have as many blank ones there.
  std::size_t skip_lines = 0;
  /// Whether spaces and tabs around fields, outside quotes, are dropped.
  bool trim_spaces = false;

  bool is_plain() const { return *this == Dialect{}; }
  bool operator==(const Dialect&) const = default;
};

/// ".", ",", "'", the typographic apostrophe, a space, and the no-break spaces.
const std::vector<std::string>& thousands_separators();

/// Throws Error(code) that begins with `what` if the parts of the dialect do not go together.
void check_dialect(const Dialect& dialect, ErrorCode code, std::string_view what);

/// Throws Error(code) unless both lists are empty, or neither, and no word is empty, has a quote or
/// a line break, or stands in both.
void check_words(const std::vector<std::string>& true_words,
                 const std::vector<std::string>& false_words, ErrorCode code,
                 std::string_view what);

/// Whether the encoding has every character.
constexpr bool can_write_all(TextEncoding encoding) {
  return encoding != TextEncoding::kLatin1 && encoding != TextEncoding::kWindows1252;
}

/// Whether every character of a text in UTF-8 can be written in the encoding.
bool can_be_written(std::string_view text, TextEncoding encoding);

}  // namespace mehler
