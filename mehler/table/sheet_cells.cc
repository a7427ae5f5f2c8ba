#include "mehler/table/sheet_cells.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "mehler/table/stored_type.h"

namespace mehler {
namespace {

/// Words that stand for bounds and categories that are not written out.
constexpr std::array<std::string_view, 2> kMarks = {"undeclared", "buy"};
constexpr std::string_view kListMark = "list:";
constexpr std::string_view kFileMark = "file:";

bool is_mark(std::string_view text) {
  return std::find(kMarks.begin(), kMarks.end(), text) != kMarks.end();
}

std::string lower_case_cell(std::string_view cell) {
  std::string lower(cell);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

/// Whether a category without quotes would be read as something else than this text.
bool needs_quotes(const std::string& text, bool is_first) {
  return text.empty() || text == "true" || text == "false" || plain_integer(text) ||
         (is_first &&
          (is_mark(text) || text.starts_with(kListMark) || text.starts_with(kFileMark)));
}

std::string category_item(const Json& category, bool is_first) {
  if (!category.is_string()) {
    return category.dump();
  }
  const std::string text = category.get<std::string>();
  std::string escaped;
  for (const char c : text) {
    escaped += c == '|' || c == '\\' || c == '"' ? std::string{'\\', c} : std::string(1, c);
  }
  return needs_quotes(text, is_first) ? '"' + escaped + '"' : escaped;
}

/// One category, from its place in the cell to the next bar.
Json take_item(std::string_view cell, std::size_t& place) {
  std::string text;
  bool is_plain = true;        // neither quotes nor escapes
  bool ends_in_quote = false;  // that is not escaped
  const bool begins_in_quote = place < cell.size() && cell[place] == '"';
  for (; place < cell.size() && cell[place] != '|'; ++place) {
    const bool is_escape = cell[place] == '\\' && place + 1 < cell.size();
    place += is_escape ? 1 : 0;
    ends_in_quote = !is_escape && cell[place] == '"';
    is_plain = is_plain && !is_escape;
    text.push_back(cell[place]);
  }
  if (begins_in_quote && ends_in_quote && text.size() > 1) {
    return text.substr(1, text.size() - 2);
  }
  if (is_plain && plain_integer(text)) {
    return *plain_integer(text);
  }
  if (is_plain && (text == "true" || text == "false")) {
    return text == "true";
  }
  return text;
}

}  // namespace

std::string text_cell(const std::string& text) {
  constexpr std::string_view kChanged = "0123456789=+-@.'\t ";
  const std::string lower = lower_case_cell(text);
  const bool is_changed =
      !text.empty() && (kChanged.find(text[0]) != std::string_view::npos || text.back() == ' ' ||
                        lower == "true" || lower == "false");
  return is_changed ? "'" + text : text;
}

std::string text_of_cell(std::string_view cell) {
  cell.remove_prefix(cell.starts_with('\'') ? 1 : 0);
  return std::string(cell);
}

std::optional<std::string> number_or_text_cell(const Json& value) {
  if (value.is_number()) {
    return value.dump();
  }
  if (!value.is_string() || value.get<std::string>().empty()) {
    return std::nullopt;
  }
  return text_cell(value.get<std::string>());
}

std::optional<Json> number_of_cell(std::string_view cell, bool decimal_comma) {
  std::string text(cell);
  if (decimal_comma) {
    std::replace(text.begin(), text.end(), ',', '.');
  }
  const Json value = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  return value.is_number() ? std::optional(value) : std::nullopt;
}

std::optional<std::string> categories_cell(const Json& categories) {
  if (categories.is_string() && is_mark(categories.get<std::string>())) {
    return categories.get<std::string>();
  }
  if (categories.is_object() && categories.size() == 1 && categories.begin()->is_string()) {
    const std::string source = categories.begin()->get<std::string>();
    return categories.contains("list")   ? std::optional(std::string(kListMark) + source)
           : categories.contains("file") ? std::optional(std::string(kFileMark) + source)
                                         : std::nullopt;
  }
  if (!categories.is_array() || categories.empty()) {
    return std::nullopt;
  }
  std::string cell;
  for (const Json& category : categories) {
    if (!category.is_string() && !category.is_boolean() &&
        !(category.is_number_integer() && plain_integer(category.dump()))) {
      return std::nullopt;
    }
    cell += (&category == &categories.front() ? "" : "|") +
            category_item(category, &category == &categories.front());
  }
  return text_cell(cell);
}

Json categories_of_cell(std::string_view given) {
  const std::string cell = text_of_cell(given);
  if (is_mark(cell)) {
    return cell;
  }
  for (const std::string_view mark : {kListMark, kFileMark}) {
    if (cell.starts_with(mark)) {
      return {{std::string(mark.substr(0, mark.size() - 1)), cell.substr(mark.size())}};
    }
  }
  Json list = Json::array();
  for (std::size_t place = 0;; ++place) {
    list.push_back(take_item(cell, place));
    if (place >= cell.size()) {
      return list;
    }
  }
}

std::optional<bool> boolean_of_cell(std::string_view cell) {
  const std::string lower = lower_case_cell(cell);
  for (const char* word : {"yes", "true", "1", "wahr", "ja", "vrai", "oui"}) {
    if (lower == word) {
      return true;
    }
  }
  for (const char* word : {"no", "false", "0", "falsch", "nein", "faux", "non"}) {
    if (lower == word) {
      return false;
    }
  }
  return std::nullopt;
}

}  // namespace mehler
