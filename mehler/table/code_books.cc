#include "mehler/table/code_books.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "mehler/core/atomic_file.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/table/delimited_text.h"

namespace mehler {
namespace {

constexpr std::size_t kMaxCodeBookBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxCodes = 1'000'000;
/// In all columns that name lists or code books: a short file must not ask for all memory.
constexpr std::size_t kMaxWrittenOut = 10'000'000;

[[noreturn]] void refuse_book(const std::string& what, const std::string& complaint) {
  throw Error(ErrorCode::kInvalidSchema, what + complaint);
}

/// Each line that is not blank, whole.
std::vector<DelimitedRow> whole_lines(std::string_view text, const std::string& what) {
  text = require_utf8(text, ErrorCode::kInvalidSchema, what);
  std::vector<DelimitedRow> rows;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view code = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    code.remove_suffix(code.ends_with('\r') ? 1 : 0);
    if (!code.empty()) {
      rows.push_back({line, {std::string(code)}});
    }
  }
  return rows;
}

/// Where the column of that name stands in the first row.
std::size_t place_of(const std::string& column, const std::vector<DelimitedRow>& rows,
                     const std::string& what) {
  const std::vector<std::string>& names = rows.front().fields;
  const auto place = std::find(names.begin(), names.end(), column);
  if (place == names.end()) {
    refuse_book(what, fmt::format(" has no column '{}' in its first line{}", shown(column),
                                  suggest_names(column, names)));
  }
  return static_cast<std::size_t>(place - names.begin());
}

Json codes_of(const std::vector<DelimitedRow>& rows, std::size_t first, std::size_t place,
              const std::string& what) {
  std::unordered_map<std::string, std::size_t> line_of;
  Json codes = Json::array();
  for (std::size_t i = first; i < rows.size(); ++i) {
    const auto& [line, fields] = rows[i];
    if (place >= fields.size() || fields[place].empty()) {
      refuse_book(what, fmt::format(", line {}, has no code; write one, or remove the line", line));
    }
    const auto [twin, is_new] = line_of.emplace(fields[place], line);
    if (!is_new) {
      refuse_book(what, fmt::format(" has the code '{}' twice, in the lines {} and {}; remove one",
                                    shown(fields[place]), twin->second, line));
    }
    if (line_of.size() > kMaxCodes) {
      refuse_book(what,
                  fmt::format(" has more than {} codes, the most that a column may have, from "
                              "line {} on; group the rare ones",
                              kMaxCodes, line));
    }
    codes.push_back(fields[place]);
  }
  if (codes.empty()) {
    refuse_book(what, " has no codes; write one a line");
  }
  return codes;
}

Json read_code_book(JsonObjectReader& reader, const std::optional<std::filesystem::path>& folder) {
  const std::string file = reader.text("file");
  const std::optional<std::string> column = reader.optional_text("column");
  const bool has_header = reader.optional_boolean("header") || column.has_value();
  reader.finish();
  if (!folder) {
    reader.fail(fmt::format(
        "names the code book '{}', but the schema does not come from a file, so there is no folder "
        "to find it in; write the categories out",
        shown(file)));
  }
  const std::string what = fmt::format("the code book '{}'", shown(file));
  const std::filesystem::path path = *folder / file;
  const std::string text = read_whole_file(path, "the code book", kMaxCodeBookBytes);
  const bool is_list = path.extension() == ".txt" && !column;
  const std::vector<DelimitedRow> rows =
      is_list ? whole_lines(text, what)
              : parse_delimited(text, delimiter_of(text), ErrorCode::kInvalidSchema, what);
  const std::size_t place = column && !rows.empty() ? place_of(*column, rows, what) : 0;
  return codes_of(rows, has_header ? 1 : 0, place, what);
}

Json categories_of(const Json& source, const std::string& what, const Json& lists,
                   const std::optional<std::filesystem::path>& folder) {
  JsonObjectReader reader(source, ErrorCode::kInvalidSchema, what);
  if (reader.has("list") == reader.has("file")) {
    reader.fail("must name a list or a code book: {\"list\": \"NAME\"} or {\"file\": \"PATH\"}");
  }
  if (reader.has("file")) {
    return read_code_book(reader, folder);
  }
  const std::string name = reader.text("list");
  reader.finish();
  if (!lists.contains(name)) {
    std::vector<std::string> known;
    for (const auto& [key, list] : lists.items()) {
      known.push_back(key);
    }
    reader.fail(fmt::format(
        "names the list '{}', which the schema does not have{}", shown(name),
        known.empty() ? "; write it at the top: \"lists\": {\"" + shown(name) + "\": [...]}"
                      : suggest_names(name, known)));
  }
  return lists[name];
}

/// "lists", taken out of the schema.
Json take_lists(Json& schema, const std::string& what) {
  const auto place = schema.find("lists");
  if (place == schema.end()) {
    return Json::object();
  }
  Json lists = std::move(*place);
  schema.erase(place);
  const std::string shape = "write \"lists\": {\"NAME\": [\"a\", \"b\"]}";
  if (!lists.is_object()) {
    refuse_book(what, " has lists that are not an object; " + shape);
  }
  for (const auto& [name, list] : lists.items()) {
    if (!list.is_array() || list.empty()) {
      refuse_book(what, fmt::format(" has the list '{}', which is no list of categories; {}",
                                    shown(name), shape));
    }
  }
  return lists;
}

}  // namespace

void write_out_categories(Json& schema, const std::optional<std::filesystem::path>& folder,
                          const std::string& what) {
  if (!schema.is_object()) {
    return;
  }
  const Json lists = take_lists(schema, what);
  const auto columns = schema.find("columns");
  if (columns == schema.end() || !columns->is_array()) {
    return;  // said elsewhere
  }
  std::size_t written_out = 0;
  for (Json& column : *columns) {
    if (!column.is_object() || !column.contains("categories")) {
      continue;
    }
    const std::string kind = column.contains("kind") && column["kind"].is_string()
                                 ? column["kind"].get<std::string>()
                                 : "";
    const bool is_unused = kind == "ignored" || kind == "identifier";  // only its name matters
    if (column["categories"].is_object() && !is_unused) {
      const std::string name = column.contains("name") && column["name"].is_string()
                                   ? column["name"].get<std::string>()
                                   : "";
      column["categories"] = categories_of(
          column["categories"],
          fmt::format("in the schema, the categories of column '{}'", shown(name)), lists, folder);
      written_out += column["categories"].size();
      if (written_out > kMaxWrittenOut) {
        refuse_book(what, fmt::format(" has more than {} categories in columns that name a list or "
                                      "a code book; use fewer such columns, or shorter lists",
                                      kMaxWrittenOut));
      }
    }
  }
}

}  // namespace mehler
