#include "mehler/table/dialect.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "mehler/table/schema.h"
#include "tests/support/errors.h"

namespace mehler {
namespace dialect_test {

std::string schema_text(const std::string& dialect, const std::string& columns) {
  return fmt::format("{{\"mehler_schema\": 1, \"dialect\": {}, \"columns\": [{}]}}", dialect,
                     columns);
}

const char* const kAge = R"({"name": "age", "kind": "integer"})";

Schema with_dialect(const std::string& dialect, const std::string& columns = kAge) {
  return Schema::from_json(schema_text(dialect, columns));
}

void expect_refused(const std::string& dialect, const std::string& columns,
                    std::initializer_list<const char*> words) {
  expect_mentions(message_of(ErrorCode::kInvalidSchema, [&] { with_dialect(dialect, columns); }),
                  words);
}

void expect_dialect_refused(const std::string& dialect, std::initializer_list<const char*> words) {
  expect_refused(dialect, kAge, words);
}

void expect_column_refused(const std::string& column, std::initializer_list<const char*> words) {
  expect_refused("{}", column, words);
}

TEST(Dialect, WithoutTheKeyItIsPlain) {
  EXPECT_TRUE(Schema::from_json(fmt::format(R"({{"mehler_schema": 1, "columns": [{}]}})", kAge))
                  .dialect()
                  .is_plain());
  EXPECT_TRUE(with_dialect("{}").dialect().is_plain());
  EXPECT_EQ(with_dialect("{}").to_json().find("dialect"), std::string::npos);
}

TEST(Dialect, EveryKeyComesBackFromJson) {
  const Schema schema = with_dialect(
      R"({"delimiter": ";", "header": false, "decimal": ",", "thousands": ".",
          "missing": ["NA", "-200"], "true": "ja", "false": ["nein", "-"],
          "encoding": "windows-1252", "skip_lines": 2, "trim_spaces": true})",
      R"({"name": "a", "kind": "numeric", "prefix": "CHF ", "suffix": " p.a."},
         {"name": "b", "kind": "boolean", "true": ["yes", "y"], "false": "no"},
         {"name": "c", "kind": "date", "format": "%d.%m.%Y"},
         {"name": "d", "kind": "datetime", "format": "%m/%d/%Y %H:%M"})");
  const Dialect& dialect = schema.dialect();
  EXPECT_EQ(dialect.delimiter, ';');
  EXPECT_FALSE(dialect.header);
  EXPECT_EQ(dialect.decimal, ',');
  EXPECT_EQ(dialect.thousands, ".");
  EXPECT_EQ(dialect.missing, (std::vector<std::string>{"NA", "-200"}));
  EXPECT_EQ(dialect.true_words, (std::vector<std::string>{"ja"}));
  EXPECT_EQ(dialect.false_words, (std::vector<std::string>{"nein", "-"}));
  EXPECT_EQ(dialect.encoding, TextEncoding::kWindows1252);
  EXPECT_EQ(dialect.skip_lines, 2U);
  EXPECT_TRUE(dialect.trim_spaces);
  EXPECT_EQ(schema.find("a")->spelling.prefix, "CHF ");
  EXPECT_EQ(schema.find("b")->spelling.true_words, (std::vector<std::string>{"yes", "y"}));
  EXPECT_EQ(schema.find("c")->spelling.format, "%d.%m.%Y");
  EXPECT_EQ(Schema::from_json(schema.to_json()), schema);
}

TEST(Dialect, EveryEncodingHasItsName) {
  for (const std::string& name : encoding_names()) {
    EXPECT_EQ(encoding_name(
                  with_dialect(fmt::format(R"({{"encoding": "{}"}})", name)).dialect().encoding),
              name);
  }
}

TEST(Dialect, AMissingValueMayBeOneTextOrAList) {
  EXPECT_EQ(with_dialect(R"({"missing": "?"})").dialect().missing, (std::vector<std::string>{"?"}));
  EXPECT_EQ(with_dialect(R"({"missing": ["", "?"]})").dialect().missing,
            (std::vector<std::string>{"", "?"}));
}

