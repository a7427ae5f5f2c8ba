#include "mehler/table/schema_sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <vector>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/table/delimited_text.h"
#include "mehler/table/sheet_cells.h"

namespace mehler {
namespace {

enum class Cell { kText, kNumber, kBoolean, kCategories, kBound };

struct Heading {
  std::string_view name;
  Cell cell;
};

/// The headings, in order; "more" comes after them. Of the bounds each has one.
constexpr std::array kHeadings = {
    Heading{"name", Cell::kText},
    Heading{"kind", Cell::kText},
    Heading{"low", Cell::kBound},
    Heading{"high", Cell::kBound},
    Heading{"step", Cell::kNumber},
    Heading{"decimals", Cell::kNumber},
    Heading{"transform", Cell::kText},
    Heading{"transform_scale", Cell::kNumber},
    Heading{"categories", Cell::kCategories},
    Heading{"other", Cell::kText},
    Heading{"missing", Cell::kBoolean},
    Heading{"out_of_range", Cell::kText},
    Heading{"type", Cell::kText},
    Heading{"timezone", Cell::kText},
    Heading{"make", Cell::kText},
};
constexpr std::string_view kMore = "more";
constexpr std::string_view kListRow = "#list:";
/// Keys of the whole file whose values are texts, whatever they look like.
constexpr std::array<std::string_view, 5> kTextKeys = {"$schema", "provenance", "relation",
                                                       "target", "others"};

bool is_text_key(std::string_view key) {
  return std::find(kTextKeys.begin(), kTextKeys.end(), key) != kTextKeys.end();
}

std::optional<std::string> cell_of(Cell cell, const Json& value) {
  switch (cell) {
    case Cell::kText:
      // An empty cell is no value.
      return value.is_string() && !value.get<std::string>().empty()
                 ? std::optional(text_cell(value.get<std::string>()))
                 : std::nullopt;
    case Cell::kNumber:
      return value.is_number() ? std::optional(value.dump()) : std::nullopt;
    case Cell::kBoolean:
      return value.is_boolean() ? std::optional(value.get<bool>() ? "yes" : "no") : std::nullopt;
    case Cell::kCategories:
      return categories_cell(value);
    case Cell::kBound:
      return number_or_text_cell(value);
  }
  return std::nullopt;
}

/// The heading under which a key of a column stands; nullptr if there is none.
const Heading* heading_of(std::string_view key) {
  const auto* place = std::find_if(kHeadings.begin(), kHeadings.end(), [&](const Heading& heading) {
    return heading.name == key && heading.cell != Cell::kBound;
  });
  return place == kHeadings.end() ? nullptr : place;
}

/// The cells of one column of the table; what has no cell goes to "more".
std::vector<std::string> column_row(const Json& column) {
  std::map<std::string, std::string> cells;
  Json more = Json::object();
  for (const auto& [key, value] : column.items()) {
    if (key == "bounds") {
      const bool is_pair = value.is_array() && value.size() == 2;
      const auto low = number_or_text_cell(is_pair ? value[0] : value);
      const auto high = is_pair ? number_or_text_cell(value[1]) : std::string();
      if (low && high) {
        cells["low"] = *low;
        cells["high"] = *high;
        continue;
      }
    }
    const Heading* heading = heading_of(key);
    const auto cell = heading == nullptr ? std::nullopt : cell_of(heading->cell, value);
    if (cell) {
      cells[key] = *cell;
    } else {
      more[key] = value;
    }
  }
  std::vector<std::string> row;
  for (const Heading& heading : kHeadings) {
    row.push_back(cells[std::string(heading.name)]);
  }
  row.push_back(more.empty() ? "" : one_line_json(more));
  return row;
}

/// Whether each has a form as a cell.
bool are_lists_of_categories(const Json& lists) {
  return lists.is_object() && std::all_of(lists.begin(), lists.end(), [](const Json& list) {
           return list.is_array() && categories_cell(list).has_value();
         });
}

bool is_blank_row(const DelimitedRow& row) {
  return std::all_of(row.fields.begin(), row.fields.end(),
                     [](const std::string& field) { return field.empty(); });
}

/// The delimiter with which a sheet has its headings; that of its first line if it has none.
char sheet_delimiter(std::string_view text, const std::string& what) {
  const char usual = delimiter_of(require_utf8(text, ErrorCode::kInvalidSchema, what));
  for (const char delimiter : {usual, ',', ';', '\t'}) {
    try {
      for (const DelimitedRow& row :
           parse_delimited(text, delimiter, ErrorCode::kInvalidSchema, what)) {
        if (is_blank_row(row) || row.fields.front().starts_with('#')) {
          continue;
        }
        const auto has = [&](const char* name) {
          return std::find(row.fields.begin(), row.fields.end(), name) != row.fields.end();
        };
        if (has("name") && has("kind")) {
          return delimiter;
        }
        break;
      }
    } catch (const Error&) {  // quotes that mean nothing between other delimiters
    }
  }
  return usual;
}

/// Parses JSON that is not nested so deeply that writing it would take all of the stack.
Json parse_cell_json(std::string_view cell) {
  constexpr int kDeepest = 100;
  bool is_too_deep = false;
  Json value = Json::parse(
      cell,
      [&](int depth, Json::parse_event_t, Json&) {
        is_too_deep = is_too_deep || depth > kDeepest;
        return depth <= kDeepest;
      },
      /*allow_exceptions=*/false);
  return is_too_deep ? Json(Json::value_t::discarded) : value;
}

/// Reads the lines of a sheet into a schema file.
class SheetReader {
 public:
  SheetReader(char delimiter, const std::string& what) : delimiter_(delimiter), what_(what) {}

