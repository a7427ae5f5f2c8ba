// Texts of schema files that are rewritten without becoming a Schema: lists and code books stay
// named, as their author wrote them.

#include <fmt/format.h>

#include "mehler/table/schema_sheet.h"

namespace mehler {

std::string schema_file_text(const Json& schema) {
  std::string text = "{\n";
  for (const auto& [key, value] : schema.items()) {
    if (key != "columns") {
      text += fmt::format("  {}: {},\n", Json(key).dump(), one_line_json(value));
    }
  }
  text += "  \"columns\": [\n";
  const Json& columns = schema["columns"];
  for (std::size_t i = 0; i < columns.size(); ++i) {
    text += "    " + one_line_json(columns[i]) + (i + 1 < columns.size() ? ",\n" : "\n");
  }
  return text + "  ]\n}\n";
}

std::string without_guessed_mark(std::string_view text, const std::string& what) {
  Json wanted = parse_strict_json(text, ErrorCode::kInvalidSchema, what);
  wanted.erase("provenance");
  // Cut out of the text, so that the rest stays as somebody wrote it.
  const std::size_t start = text.find("\"provenance\"");
  const std::size_t value = text.find("\"kinds-guessed-from-table\"", start);
  if (start != std::string_view::npos && value != std::string_view::npos) {
    const std::size_t comma = text.find(',', value);
    const std::size_t next =
        comma == std::string_view::npos ? comma : text.find_first_not_of(" \t\r\n", comma + 1);
    if (next != std::string_view::npos) {
      const std::string cut = std::string(text.substr(0, start)) + std::string(text.substr(next));
      if (Json::parse(cut, nullptr, /*allow_exceptions=*/false) == wanted) {
        return cut;
      }
    }
  }
  return schema_file_text(wanted);
}

}  // namespace mehler