TEST(Dialect, KeysOfTheWrongTypeAreRefused) {
  expect_dialect_refused("[]", {"dialect", "not an object"});
  expect_dialect_refused(R"({"delimiter": 5})", {"dialect", "'delimiter'"});
  expect_dialect_refused(R"({"delimiter": ";;"})", {"dialect", "'delimiter'", "one character"});
  expect_dialect_refused(R"({"header": "no"})", {"dialect", "'header'"});
  expect_dialect_refused(R"({"decimal": 0})", {"dialect", "'decimal'"});
  expect_dialect_refused(R"({"decimal": "comma"})", {"dialect", "'decimal'", "one character"});
  expect_dialect_refused(R"({"thousands": false})", {"dialect", "'thousands'"});
  expect_dialect_refused(R"({"missing": -200})", {"dialect", "'missing'", "list of texts"});
  expect_dialect_refused(R"({"missing": []})", {"dialect", "'missing'", "empty list"});
  expect_dialect_refused(R"({"true": [1], "false": "0"})", {"dialect", "'true'", "list of texts"});
  expect_dialect_refused(R"({"true": "1", "false": 0})", {"dialect", "'false'", "list of texts"});
  expect_dialect_refused(R"({"encoding": 8})", {"dialect", "'encoding'"});
  expect_dialect_refused(R"({"skip_lines": "2"})", {"dialect", "'skip_lines'"});
  expect_dialect_refused(R"({"trim_spaces": 1})", {"dialect", "'trim_spaces'"});
}

TEST(Dialect, UnknownValuesAreRefused) {
  expect_dialect_refused(R"({"delimeter": ";"})", {"dialect", "delimeter", "delimiter"});
  expect_dialect_refused(R"({"delimiter": "\""})", {"delimiter", "quote"});
  expect_dialect_refused(R"({"decimal": "x"})", {"decimal", "neither"});
  expect_dialect_refused(R"({"thousands": "x"})", {"thousands", "not known"});
  expect_dialect_refused(R"({"encoding": "utf8"})", {"unknown encoding 'utf8'", "utf-8"});
  expect_dialect_refused(R"({"skip_lines": -1})", {"skip_lines", "0 to"});
  expect_dialect_refused(R"({"missing": "a,b"})", {"missing", "delimiter"});
  expect_dialect_refused(R"({"delimiter": ";", "missing": "a;b"})", {"missing", "delimiter"});
}

TEST(Dialect, PartsThatContradictEachOtherAreRefused) {
  expect_dialect_refused(R"({"decimal": ",", "thousands": ",", "delimiter": ";"})",
                         {"same character", "decimal", "thousands"});
  expect_dialect_refused(R"({"thousands": "."})", {"same character"});
  expect_dialect_refused(R"({"decimal": ","})", {"decimal", "delimiter", "\";\""});
  expect_dialect_refused(R"({"decimal": ",", "delimiter": ","})", {"decimal", "delimiter"});
  expect_dialect_refused(R"({"true": "yes"})", {"true alone"});
  expect_dialect_refused(R"({"true": "x", "false": "x"})", {"twice"});
  expect_dialect_refused(R"({"true": "", "false": "x"})", {"empty"});
  expect_dialect_refused(R"({"missing": "-", "true": "x", "false": "-"})", {"missing values"});
  expect_dialect_refused(R"({"missing": "–", "encoding": "latin-1"})", {"encoding latin-1"});
}

TEST(Dialect, WhatTheEncodingLacksIsRefusedByColumn) {
  const char* const kCity = R"({"name": "city", "kind": "categorical", "categories": ["Łódź"]})";
  expect_refused(R"({"encoding": "windows-1252"})", kCity, {"'city'", "windows-1252", "utf-8"});
  EXPECT_NO_THROW(with_dialect(R"({"encoding": "utf-16"})", kCity));
  EXPECT_NO_THROW(with_dialect(R"({"encoding": "windows-1252"})",
                               R"({"name": "€ in Köln", "kind": "integer"})"));
  expect_refused(R"({"encoding": "latin-1"})", R"({"name": "€", "kind": "integer"})",
                 {"'€'", "latin-1"});
}