  std::vector<DelimitedRow> rows(std::string_view text) const {
    return parse_delimited(text, delimiter_, ErrorCode::kInvalidSchema, what_);
  }

  void take(const DelimitedRow& row) {
    line_ = row.line;
    if (is_blank_row(row)) {
      return;  // a blank line of a spreadsheet
    }
    if (headings_.empty() && row.fields.front().starts_with('#')) {
      take_key(row);
    } else if (headings_.empty()) {
      take_headings(row);
    } else {
      take_column(row);
    }
  }

  Json finish() {
    if (headings_.empty()) {
      throw Error(ErrorCode::kInvalidSchema,
                  what_ +
                      " has no line of headings; it must begin with 'name' and 'kind' ('mehler "
                      "schema convert' writes one)");
    }
    if (!schema_.contains("mehler_schema")) {
      Json with_version = {{"mehler_schema", 1}};
      with_version.update(schema_);
      schema_ = std::move(with_version);
    }
    schema_["columns"] = std::move(columns_);
    return std::move(schema_);
  }

 private:
  bool has_decimal_comma() const { return delimiter_ != ','; }

  [[noreturn]] void fail(const std::string& complaint) const {
    throw Error(ErrorCode::kInvalidSchema, fmt::format("{}, line {}, {}", what_, line_, complaint));
  }

  /// Spreadsheets fill short lines up with empty cells; anything else there would be lost.
  void require_empty_from(const DelimitedRow& row, std::size_t place) const {
    if (std::any_of(
            row.fields.begin() + static_cast<std::ptrdiff_t>(std::min(place, row.fields.size())),
            row.fields.end(), [](const std::string& field) { return !field.empty(); })) {
      fail(fmt::format("has text behind its {} cells; remove it, or put it in quotes", place));
    }
  }

  void take_key(const DelimitedRow& row) {
    require_empty_from(row, 2);
    const std::string& mark = row.fields.front();
    const std::string cell = row.fields.size() > 1 ? row.fields[1] : "";
    const bool is_list = mark.starts_with(kListRow);
    Json& target = is_list ? schema_["lists"] : schema_;
    const std::string key = mark.substr(is_list ? kListRow.size() : 1);
    if (target.contains(key)) {
      fail(fmt::format("has '{}' a second time; remove one", shown(mark)));
    }
    if (is_list) {
      target[key] = categories_of_cell(cell);
      return;
    }
    const Json value = parse_cell_json(cell);
    target[key] = is_text_key(key) || value.is_discarded() ? Json(text_of_cell(cell)) : value;
  }

  void take_headings(const DelimitedRow& row) {
    std::vector<std::string> known;
    for (const Heading& heading : kHeadings) {
      known.emplace_back(heading.name);
    }
    known.emplace_back(kMore);
    for (const std::string& name : row.fields) {
      if (!name.empty() && std::find(known.begin(), known.end(), name) == known.end()) {
        fail(
            fmt::format("has the unknown heading '{}'{}", shown(name), suggest_names(name, known)));
      }
      if (!name.empty() && std::find(headings_.begin(), headings_.end(), name) != headings_.end()) {
        fail(fmt::format("has the heading '{}' twice; remove one", name));
      }
      headings_.push_back(name);
    }
    for (const char* name : {"name", "kind"}) {
      if (std::find(headings_.begin(), headings_.end(), name) == headings_.end()) {
        fail(fmt::format("has no heading '{}'; every column needs one", name));
      }
    }
  }

