#include <gtest/gtest.h>

#include "mehler/core/name_suggestions.h"
#include "mehler/core/strict_json.h"
#include "tests/support/errors.h"

namespace mehler {
namespace names_and_json_test {

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

TEST(ShownNames, AreCutAtEightyCharacters) {
  EXPECT_EQ(shown("age"), "age");
  EXPECT_EQ(shown(std::string(80, 'a')), std::string(80, 'a'));
  EXPECT_EQ(shown(std::string(81, 'a')), std::string(80, 'a') + "...");
  std::string accents;  // two bytes each, none of them cut in two
  for (int i = 0; i < 100; ++i) {
    accents += "\xc3\xa9";
  }
  EXPECT_EQ(shown(accents), accents.substr(0, 160) + "...");
  EXPECT_LE(shown(std::string(5000, '\x80')).size(), 400u);  // no UTF-8 at all
}

TEST(ShownNames, AreWhatMessagesQuote) {
  const std::string name(70'000, 'n');
  const std::vector<std::string> known = {name + "a", "b"};
  EXPECT_LT(suggest_names("zzz", known).size(), 200u);
  EXPECT_LT(suggest_names(name, known).size(), 200u);
  const Json json = Json::parse("{\"" + name + "\": 1}");
  const std::string unknown = message_of(ErrorCode::kInvalidSchema, [&] {
    JsonObjectReader(json, ErrorCode::kInvalidSchema, "it").finish();
  });
  expect_mentions(unknown, {"nnn...'", "unknown key"});
  EXPECT_LT(unknown.size(), 200u);
  const std::string twice = "{\"" + name + "\": 1, \"" + name + "\": 1}";
  EXPECT_LT(message_of(ErrorCode::kInvalidSchema,
                       [&] { parse_strict_json(twice, ErrorCode::kInvalidSchema, "it"); })
                .size(),
            200u);
}

}  // namespace names_and_json_test
}  // namespace mehler