TEST(ColumnSpelling, BelongsToTheKindsThatHaveIt) {
  expect_column_refused(R"({"name": "a", "kind": "integer", "format": "%Y-%m-%d"})",
                        {"'a'", "format", "date and datetime"});
  expect_column_refused(R"({"name": "a", "kind": "date", "prefix": "$"})",
                        {"'a'", "prefix", "numeric and integer"});
  expect_column_refused(R"({"name": "a", "kind": "boolean", "suffix": "%"})", {"'a'", "suffix"});
  expect_column_refused(R"({"name": "a", "kind": "integer", "true": "1", "false": "0"})",
                        {"'a'", "true or false", "boolean"});
  EXPECT_NO_THROW(with_dialect(
      "{}", R"({"name": "a", "kind": "ignored", "format": 5, "true": 1},)" + std::string(kAge)));
}

TEST(ColumnSpelling, KeysOfTheWrongTypeAreRefused) {
  expect_column_refused(R"({"name": "a", "kind": "date", "format": 5})", {"'a'", "'format'"});
  expect_column_refused(R"({"name": "a", "kind": "date", "format": ""})", {"'a'", "'format'"});
  expect_column_refused(R"({"name": "a", "kind": "integer", "prefix": true})", {"'a'", "'prefix'"});
  expect_column_refused(R"({"name": "a", "kind": "integer", "suffix": []})", {"'a'", "'suffix'"});
  expect_column_refused(R"({"name": "a", "kind": "boolean", "true": 1, "false": "0"})",
                        {"'a'", "'true'"});
  expect_column_refused(R"({"name": "a", "kind": "boolean", "true": "1", "false": {}})",
                        {"'a'", "'false'"});
}

TEST(ColumnSpelling, ValuesThatCannotBeReadAreRefused) {
  expect_column_refused(R"({"name": "a", "kind": "date", "format": "%d.%m.%Q"})",
                        {"'a'", "%d.%m.%Q", "not known", "%Y"});
  expect_column_refused(R"({"name": "a", "kind": "date", "format": "%d.%m"})", {"'a'", "one year"});
  expect_column_refused(R"({"name": "a", "kind": "date", "format": "%d.%m.%Y %H"})",
                        {"'a'", "hours", "datetime"});
  for (const char* prefix : {" ", "1", "-", "\\\""}) {
    expect_column_refused(
        fmt::format(R"({{"name": "a", "kind": "numeric", "prefix": "{}"}})", prefix),
        {"'a'", "prefix"});
  }
  expect_column_refused(R"({"name": "a", "kind": "boolean", "true": "x"})", {"'a'", "true alone"});
  expect_refused(R"({"missing": "-"})",
                 R"({"name": "a", "kind": "boolean", "true": "x", "false": "-"})",
                 {"'a'", "missing"});
}

TEST(ColumnSpelling, AFormatMustShowEveryValueOfItsColumn) {
  expect_column_refused(
      R"({"name": "a", "kind": "datetime", "format": "%d.%m.%Y %H:%M", "step": 30})",
      {"'a'", "60 seconds", "step"});
  expect_column_refused(
      R"({"name": "a", "kind": "datetime", "format": "%d.%m.%Y %H:%M",
          "bounds": ["2020-01-01T00:00:30", "2021-01-01T00:00:00"]})",
      {"'a'", "lower bound"});
  expect_column_refused(R"({"name": "a", "kind": "date", "format": "%d.%m.%y",
                            "bounds": ["1940-01-01", "2000-01-01"]})",
                        {"'a'", "two digits", "1969-01-01", "2068-12-31"});
}

TEST(ColumnSpelling, AFormatWithoutSecondsHasAStepOfAMinute) {
  const Schema schema =
      with_dialect("{}", R"({"name": "a", "kind": "datetime", "format": "%d.%m.%Y %H:%M"},
               {"name": "b", "kind": "datetime", "format": "%d.%m.%Y"},
               {"name": "c", "kind": "datetime", "format": "%d.%m.%Y %H:%M:%S.%f"})");
  EXPECT_EQ(schema.find("a")->step, 60e6);
  EXPECT_EQ(schema.find("b")->step, 86400e6);
  EXPECT_EQ(schema.find("c")->step, 1e6);
  EXPECT_EQ(schema.to_json().find("step"), std::string::npos);
  EXPECT_EQ(Schema::from_json(schema.to_json()), schema);
}

}  // namespace dialect_test
}  // namespace mehler
