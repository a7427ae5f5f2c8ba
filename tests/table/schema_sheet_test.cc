#include "mehler/table/schema_sheet.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "mehler/core/seeded_random.h"
#include "mehler/table/delimited_text.h"
#include "mehler/table/schema.h"
#include "tests/support/errors.h"

namespace mehler {
namespace schema_sheet_test {

Json json_of(std::string_view text) {
  return parse_strict_json(text, ErrorCode::kInvalidSchema, "the schema");
}

Json read_sheet(std::string_view text) { return schema_of_sheet(text, "the sheet"); }

void expect_sheet_refused(std::string_view text, std::initializer_list<const char*> words) {
  expect_mentions(message_of(ErrorCode::kInvalidSchema, [&] { read_sheet(text); }), words);
}

constexpr const char* kEverything = R"({
  "mehler_schema": 1, "relation": "add-remove-one", "target": "5",
  "privacy_unit": {"column": "person", "max_rows": 3}, "others": "ignored",
  "lists": {"drug": ["No", "Up|Down", "back\\slash"], "empty": [""]},
  "columns": [
    {"name": "person", "kind": "identifier", "make": "P{6 digits}"},
    {"name": "age", "kind": "integer", "bounds": [17, 90], "missing": false},
    {"name": "weight", "kind": "numeric", "bounds": "undeclared", "missing": true},
    {"name": "dose", "kind": "numeric", "bounds": [0.5, 1e10], "step": 0.25},
    {"name": "born", "kind": "date", "bounds": ["1900-01-01", "2020-12-31"]},
    {"name": "seen", "kind": "datetime", "bounds": ["2020-01-01T00:00:00", "2020-12-31T23:59:59"], "timezone": "+02:00"},
    {"name": "drug", "kind": "categorical", "categories": {"list": "drug"}, "other": "Other, \"all\""},
    {"name": "icd", "kind": "categorical", "categories": {"file": "icd9.csv"}},
    {"name": "icd2", "kind": "categorical", "categories": {"file": "icd9.csv", "column": "code"}},
    {"name": "zip", "kind": "categorical", "categories": ["007", "1", "true", "", "list:x", "a\nb"]},
    {"name": "one", "kind": "categorical", "categories": ["undeclared"]},
    {"name": "5", "kind": "ordinal", "categories": [1, 2, 3], "other": "-1"},
    {"name": "flag", "kind": "categorical", "categories": [true, false]},
    {"name": "=cmd", "kind": "categorical", "categories": "undeclared", "new_key": {"a": [1, "x"]}},
    {"name": "'x ", "kind": "boolean", "missing": 7, "other": ""}]})";

TEST(SchemaSheet, NothingIsLostEitherWay) {
  const Json schema = json_of(kEverything);
  Json back = read_sheet(sheet_of_schema(schema));
  // Keys may come in another order.
  EXPECT_EQ(nlohmann::json(back), nlohmann::json(schema)) << sheet_of_schema(schema);
}

TEST(SchemaSheet, HasALinePerColumnThatPeopleCanRead) {
  const std::string sheet = sheet_of_schema(json_of(
      R"({"mehler_schema": 1, "target": "job", "columns": [
      {"name": "age", "kind": "integer", "bounds": [17, 90], "missing": true},
      {"name": "job", "kind": "categorical", "categories": ["a", "b"], "missing": false}]})"));
  EXPECT_EQ(sheet,
            "\xef\xbb\xbf#mehler_schema,1\r\n#target,job\r\n"
            "name,kind,low,high,step,decimals,transform,transform_scale,categories,other,missing,"
            "out_of_range,type,timezone,make,more\r\n"
            "age,integer,17,90,,,,,,,yes,,,,,\r\n"
            "job,categorical,,,,,,,a|b,,no,,,,,\r\n");
}

TEST(SchemaSheet, IsReadAsSpreadsheetsInEuropeSaveIt) {
  const Json schema = read_sheet(
      "\xef\xbb\xbf#target;job;;;;;\r\n;;;;;;\r\n"
      "name;kind;low;high;step;missing;categories\r\n"
      "dose;numeric;0,5;10;0,25;FALSCH;\r\n"
      ";;;;;;\r\n"
      "job;categorical;;;;WAHR;a|b\r\n");
  EXPECT_EQ(nlohmann::json(schema), nlohmann::json::parse(R"({"mehler_schema": 1, "target": "job",
      "columns": [{"name": "dose", "kind": "numeric", "bounds": [0.5, 10], "step": 0.25, "missing": false},
                  {"name": "job", "kind": "categorical", "categories": ["a", "b"], "missing": true}]})"));
}

