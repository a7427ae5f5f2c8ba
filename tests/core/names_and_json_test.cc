#include <gtest/gtest.h>

#include "mehler/core/near_names.h"
#include "mehler/core/strict_json.h"
#include "tests/support/errors.h"

namespace mehler {
namespace {

const std::vector<std::string> kNames = {"age", "workclass", "education", "income"};

TEST(NearNames, FindsATypingMistake) {
  EXPECT_EQ(near_names("wrkclas", kNames), std::vector<std::string>{"workclass"});
  EXPECT_EQ(near_names("Income", kNames), std::vector<std::string>{"income"});
}

TEST(NearNames, FindsNothingFarAway) { EXPECT_TRUE(near_names("zzzzzz", kNames).empty()); }

TEST(NearNames, SuggestsOrLists) {
  EXPECT_EQ(suggest_names("agee", kNames), "; did you mean 'age'?");
  EXPECT_EQ(suggest_names("zzzzzz", kNames), "; known names: age, workclass, education, income");
}

TEST(StrictJson, RefusesAKeyGivenTwice) {
  expect_mentions(message_of(ErrorCode::kInvalidSchema,
                             [] {
                               parse_strict_json(R"({"a": 1, "b": {"c": 1, "c": 2}})",
                                                 ErrorCode::kInvalidSchema, "the schema");
                             }),
                  {"the schema", "'c'", "twice"});
}

TEST(StrictJson, AcceptsOneKeyInTwoObjects) {
  EXPECT_NO_THROW(
      parse_strict_json(R"([{"a": 1}, {"a": 2}])", ErrorCode::kInvalidSchema, "the schema"));
}

TEST(StrictJson, NamesTheLineOfAMistake) {
  expect_mentions(message_of(ErrorCode::kInvalidSchema,
                             [] {
                               parse_strict_json("{\n\"a\": 1,\n\"b\" 2}",
                                                 ErrorCode::kInvalidSchema, "the schema");
                             }),
                  {"line 3"});
}

TEST(StrictJson, RefusesInvalidUtf8) {
  message_of(ErrorCode::kInvalidSchema, [] {
    parse_strict_json("{\"a\": \"\xff\"}", ErrorCode::kInvalidSchema, "the schema");
  });
}

TEST(StrictJson, ReaderRefusesUnknownKeysWithANearName) {
  const Json json = Json::parse(R"({"bonds": 1})");
  JsonObjectReader reader(json, ErrorCode::kInvalidSchema, "column 'x'");
  reader.find("bounds");
  expect_mentions(message_of(ErrorCode::kInvalidSchema, [&] { reader.finish(); }),
                  {"column 'x'", "'bonds'", "'bounds'"});
}

TEST(StrictJson, ReaderChecksTypes) {
  const Json json =
      Json::parse(R"({"text": 1, "number": "1", "whole": 1.5, "flag": 0, "list": {}})");
  JsonObjectReader reader(json, ErrorCode::kInvalidSchema, "it");
  const auto refuses = [&](const std::function<void()>& call) {
    message_of(ErrorCode::kInvalidSchema, call);
  };
  refuses([&] { reader.text("text"); });
  refuses([&] { reader.number("number"); });
  refuses([&] { reader.integer("whole"); });
  refuses([&] { reader.boolean("flag"); });
  refuses([&] { reader.array("list"); });
  refuses([&] { reader.text("absent"); });
}

TEST(StrictJson, NumbersComeBackTheSame) {
  for (const double value : {0.1, 1.0 / 3.0, 17.0, -4.0e300, 5e-324, 9007199254740993.0}) {
    EXPECT_EQ(Json::parse(json_number(value).dump()).get<double>(), value);
  }
  EXPECT_EQ(json_number(17.0).dump(), "17");
}

TEST(StrictJson, OneLineHasSpacesAfterCommasAndColons) {
  EXPECT_EQ(one_line_json(Json::parse(R"({"a":[1,"b,c"],"d":{}})")),
            R"({"a": [1, "b,c"], "d": {}})");
}

}  // namespace
}  // namespace mehler