  void take_column(const DelimitedRow& row) {
    require_empty_from(row, headings_.size());
    cells_.clear();
    for (std::size_t i = 0; i < std::min(row.fields.size(), headings_.size()); ++i) {
      if (headings_[i].empty() && !row.fields[i].empty()) {
        fail(fmt::format("has a cell in column {}, which has no heading; remove it", i + 1));
      }
      if (!row.fields[i].empty()) {
        cells_[headings_[i]] = row.fields[i];
      }
    }
    Json column = Json::object();
    for (const Heading& heading : kHeadings) {
      if (heading.cell == Cell::kBound) {
        add_bounds(column);
      } else if (const auto place = cells_.find(std::string(heading.name)); place != cells_.end()) {
        column[place->first] = value_of(heading, place->second);
      }
    }
    add_more(column);
    columns_.push_back(std::move(column));
  }

  Json value_of(const Heading& heading, const std::string& cell) const {
    if (heading.cell == Cell::kNumber) {
      const auto number = number_of_cell(cell, has_decimal_comma());
      return number ? *number
                    : fail_cell(heading.name, "is no number; write it with a decimal point");
    }
    if (heading.cell == Cell::kBoolean) {
      const auto value = boolean_of_cell(cell);
      return value ? Json(*value) : fail_cell(heading.name, "is neither yes nor no");
    }
    return heading.cell == Cell::kCategories ? categories_of_cell(cell) : Json(text_of_cell(cell));
  }

  [[noreturn]] Json fail_cell(std::string_view heading, std::string_view complaint) const {
    fail(fmt::format("has a cell '{}' that {}", heading, complaint));
  }

  Json bound_of(const std::string& cell) const {
    const auto number = number_of_cell(cell, has_decimal_comma());
    return number ? *number : Json(text_of_cell(cell));
  }

  void add_bounds(Json& column) const {
    const auto low = cells_.find("low");
    const auto high = cells_.find("high");
    if (low == cells_.end() && high == cells_.end()) {
      return;
    }
    if (low == cells_.end()) {
      fail("has a 'high' without a 'low'; write both bounds");
    }
    if (high != cells_.end()) {
      column["bounds"] = {bound_of(low->second), bound_of(high->second)};
    } else if (number_of_cell(low->second, has_decimal_comma())) {
      fail("has a 'low' without a 'high'; write both bounds");
    } else {
      column["bounds"] = text_of_cell(low->second);  // "undeclared"
    }
  }

  void add_more(Json& column) const {
    const auto place = cells_.find(std::string(kMore));
    if (place == cells_.end()) {
      return;
    }
    const Json more = parse_cell_json(place->second);
    if (!more.is_object()) {
      fail("has a 'more' that is no JSON object, as in {\"key\": 1}");
    }
    for (const auto& [key, value] : more.items()) {
      if (column.contains(key)) {
        fail(fmt::format("has '{}' in a cell of its own and in 'more'; keep one", shown(key)));
      }
      column[key] = value;
    }
  }

  char delimiter_;
  const std::string& what_;
  std::size_t line_ = 1;
  Json schema_ = Json::object();
  Json columns_ = Json::array();
  std::vector<std::string> headings_;
  std::map<std::string, std::string> cells_;
};

}  // namespace

std::string sheet_of_schema(const Json& schema) {
  std::string text = "\xef\xbb\xbf";  // by which spreadsheets know UTF-8
  const auto add = [&](const std::vector<std::string>& row) {
    text += delimited_row(row, ',') + "\r\n";
  };
  for (const auto& [key, value] : schema.items()) {
    if (key == "lists" && are_lists_of_categories(value)) {
      for (const auto& [name, list] : value.items()) {
        add({std::string(kListRow) + name, *categories_cell(list)});
      }
    } else if (key != "columns") {
      const bool is_text = is_text_key(key) && value.is_string();
      add({"#" + key, is_text ? text_cell(value.get<std::string>()) : one_line_json(value)});
    }
  }
  std::vector<std::string> headings;
  for (const Heading& heading : kHeadings) {
    headings.emplace_back(heading.name);
  }
  headings.emplace_back(kMore);
  add(headings);
  for (const Json& column : schema["columns"]) {
    add(column_row(column));
  }
  return text;
}

Json schema_of_sheet(std::string_view text, const std::string& what) {
  SheetReader reader(sheet_delimiter(text, what), what);
  for (const DelimitedRow& row : reader.rows(text)) {
    reader.take(row);
  }
  return reader.finish();
}

}  // namespace mehler
