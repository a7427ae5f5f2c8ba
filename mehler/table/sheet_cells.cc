#include "mehler/table/sheet_cells.h"

#include <algorithm>
#include <array>
#include <vector>

#include "mehler/core/lower_case.h"
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

bool is_boolean_word(const std::string& text) { return text == "true" || text == "false"; }

/// Whether all are written as whole numbers, or all as true and false.
bool look_like_values(const std::vector<std::string>& texts) {
  return std::all_of(texts.begin(), texts.end(), [](auto& text) { return plain_integer(text); }) ||
         std::all_of(texts.begin(), texts.end(), is_boolean_word);
}

/// One category as it stands in a cell, in quotes if it must be.
std::string category_item(const std::string& text, bool is_quoted) {
  std::string escaped;
  for (const char c : text) {
    escaped += c == '|' || c == '\\' || c == '"' ? std::string{'\\', c} : std::string(1, c);
  }
  return is_quoted ? '"' + escaped + '"' : escaped;
}

struct CategoryItem {
  std::string text;
  bool is_plain = true;  ///< neither quotes nor escapes
};

/// One category, from its place in the cell to the next bar.
CategoryItem take_item(std::string_view cell, std::size_t& place) {
  CategoryItem item;
  bool ends_in_quote = false;  // that is not escaped
  const bool begins_in_quote = place < cell.size() && cell[place] == '"';
  for (; place < cell.size() && cell[place] != '|'; ++place) {
    const bool is_escape = cell[place] == '\\' && place + 1 < cell.size();
    place += is_escape ? 1 : 0;
    ends_in_quote = !is_escape && cell[place] == '"';
    item.is_plain = item.is_plain && !is_escape;
    item.text.push_back(cell[place]);
  }
  if (begins_in_quote && ends_in_quote && item.text.size() > 1) {
    return {item.text.substr(1, item.text.size() - 2), false};
  }
  return item;
}

}  // namespace

std::string text_cell(const std::string& text) {
  constexpr std::string_view kChanged = "0123456789=+-@.'\t ";
  const std::string lower = lower_case(text);
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
  std::vector<std::string> texts;
  for (const Json& category : categories) {
    const bool is_value =
        category.is_boolean() || (category.is_number_integer() && plain_integer(category.dump()));
    if (!is_value && !category.is_string()) {
      return std::nullopt;
    }
    texts.push_back(is_value ? category.dump() : category.get<std::string>());
  }
  const bool look_alike = look_like_values(texts);
  std::string cell;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const bool is_source = i == 0 && (is_mark(texts[i]) || texts[i].starts_with(kListMark) ||
                                      texts[i].starts_with(kFileMark));
    const bool is_quoted =
        texts[i].empty() || is_source || (look_alike && categories[i].is_string());
    cell += (i > 0 ? "|" : "") + category_item(texts[i], is_quoted);
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
  std::vector<std::string> texts;
  bool are_plain = true;
  for (std::size_t place = 0; place == 0 || place <= cell.size(); ++place) {
    CategoryItem item = take_item(cell, place);
    are_plain = are_plain && item.is_plain;
    texts.push_back(std::move(item.text));
  }
  Json list = Json::array();
  const bool are_values = are_plain && look_like_values(texts);
  for (const std::string& text : texts) {
    if (!are_values) {
      list.push_back(text);
    } else if (is_boolean_word(text)) {
      list.push_back(text == "true");
    } else {
      list.push_back(*plain_integer(text));
    }
  }
  return list;
}

std::optional<bool> boolean_of_cell(std::string_view cell) {
  const std::string lower = lower_case(cell);
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
