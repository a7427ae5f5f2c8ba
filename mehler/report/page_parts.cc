#include "mehler/report/page_parts.h"

#include <fmt/format.h>

#include "mehler/core/version.h"
#include "mehler/report/page_text.h"
#include "mehler/report/release_words.h"

namespace mehler {
namespace {

constexpr std::size_t kMostSchemaRows = 300;

Json schema_json(const std::vector<Column>& columns) {
  std::vector<std::vector<std::string>> rows;
  for (const Column& column : columns) {
    if (rows.size() < kMostSchemaRows) {
      rows.push_back({column.name, std::string(kind_name(column.kind)), declared_values(column),
                      !column.is_used() ? "-"
                      : column.missing  ? "yes"
                                        : "no"});
    }
  }
  return page_table(
      "Schema",
      fmt::format("What is public of the table by declaration.{}",
                  rows.size() < columns.size()
                      ? fmt::format(" The first {} of {} columns.", rows.size(), columns.size())
                      : ""),
      {"column", "kind", "values", "missing"}, rows);
}

}  // namespace

Json page_tile(const std::string& label, const std::string& value, const std::string& words,
               Mood mood) {
  return Json{{"label", label},
              {"value", value},
              {"words", words},
              {"mood", mood == Mood::kGood   ? "good"
                       : mood == Mood::kLook ? "look"
                                             : ""}};
}

Json page_table(const std::string& title, const std::string& words,
                const std::vector<std::string>& head,
                const std::vector<std::vector<std::string>>& rows) {
  return Json{{"title", title}, {"words", words}, {"head", head}, {"rows", rows}};
}

Json page_frame(const PageOrigin& origin, const std::string& heading, const std::string& words,
                const std::vector<Column>& columns,
                const std::vector<std::pair<std::string, std::string>>& facts) {
  Json json{{"mode", ""},
            {"title", "Synthetic data report"},
            {"subtitle", origin.subtitle},
            {"banner", {{"heading", heading}, {"words", words}}},
            {"tiles", Json::array()},
            {"tables", Json::array()},
            {"columns", {{"cards", Json::array()}}},
            {"pairs", {{"values", Json::array()}}},
            {"schema", schema_json(columns)},
            {"facts", Json::array()},
            {"texts", Json::array()}};
  for (const auto& [name, value] : facts) {
    json["facts"].push_back(Json::array({name, value}));
  }
  json["facts"].push_back(Json::array({"made by", fmt::format("Mehler {}", kVersion)}));
  json["facts"].push_back(Json::array({"command", origin.command}));
  for (const auto& [title, text] : origin.texts) {
    json["texts"].push_back(Json::array({title, text}));
  }
  if (!origin.picture.empty()) {
    json["picture"] = Json{{"png", base64_of(origin.picture)}, {"words", origin.picture_words}};
  }
  return json;
}

}  // namespace mehler
