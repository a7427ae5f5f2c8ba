#include "mehler/table/delimited_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "mehler/core/strict_json.h"

namespace mehler {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool is_utf8(std::string_view text) {
  try {
    Json(text).dump();
  } catch (const Json::type_error&) {
    return false;
  }
  return true;
}

/// Reads fields one after another and counts lines.
class FieldReader {
 public:
  FieldReader(std::string_view text, char delimiter, ErrorCode code, const std::string& what)
      : text_(text), delimiter_(delimiter), code_(code), what_(what) {}

  bool at_end() const { return place_ == text_.size(); }
  std::size_t line() const { return line_; }

  /// The next field of the row; the delimiter behind it is taken, a line end is not.
  std::string take_field() {
    if (!at_end() && text_[place_] == '"') {
      return take_quoted();
    }
    const std::size_t start = place_;
    while (!at_end() && text_[place_] != delimiter_ && !at_line_end()) {
      ++place_;
    }
    return std::string(text_.substr(start, place_ - start));
  }

  bool take_delimiter() {
    const bool found = !at_end() && text_[place_] == delimiter_;
    place_ += found ? 1 : 0;
    return found;
  }

  void take_line_end() {
    place_ += text_.substr(place_).starts_with("\r\n") ? 2 : at_end() ? 0 : 1;
    ++line_;
  }

 private:
  bool at_line_end() const { return text_[place_] == '\n' || text_[place_] == '\r'; }

  std::string take_quoted() {
    const std::size_t first_line = line_;
    std::string field;
    for (++place_; !at_end(); ++place_) {
      const char c = text_[place_];
      line_ += c == '\n' ? 1 : 0;
      if (c != '"') {
        field.push_back(c);
      } else if (text_.substr(place_).starts_with("\"\"")) {
        field.push_back('"');
        ++place_;
      } else {
        ++place_;
        if (!at_end() && text_[place_] != delimiter_ && !at_line_end()) {
          fail(line_, "has text behind a closing quote; write \"\" for a quote within a field");
        }
        return field;
      }
    }
    fail(first_line, "opens a quote that is not closed; close it, or write \"\" for a quote");
  }

  [[noreturn]] void fail(std::size_t line, std::string_view complaint) const {
    throw Error(code_, fmt::format("{}, line {}, {}", what_, line, complaint));
  }

  std::string_view text_;
  char delimiter_;
  ErrorCode code_;
  const std::string& what_;
  std::size_t place_ = 0;
  std::size_t line_ = 1;
};

}  // namespace

std::string_view require_utf8(std::string_view text, ErrorCode code, const std::string& what) {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    throw Error(code, what + " is written in UTF-16; save it as UTF-8 (\"CSV UTF-8\" in Excel)");
  }
  if (!is_utf8(text)) {
    std::size_t line = 1;
    std::size_t start = 0;
    for (std::size_t end = text.find('\n'); end != std::string_view::npos;
         start = end + 1, end = text.find('\n', start), ++line) {
      if (!is_utf8(text.substr(start, end - start))) {
        break;
      }
    }
    throw Error(code,
                fmt::format("{}, line {}, is not UTF-8; save the file as UTF-8 (\"CSV UTF-8\" "
                            "in Excel), or convert it, for example with iconv",
                            what, line));
  }
  text.remove_prefix(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
  return text;
}

std::vector<DelimitedRow> parse_delimited(std::string_view text, char delimiter, ErrorCode code,
                                          const std::string& what) {
  FieldReader reader(require_utf8(text, code, what), delimiter, code, what);
  std::vector<DelimitedRow> rows;
  while (!reader.at_end()) {
    DelimitedRow row{.line = reader.line(), .fields = {}};
    do {
      row.fields.push_back(reader.take_field());
    } while (reader.take_delimiter());
    reader.take_line_end();
    if (row.fields.size() > 1 || !row.fields.front().empty()) {
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

char delimiter_of(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of("\r\n"), text.size()));
  constexpr std::array kDelimiters = {',', ';', '\t'};
  std::array<std::size_t, kDelimiters.size()> counts{};
  bool is_quoted = false;
  for (const char c : text) {
    is_quoted ^= c == '"';
    if (!is_quoted && (c == '\n' || c == '\r')) {
      break;
    }
    const auto* place = std::find(kDelimiters.begin(), kDelimiters.end(), c);
    if (!is_quoted && place != kDelimiters.end()) {
      ++counts[static_cast<std::size_t>(place - kDelimiters.begin())];
    }
  }
  return kDelimiters[static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) -
                                              counts.begin())];
}

std::string delimited_row(const std::vector<std::string>& fields, char delimiter) {
  const std::string special = {delimiter, '"', '\r', '\n'};
  std::string row;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    row += i > 0 ? std::string(1, delimiter) : "";
    if (fields[i].find_first_of(special) == std::string::npos) {
      row += fields[i];
      continue;
    }
    row.push_back('"');
    for (const char c : fields[i]) {
      row += c == '"' ? "\"\"" : std::string(1, c);
    }
    row.push_back('"');
  }
  return row;
}

}  // namespace mehler
