// Reading and writing schema files. The page for people is docs/guide/schema.md; the JSON Schema
// for editors is docs/mehler-schema.json.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mehler/core/atomic_file.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/core/strict_json.h"
#include "mehler/table/calendar.h"
#include "mehler/table/code_books.h"
#include "mehler/table/constraints_json.h"
#include "mehler/table/dialect_json.h"
#include "mehler/table/schema.h"
#include "mehler/table/spelled_out_rules.h"

namespace mehler {
namespace {

constexpr std::int64_t kSchemaVersion = 1;
constexpr std::size_t kMaxSchemaBytes = std::size_t{64} << 20;
constexpr const char* kUndeclared = "undeclared";
constexpr const char* kBuy = "buy";
constexpr const char* kIgnoredOthers = "ignored";

struct ProvenanceName {
  SchemaProvenance provenance;
  std::string_view name;
};
constexpr ProvenanceName kProvenances[] = {
    {SchemaProvenance::kDeclared, "declared"},
    {SchemaProvenance::kKindsGuessed, "kinds-guessed-from-table"},
    {SchemaProvenance::kReadFromPublicData, "read-from-public-data"},
};

SchemaProvenance read_provenance(JsonObjectReader& reader) {
  const auto origin = reader.optional_text("provenance");
  if (!origin) {
    return SchemaProvenance::kDeclared;
  }
  for (const auto& [provenance, name] : kProvenances) {
    if (*origin == name) {
      return provenance;
    }
  }
  reader.fail(fmt::format("has the provenance '{}'; allowed are 'declared', '{}' and '{}'",
                          shown(*origin), kProvenances[1].name, kProvenances[2].name));
}

/// Whether bounds or categories stand there. If not: "undeclared", or "buy", which the column
/// remembers.
bool are_declared(const Json* value, Column& column) {
  if (value != nullptr && value->is_string() && *value == kBuy) {
    column.bought = true;
    return false;
  }
  return value != nullptr && !(value->is_string() && *value == kUndeclared);
}

double parse_bound(const Json& value, const Column& column, const JsonObjectReader& reader) {
  if (column.kind == ColumnKind::kDate || column.kind == ColumnKind::kDatetime) {
    const auto parsed =
        value.is_string() ? column.parse_value(value.get<std::string>()) : std::nullopt;
    if (!parsed) {
      reader.fail(column.kind == ColumnKind::kDate
                      ? "has a bound that is no date; write \"YYYY-MM-DD\""
                      : "has a bound that is no time; write \"YYYY-MM-DDThh:mm:ss\"");
    }
    return *parsed;
  }
  if (!value.is_number()) {
    reader.fail("has a bound that is not a number; write \"bounds\": [smallest, largest]");
  }
  return value.get<double>();
}

void read_bounds(JsonObjectReader& reader, Column& column) {
  const Json* bounds = reader.find("bounds");
  if (!are_declared(bounds, column)) {
    return;
  }
  if (!bounds->is_array() || bounds->size() != 2) {
    reader.fail(
        "has bounds that are not a pair; write \"bounds\": [smallest, largest], or \"buy\" to "
        "find them with a part of the privacy budget");
  }
  column.bounds = Interval{parse_bound((*bounds)[0], column, reader),
                           parse_bound((*bounds)[1], column, reader)};
}

void read_categories(JsonObjectReader& reader, Column& column) {
  const Json* categories = reader.find("categories");
  if (!are_declared(categories, column)) {
    return;
  }
  if (!categories->is_array()) {
    reader.fail(
        "has categories that are not a list; write \"categories\": [\"a\", \"b\"], or name one: "
        "{\"list\": \"NAME\"} or {\"file\": \"PATH\"}; or write \"buy\" to find them with a part "
        "of "
        "the privacy budget");
  }
  column.categories.emplace();
  for (const Json& category : *categories) {
    if (category.is_string()) {
      column.categories->push_back(category.get<std::string>());
    } else if (category.is_number_integer() || category.is_boolean()) {
      column.categories->push_back(category.dump());
    } else {
      reader.fail(
          "has a category that is no text, no whole number and neither true nor false; write it in "
          "double quotes");
    }
  }
}

/// Categories that are written as numbers, or as true and false, are stored as such.
StoredType type_of_categories(const Json& categories, const std::optional<std::string>& other) {
  const auto all = [&](const auto& is_such) {
    return !categories.empty() && std::all_of(categories.begin(), categories.end(), is_such);
  };
  if (all([](const Json& category) { return category.is_boolean(); }) &&
      (!other || other == "true" || other == "false")) {
    return StoredType::kBoolean;
  }
  return all([](const Json& category) {
           return category.is_number_integer() && plain_integer(category.dump());
         }) && (!other || plain_integer(*other))
             ? StoredType::kInt64
             : StoredType::kUsual;
}

void read_shape(JsonObjectReader& reader, Column& column) {
  const Json* shape = reader.find("shape");
  if (shape == nullptr) {
    return;
  }
  const auto is_size = [](const Json& size) { return size.is_number_unsigned(); };
  if (!shape->is_array() || shape->size() != 3 ||
      !std::all_of(shape->begin(), shape->end(), is_size)) {
    reader.fail(
        "has a shape that is not three whole numbers; write \"shape\": [rows, columns, channels], "
        "as in [28, 28, 1]");
  }
  column.shape = ImageShape{(*shape)[0].get<std::size_t>(), (*shape)[1].get<std::size_t>(),
                            (*shape)[2].get<std::size_t>()};
}

void read_type(JsonObjectReader& reader, Column& column) {
  if (const auto name = reader.optional_text("type")) {
    const auto digits = decimal_digits_from_name(*name);
    const auto type = digits ? StoredType::kDecimal : stored_type_from_name(*name);
    if (!type && name->starts_with("decimal")) {
      reader.fail(fmt::format(
          "has the type '{}'; write \"decimal(P,S)\" with P digits in all, 1 to 38, and S of them "
          "after the decimal point",
          shown(*name)));
    }
    if (!type) {
      reader.fail(fmt::format("has the unknown type '{}'{}", shown(*name),
                              suggest_names(*name, stored_type_names())));
    }
    column.type = *type;
    column.decimal_digits = digits.value_or(DecimalDigits{});
  } else if (column.categories) {
    column.type = type_of_categories(*reader.find("categories"), column.other);
  }
  column.timezone = reader.optional_text("timezone").value_or("");
}

Column read_column(const Json& json, std::size_t number) {
  std::string what = fmt::format("in the schema, column {}", number);
  if (json.is_object() && json.contains("name") && json["name"].is_string()) {
    what = fmt::format("in the schema, column '{}'", shown(json["name"].get<std::string>()));
  }
  JsonObjectReader reader(json, ErrorCode::kInvalidSchema, what);
  Column column;
  column.name = reader.text("name");
  const std::string kind = reader.text("kind");
  const auto parsed_kind = kind_from_name(kind);
  if (!parsed_kind) {
    reader.fail(
        fmt::format("has the unknown kind '{}'{}", shown(kind), suggest_names(kind, kind_names())));
  }
  column.kind = *parsed_kind;
  if (!column.is_used()) {
    // Only the name matters. What was declared while the column had another kind may stay, in the
    // form that kind has.
    for (const char* key :
         {"bounds", "categories", "other", "missing", "decimals", "step", "out_of_range",
          "transform", "transform_scale", "type", "timezone", "bought", "shape"}) {
      reader.find(key);
    }
    for (const char* key : kSpellingKeys) {
      reader.find(key);
    }
    const auto make = reader.optional_text("make");
    if (make && make->empty()) {
      reader.fail("has an empty \"make\"; write a pattern, as in \"P{6 digits}\", or remove it");
    }
    if (make && column.kind == ColumnKind::kIdentifier) {
      column.make = *make;
    }
    for (const std::string& key : column_rule_keys()) {
      reader.find(key);
    }
    reader.finish();
    return column;
  }
  if (reader.find("make") != nullptr) {
    reader.fail("has a \"make\", which only identifiers have; remove it, or change the kind");
  }
  read_bounds(reader, column);
  read_categories(reader, column);
  if (reader.optional_boolean("bought")) {
    if (column.is_undeclared()) {
      reader.fail(
          "is marked as bought, but has neither bounds nor categories; to buy them, write \"buy\" "
          "in their place");
    }
    column.bought = true;
  }
  column.other = reader.optional_text("other");
  read_shape(reader, column);
  read_type(reader, column);
  column.missing = reader.optional_boolean("missing");
  if (reader.find("decimals") != nullptr) {
    const std::int64_t decimals = reader.integer("decimals");
    column.decimals = static_cast<int>(std::clamp<std::int64_t>(decimals, -1, 1000));
  }
  if (reader.find("step") != nullptr) {
    const double step = reader.number("step");
    column.step = column.kind == ColumnKind::kDatetime
                      ? std::round(step * static_cast<double>(kMicrosecondsPerSecond))
                      : step;
  }
  if (const auto policy = reader.optional_text("out_of_range")) {
    if (*policy != "clamp" && *policy != "refuse") {
      reader.fail(fmt::format("has the out_of_range '{}'; allowed are 'clamp' and 'refuse'",
                              shown(*policy)));
    }
    column.out_of_range = *policy == "clamp" ? OutOfRange::kClamp : OutOfRange::kRefuse;
  }
  if (const auto name = reader.optional_text("transform")) {
    const auto transform = transform_from_name(*name);
    if (!transform) {
      reader.fail(fmt::format("has the unknown transform '{}'{}", shown(*name),
                              suggest_names(*name, transform_names())));
    }
    column.transform = *transform;
  }
  if (reader.find("transform_scale") != nullptr) {
    column.transform_scale = reader.number("transform_scale");
  }
  column.spelling = read_spelling(reader);
  read_column_rules(reader, column);
  reader.finish();
  return column;
}

Json bound_json(const Column& column, double value) {
  if (column.kind == ColumnKind::kDate || column.kind == ColumnKind::kDatetime) {
    return column.format_value(value);
  }
  return json_number(value);
}

/// As numbers, or as true and false, where that says the type.
bool categories_say_type(const Column& column) {
  return column.categories &&
         (column.type == StoredType::kInt64 || column.type == StoredType::kBoolean);
}

Json categories_json(const Column& column) {
  Json list = Json::array();
  for (const std::string& category : *column.categories) {
    if (integer_range(column.type)) {
      list.push_back(*plain_integer(category));
    } else if (column.type == StoredType::kBoolean) {
      list.push_back(category == "true");
    } else {
      list.push_back(category);
    }
  }
  return list;
}

Json column_json(const Column& column) {
  Json json;
  json["name"] = column.name;
  json["kind"] = kind_name(column.kind);
  if (column.is_number()) {
    if (column.bounds) {
      json["bounds"] = {bound_json(column, column.bounds->low),
                        bound_json(column, column.bounds->high)};
    } else if (column.is_undeclared()) {
      json["bounds"] = column.bought ? kBuy : kUndeclared;
    }
    if (column.decimals) {
      json["decimals"] = *column.decimals;
    }
    if (column.step != default_step(column)) {
      json["step"] = json_number(column.kind == ColumnKind::kDatetime
                                     ? *column.step / static_cast<double>(kMicrosecondsPerSecond)
                                     : *column.step);
    }
    if (column.transform != NumberTransform::kNone) {
      json["transform"] = transform_name(column.transform);
      if (column.transform_scale != 1.0) {
        json["transform_scale"] = json_number(column.transform_scale);
      }
    }
    if (column.out_of_range == OutOfRange::kRefuse) {
      json["out_of_range"] = "refuse";
    }
  }
  if (column.kind == ColumnKind::kCategorical || column.kind == ColumnKind::kOrdinal) {
    if (column.categories) {
      json["categories"] = categories_json(column);
    } else {
      json["categories"] = column.bought ? kBuy : kUndeclared;
    }
    if (column.other) {
      json["other"] = *column.other;
    }
  }
  if (column.shape) {
    json["shape"] = {column.shape->rows, column.shape->columns, column.shape->channels};
  }
  if (column.type != StoredType::kUsual && !categories_say_type(column)) {
    json["type"] = stored_type_text(column.type, column.decimal_digits);
  }
  if (!column.timezone.empty()) {
    json["timezone"] = column.timezone;
  }
  if (column.bought && !column.is_undeclared()) {
    json["bought"] = true;
  }
  add_spelling(column.spelling, json);
  if (column.is_used() && !column.is_image()) {
    json["missing"] = column.missing;
  }
  if (!column.make.empty()) {
    json["make"] = column.make;
  }
  add_column_rules(column, json);
  return json;
}

}  // namespace

Schema Schema::from_json(std::string_view text, const std::string& shown_name,
                         const std::optional<std::filesystem::path>& folder) {
  Json json = parse_strict_json(text, ErrorCode::kInvalidSchema, shown_name);
  write_out_categories(json, folder, shown_name);
  JsonObjectReader reader(json, ErrorCode::kInvalidSchema, shown_name);
  if (!reader.has("mehler_schema")) {
    reader.fail(
        "lacks the key 'mehler_schema'; it must begin with \"mehler_schema\": 1 "
        "('mehler schema init TABLE' drafts one)");
  }
  const std::int64_t version = reader.integer("mehler_schema");
  if (version != kSchemaVersion) {
    reader.fail(
        fmt::format("is of version {}, but this program reads version {}; use a newer mehler or "
                    "write \"mehler_schema\": {}",
                    version, kSchemaVersion, kSchemaVersion));
  }
  NeighbourRelation relation = NeighbourRelation::kAddRemoveOne;
  if (const auto name = reader.optional_text("relation")) {
    if (*name == relation_name(NeighbourRelation::kReplaceOne)) {
      relation = NeighbourRelation::kReplaceOne;
    } else if (*name != relation_name(NeighbourRelation::kAddRemoveOne)) {
      reader.fail(fmt::format(
          "has the relation '{}'; allowed are 'add-remove-one' and 'replace-one'", shown(*name)));
    }
  }
  reader.optional_text("$schema");  // for editors
  const std::optional<std::string> target = reader.optional_text("target");
  const SchemaProvenance provenance = read_provenance(reader);
  const auto others = reader.optional_text("others");
  if (others && *others != kIgnoredOthers) {
    reader.fail(fmt::format(
        "has the others '{}'; allowed is \"ignored\": columns that are not listed are not read",
        shown(*others)));
  }
  std::optional<PrivacyUnit> unit;
  if (reader.find("privacy_unit") != nullptr) {
    JsonObjectReader unit_reader(reader.object("privacy_unit"), ErrorCode::kInvalidSchema,
                                 "the schema's privacy_unit");
    const std::string column = unit_reader.text("column");
    const std::int64_t max_rows = unit_reader.integer("max_rows");
    unit_reader.finish();
    if (max_rows < 1) {
      unit_reader.fail(fmt::format("has the max_rows {}; allowed are 1 to 1000000", max_rows));
    }
    unit = PrivacyUnit{column, static_cast<std::size_t>(max_rows)};
  }
  const Json* dialect = reader.find("dialect");
  std::vector<Column> columns;
  for (const Json& column : reader.array("columns")) {
    columns.push_back(read_column(column, columns.size() + 1));
  }
  add_part_columns(columns);
  TableRules rules = read_table_rules(reader, columns);
  reader.finish();
  Schema schema = Schema(std::move(columns), target, relation, unit, provenance, std::move(rules))
                      .in_dialect(dialect == nullptr ? Dialect{} : dialect_from_json(*dialect));
  schema.set_ignores_others(others.has_value());
  return schema;
}

Schema Schema::from_file(const std::filesystem::path& path) {
  return from_json(read_whole_file(path, "the schema", kMaxSchemaBytes),
                   fmt::format("the schema '{}'", path.string()), path.parent_path());
}

std::string Schema::to_json() const {
  std::string text = fmt::format("{{\n  \"mehler_schema\": {},\n", kSchemaVersion);
  for (const auto& [provenance, name] : kProvenances) {
    if (provenance == provenance_ && provenance != SchemaProvenance::kDeclared) {
      text += fmt::format("  \"provenance\": \"{}\",\n", name);
    }
  }
  text += fmt::format("  \"relation\": \"{}\",\n", relation_name(relation_));
  if (target_) {
    text += fmt::format("  \"target\": {},\n", Json(*target_).dump());
  }
  if (privacy_unit_) {
    text += fmt::format("  \"privacy_unit\": {{\"column\": {}, \"max_rows\": {}}},\n",
                        Json(privacy_unit_->column).dump(), privacy_unit_->max_rows);
  }
  if (ignores_others_) {
    text += fmt::format("  \"others\": \"{}\",\n", kIgnoredOthers);
  }
  if (!dialect_.is_plain()) {
    text += fmt::format("  \"dialect\": {},\n", one_line_json(json_of(dialect_)));
  }
  text += table_rule_lines(rules_, columns_);
  text += "  \"columns\": [\n";
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    text +=
        "    " + one_line_json(column_json(columns_[i])) + (i + 1 < columns_.size() ? ",\n" : "\n");
  }
  return text + "  ]\n}\n";
}

}  // namespace mehler