TEST(SchemaSheet, IsReadBetweenTabsToo) {
  const Json schema = read_sheet("name\tkind\nx\tboolean\n");
  EXPECT_EQ(schema["columns"][0]["kind"], "boolean");
}

TEST(SchemaSheet, CodesAmongTextsNeedNoQuotes) {
  const Json schema = read_sheet(
      "name,kind,categories\na,categorical,00501|10001\nb,categorical,1|2\n"
      "c,categorical,\"\"\"1\"\"|\"\"2\"\"\"\nd,categorical,true|false\ne,categorical,say "
      "\\\"hi\\\"|5\n");
  const auto categories = [&](std::size_t i) { return schema["columns"][i]["categories"]; };
  EXPECT_EQ(categories(0), (Json{"00501", "10001"}));
  EXPECT_EQ(categories(1), (Json{1, 2}));
  EXPECT_EQ(categories(2), (Json{"1", "2"}));
  EXPECT_EQ(categories(3), (Json{true, false}));
  EXPECT_EQ(categories(4), (Json{"say \"hi\"", "5"}));
  expect_mentions(sheet_of_schema(schema), {",'00501|10001,", ",'1|2,", ",true|false,"});
}

TEST(SchemaSheet, TextsThatSpreadsheetsWouldChangeBeginWithAnApostrophe) {
  const std::string sheet = sheet_of_schema(json_of(
      R"({"mehler_schema": 1, "columns": [
      {"name": "007", "kind": "date", "bounds": ["2020-01-31", "2020-02-01"]},
      {"name": "=1+1", "kind": "categorical", "categories": ["007"]}]})"));
  expect_mentions(sheet, {"\r\n'007,date,'2020-01-31,'2020-02-01,", "\r\n'=1+1,", ",'007,"});
}

