#include "mehler/table/constraints_json.h"

#include <fmt/format.h>

#include <algorithm>

#include "mehler/core/name_suggestions.h"

namespace mehler {
namespace {

const Column* find_column(const std::vector<Column>& columns, const std::string& name) {
  const auto place = std::find_if(columns.begin(), columns.end(),
                                  [&](const Column& column) { return column.name == name; });
  return place == columns.end() ? nullptr : &*place;
}

/// A value as tables write it; nothing for null. Fails for a list or an object.
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
    return json_number(*number);
  }
  return *text;
}

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

double range_end(const Json& value, const Column& column, const JsonObjectReader& reader) {
  const auto text = value_text(value, reader, "range");
  const auto number = text && value.is_string() == (column.kind == ColumnKind::kDate ||
                                                    column.kind == ColumnKind::kDatetime)
                          ? column.parse_value(*text)
                          : std::nullopt;
  if (!number) {
    reader.fail(
        "has a range with an end that is no value of the column; write a number, or a date "
        "or time in quotes");
  }
  return *number;
}

ValueSet read_range(const Json& json, const Column& column, const std::string& what) {
  JsonObjectReader reader(json, ErrorCode::kInvalidSchema, what);
  if (!column.is_number()) {
    reader.fail("is a range, but the column is not a number, a date or a time; list its values");
  }
  ValueSet set;
  set.column = column.name;
  const auto read_end = [&](const char* with, const char* without, std::optional<double>& end,
                            bool& belongs) {
    if (reader.has(with) && reader.has(without)) {
      reader.fail(fmt::format("has both '{}' and '{}'; keep one", with, without));
    }
    const Json* inclusive = reader.find(with);
    const Json* exclusive = reader.find(without);
    belongs = exclusive == nullptr;
    if (inclusive != nullptr || exclusive != nullptr) {
      end = range_end(inclusive != nullptr ? *inclusive : *exclusive, column, reader);
    }
  };
  read_end("from", "above", set.low, set.low_belongs);
  read_end("to", "below", set.high, set.high_belongs);
  reader.finish();
  if (!set.low && !set.high) {
    reader.fail("is a range without an end; give 'from', 'above', 'to' or 'below'");
  }
  return set;
}

NeverRule read_never(const Json& json, std::size_t number, const std::vector<Column>& columns) {
  const std::string what = fmt::format("rule {} of the schema's 'never'", number);
  const JsonObjectReader reader(json, ErrorCode::kInvalidSchema, what);
  NeverRule rule;
  for (const auto& [name, value] : json.items()) {
    const Column* column = find_column(columns, name);
    if (column == nullptr) {
      std::vector<std::string> names;
      for (const Column& known : columns) {
        names.push_back(known.name);
      }
      reader.fail(fmt::format("names '{}', which is not among the schema's columns{}", shown(name),
                              suggest_names(name, names)));
    }
    if (value.is_object()) {
      rule.sets.push_back(read_range(value, *column, fmt::format("{}, '{}',", what, shown(name))));
      continue;
    }
    ValueSet set;
    set.column = name;
    const Json list = value.is_array() ? value : Json::array({value});
    for (const Json& entry : list) {
      if (const auto text = value_text(entry, reader, "list")) {
        set.values.push_back(*text);
      } else {
        set.missing = true;
      }
    }
    rule.sets.push_back(std::move(set));
  }
  return rule;
}

SumRule read_sum(const Json& json, std::size_t number) {
  JsonObjectReader reader(json, ErrorCode::kInvalidSchema,
                          fmt::format("rule {} of the schema's 'sums'", number));
  SumRule rule;
  for (const Json& part : reader.array("parts")) {
    if (!part.is_string()) {
      reader.fail("has parts that are not names of columns; write \"parts\": [\"a\", \"b\"]");
    }
    rule.parts.push_back(part.get<std::string>());
  }
  const Json* total = reader.find("total");
  if (total == nullptr || (!total->is_string() && !total->is_number())) {
    reader.fail("needs a 'total': the name of a column, or a number");
  }
  if (total->is_string()) {
    rule.total_column = total->get<std::string>();
  } else {
    rule.total = total->get<double>();
  }
  reader.finish();
  return rule;
}

Json set_json(const ValueSet& set, const Column& column) {
  if (set.low || set.high) {
    Json range = Json::object();
    const auto end_json = [&](double value) {
      return column.kind == ColumnKind::kDate || column.kind == ColumnKind::kDatetime
                 ? Json(column.format_value(value))
                 : json_number(value);
    };
    if (set.low) {
      range[set.low_belongs ? "from" : "above"] = end_json(*set.low);
    }
    if (set.high) {
      range[set.high_belongs ? "to" : "below"] = end_json(*set.high);
    }
    return range;
  }
  Json list = Json::array();
  for (const std::string& value : set.values) {
    list.push_back(value_json(&column, value));
  }
  if (set.missing) {
    list.push_back(nullptr);
  }
  return list;
}

std::string list_lines(const char* key, const std::vector<Json>& entries) {
  std::string text = fmt::format("  \"{}\": [\n", key);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    text += "    " + one_line_json(entries[i]) + (i + 1 < entries.size() ? ",\n" : "\n");
  }
  return entries.empty() ? "" : text + "  ],\n";
}

}  // namespace

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

TableRules read_table_rules(JsonObjectReader& reader, const std::vector<Column>& columns) {
  TableRules rules;
  if (reader.find("never") != nullptr) {
    for (const Json& rule : reader.array("never")) {
      rules.never.push_back(read_never(rule, rules.never.size() + 1, columns));
    }
  }
  if (reader.find("sums") != nullptr) {
    for (const Json& rule : reader.array("sums")) {
      rules.sums.push_back(read_sum(rule, rules.sums.size() + 1));
    }
  }
  return rules;
}

std::string table_rule_lines(const TableRules& rules, const std::vector<Column>& columns) {
  std::vector<Json> never;
  for (const NeverRule& rule : rules.never) {
    Json json = Json::object();
    for (const ValueSet& set : rule.sets) {
      json[set.column] = set_json(set, *find_column(columns, set.column));
    }
    never.push_back(std::move(json));
  }
  std::vector<Json> sums;
  for (const SumRule& rule : rules.sums) {
    sums.push_back(
        {{"parts", rule.parts},
         {"total", rule.total_column ? Json(*rule.total_column) : json_number(rule.total)}});
  }
  return list_lines("never", never) + list_lines("sums", sums);
}

}  // namespace mehler
