#include "mehler/table/constraints_json.h"

#include <fmt/format.h>

#include <algorithm>

#include "mehler/core/name_suggestions.h"

namespace mehler {
namespace {

void read_at_least(JsonObjectReader& reader, Column& column) {
  const bool is_moment = column.kind == ColumnKind::kDate || column.kind == ColumnKind::kDatetime;
  const bool has_after = reader.has("after");
  if (has_after && !is_moment) {
    reader.fail("has the key 'after', which is for dates and times; write \"at_least\"");
  }
  if (has_after && reader.has("at_least")) {
    reader.fail("has both 'after' and 'at_least', which mean the same; keep one");
  }
  const std::string key = has_after ? "after" : "at_least";
  reader.find("after");
  if (reader.find(key) == nullptr) {
    return;
  }
  const Json& object = reader.object(key);
  JsonObjectReader inside(
      object, ErrorCode::kInvalidSchema,
      fmt::format("in the schema, '{}' of column '{}'", key, shown(column.name)));
  AtLeast rule;
  rule.column = inside.text("column");
  const Json& bounds = inside.array("bounds");
  if (bounds.size() != 2 || !bounds[0].is_number() || !bounds[1].is_number()) {
    inside.fail(
        "has bounds that are not two numbers; write the smallest and the largest "
        "difference, as in \"bounds\": [0, 100]: days of dates, seconds of datetimes");
  }
  rule.bounds = {bounds[0].get<double>(), bounds[1].get<double>()};
  inside.finish();
  column.rules.at_least = rule;
}

void read_determined_by(JsonObjectReader& reader, Column& column) {
  if (reader.find("determined_by") == nullptr) {
    return;
  }
  JsonObjectReader inside(
      reader.object("determined_by"), ErrorCode::kInvalidSchema,
      fmt::format("in the schema, 'determined_by' of column '{}'", shown(column.name)));
  DeterminedBy rule;
  rule.column = inside.text("column");
  for (const auto& [key, value] : inside.object("map").items()) {
    rule.map.emplace_back(key, value_text(value, inside, "map"));
  }
  inside.finish();
  column.rules.determined_by = std::move(rule);
}

void read_parts(JsonObjectReader& reader, Column& column) {
  if (reader.find("parts") == nullptr) {
    return;
  }
  for (const Json& name : reader.array("parts")) {
    const auto part =
        name.is_string() ? date_part_from_name(name.get<std::string>()) : std::nullopt;
    if (!part) {
      reader.fail(fmt::format("has the unknown part {}; allowed are {}", shown(name.dump()),
                              list_names(date_part_names())));
    }
    column.rules.parts.push_back(*part);
  }
}

}  // namespace

std::optional<std::string> value_text(const Json& value, const JsonObjectReader& reader,
                                      const std::string& where) {
  if (value.is_null()) {
    return std::nullopt;
  }
  if (value.is_string()) {
    return value.get<std::string>();
  }
  if (value.is_number_float()) {
    return fmt::format("{}", value.get<double>());
  }
  if (value.is_number() || value.is_boolean()) {
    return value.dump();
  }
  reader.fail(
      fmt::format("has a value in its {} that is no text, no number, neither true nor false "
                  "and not null; write one of these",
                  where));
}

Json value_json(const Column* column, const std::optional<std::string>& text) {
  if (!text) {
    return nullptr;
  }
  if (column != nullptr && column->kind == ColumnKind::kBoolean) {
    return *text == "true" || *text == "false" ? Json(*text == "true") : Json(*text);
  }
  const bool is_plain = column != nullptr && (column->kind == ColumnKind::kNumeric ||
                                              column->kind == ColumnKind::kInteger);
  if (const auto number = is_plain ? column->parse_value(*text) : std::nullopt) {
    const Json json = json_number(*number);
    // Reading must give the same text back.
    const std::string again =
        json.is_number_float() ? fmt::format("{}", json.get<double>()) : json.dump();
    return again == *text ? json : Json(*text);
  }
  return *text;
}

std::vector<std::string> column_rule_keys() {
  return {"at_least", "after", "derived", "determined_by", "parts"};
}

void read_column_rules(JsonObjectReader& reader, Column& column) {
  read_at_least(reader, column);
  column.rules.derived = reader.optional_text("derived");
  read_determined_by(reader, column);
  read_parts(reader, column);
}

void add_column_rules(const Column& column, Json& json) {
  if (const auto& rule = column.rules.at_least) {
    json["at_least"] = {
        {"column", rule->column},
        {"bounds", {json_number(rule->bounds.low), json_number(rule->bounds.high)}}};
  }
  if (column.rules.derived) {
    json["derived"] = *column.rules.derived;
  }
  if (const auto& rule = column.rules.determined_by) {
    Json map = Json::object();
    for (const auto& [key, value] : rule->map) {
      map[key] = value_json(&column, value);
    }
    json["determined_by"] = {{"column", rule->column}, {"map", map}};
  }
  if (!column.rules.parts.empty()) {
    json["parts"] = Json::array();
    for (const DatePart part : column.rules.parts) {
      json["parts"].push_back(date_part_name(part));
    }
  }
}

}  // namespace mehler