TEST(SchemaSheet, WhatCannotBeReadIsRefusedWithItsLine) {
  const std::string head = "name,kind,low,high,step,missing,more\n";
  expect_sheet_refused("", {"the sheet", "no line of headings", "'name' and 'kind'"});
  expect_sheet_refused("#target,x\n", {"no line of headings"});
  expect_sheet_refused("name,kinds\n", {"line 1", "'kinds'", "did you mean 'kind'?"});
  expect_sheet_refused("name,low\n", {"line 1", "no heading 'kind'"});
  expect_sheet_refused("name,kind,name\n", {"line 1", "'name' twice"});
  expect_sheet_refused("#target,a\n#target,b\n", {"line 2", "'#target'", "second time"});
  expect_sheet_refused("#target,a,b\n", {"line 1", "behind its 2 cells"});
  expect_sheet_refused("name,kind\nx,boolean,yes\n", {"line 2", "behind its 2 cells"});
  expect_sheet_refused("name,kind,,more\nx,boolean,yes,\n", {"line 2", "column 3", "no heading"});
  expect_sheet_refused(head + "x,numeric,1,,,,\n", {"line 2", "'low' without a 'high'"});
  expect_sheet_refused(head + "x,numeric,,1,,,\n", {"line 2", "'high' without a 'low'"});
  expect_sheet_refused(head + "x,numeric,0,1,a,,\n", {"line 2", "'step'", "no number"});
  expect_sheet_refused(head + "x,numeric,0,1,,perhaps,\n", {"line 2", "'missing'", "yes nor no"});
  expect_sheet_refused(head + "x,numeric,0,1,,,{\n", {"line 2", "'more'", "JSON"});
  expect_sheet_refused(head + "x,numeric,0,1,,," + std::string(100'000, '[') + "\n", {"'more'"});
  expect_sheet_refused(head + "x,numeric,0,1,,,7\n", {"line 2", "'more'", "object"});
  expect_sheet_refused(head + "x,numeric,0,1,2,,\"{\"\"step\"\": 1}\"\n",
                       {"line 2", "'step'", "keep one"});
  expect_sheet_refused(head + "\"x,numeric\n", {"line 2", "quote"});
  expect_sheet_refused("name,kind\n\xff,boolean\n", {"line 2", "UTF-8"});
}

TEST(SchemaSheet, AConfirmedSchemaKeepsTheTextOfItsAuthor) {
  const std::string text =
      "{\"mehler_schema\": 1,\n  \"provenance\": \"kinds-guessed-from-table\",\n\n  \"columns\":\n"
      "  [  {\"kind\": \"boolean\", \"name\": \"x\"}]}";
  EXPECT_EQ(without_guessed_mark(text, "the schema"),
            "{\"mehler_schema\": 1,\n  \"columns\":\n"
            "  [  {\"kind\": \"boolean\", \"name\": \"x\"}]}");
  const std::string last = R"({"mehler_schema": 1, "columns": [{"name": "x", "kind": "boolean"}],
      "provenance": "kinds-guessed-from-table"})";
  EXPECT_EQ(Schema::from_json(without_guessed_mark(last, "the schema")).provenance(),
            SchemaProvenance::kDeclared);
}

/// Draws schemas with keys, names and values of many forms.
class RandomSchemas {
 public:
  explicit RandomSchemas(std::uint64_t seed) : random_(seed) {}

  Json next() {
    Json schema = {{"mehler_schema", 1}};
    if (chance(3)) {
      schema["relation"] = "add-remove-one";
    }
    if (chance(3)) {
      schema["others"] = "ignored";
    }
    Json columns = Json::array();
    const std::size_t count = 1 + below(6);
    for (std::size_t i = 0; i < count; ++i) {
      columns.push_back(column(fmt::format("{}{}", text(), i)));
    }
    columns.push_back({{"name", "last"}, {"kind", "boolean"}});
    if (chance(2)) {
      schema["target"] = "last";
    }
    schema["columns"] = columns;
    return schema;
  }

 private:
  std::uint64_t below(std::uint64_t count) { return random_.next_word() % count; }
  bool chance(std::uint64_t of) { return below(of) == 0; }

  std::string text() {
    static const std::vector<std::string> kPieces = {
        "a", "0", "1", "-", "|", "\\", "\"",   ",",          ";",     "'", "=", "\n",
        " ", "é", "#", "+", ".", "x",  "true", "undeclared", "list:", "{", "}"};
    std::string result;
    for (std::size_t i = below(4); i > 0; --i) {
      result += kPieces[below(kPieces.size())];
    }
    return result;
  }

  Json column(const std::string& name) {
    Json column = {{"name", name}};
    const std::uint64_t kind = below(6);
    if (kind == 0) {
      column["kind"] = "numeric";
      column["bounds"] = {-static_cast<double>(below(1000)) / 8.0,
                          0.1 + static_cast<double>(below(1000)) / 7.0};
    } else if (kind == 1) {
      column["kind"] = "integer";
      column["bounds"] = {below(100), 100 + below(1000)};
      column["transform"] = "log";
      column["transform_scale"] = 1.0 + static_cast<double>(below(10)) / 3.0;
    } else if (kind == 2) {
      column["kind"] = chance(2) ? "categorical" : "ordinal";
      std::vector<std::string> labels;
      for (std::size_t i = 1 + below(4); i > 0; --i) {
        const std::string label = text();
        if (std::find(labels.begin(), labels.end(), label) == labels.end()) {
          labels.push_back(label);
        }
      }
      column["categories"] = chance(4) ? Json{1, 2, 3} : Json(labels);
      if (chance(2)) {
        column["other"] = text();
      }
    } else if (kind == 3) {
      column["kind"] = "date";
      column["bounds"] = {"2020-01-01", fmt::format("2020-0{}-15", 1 + below(9))};
    } else if (kind == 4) {
      column["kind"] = "datetime";
      column["bounds"] = "undeclared";
      column["timezone"] = "Europe/Paris";
    } else {
      column["kind"] = "identifier";
      column["make"] = "{6 digits}-{row}";
    }
    if (kind < 5) {
      column["missing"] = chance(2);
    }
    return column;
  }

  SeededRandom random_;
};

TEST(SchemaSheet, EverySchemaComesBackEqual) {
  RandomSchemas schemas(20);
  for (int i = 0; i < 300; ++i) {
    const Json json = schemas.next();
    const Schema schema = Schema::from_json(json.dump());
    for (const Json& written : {json, json_of(schema.to_json())}) {
      const Json back = read_sheet(sheet_of_schema(written));
      ASSERT_EQ(Schema::from_json(back.dump()), schema) << sheet_of_schema(written);
      ASSERT_EQ(Schema::from_json(schema_file_text(back)), schema);
    }
  }
}

}  // namespace schema_sheet_test
}  // namespace mehler
