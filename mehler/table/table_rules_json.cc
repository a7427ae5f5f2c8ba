// Reading and writing the rules of a whole table: "never" and "sums".

#include <fmt/format.h>

#include <algorithm>

#include "mehler/core/name_suggestions.h"
#include "mehler/table/constraints_json.h"

namespace mehler {
namespace {

const Column* find_column(const std::vector<Column>& columns, const std::string& name) {
  const auto place = std::find_if(columns.begin(), columns.end(),
                                  [&](const Column& column) { return column.name == name; });
  return place == columns.end() ? nullptr : &*place;
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
