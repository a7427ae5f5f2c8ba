#include "mehler/generator/sample_condition.h"

#include <gtest/gtest.h>

#include "mehler/core/seeded_random.h"
#include "tests/support/errors.h"

namespace mehler {
namespace sample_condition_test {

using Relation = ConditionRelation;

const std::vector<std::string> kColumns = {"age",    "a",      "a=b",        "a=b c", "in",
                                           "x in y", "region", "is missing", "\"q\"", " spaced"};

SampleCondition parse(const std::string& text) { return parse_condition(text, kColumns); }

void expect_refused(const std::string& text, std::initializer_list<const char*> words) {
  expect_mentions(message_of(ErrorCode::kInvalidArgument, [&] { parse(text); }), words);
}

TEST(SampleCondition, SignsCompareAColumnWithAValue) {
  EXPECT_EQ(parse("region=west"), SampleCondition("region", "west"));
  EXPECT_EQ(parse("region=west"), SampleCondition("region", Relation::kIn, {"west"}));
  EXPECT_EQ(parse("region!=west"), SampleCondition("region", Relation::kNotIn, {"west"}));
  EXPECT_EQ(parse("age>=65"), SampleCondition("age", Relation::kAtLeast, {"65"}));
  EXPECT_EQ(parse("age>65"), SampleCondition("age", Relation::kGreater, {"65"}));
  EXPECT_EQ(parse("age<=65"), SampleCondition("age", Relation::kAtMost, {"65"}));
  EXPECT_EQ(parse("age<65"), SampleCondition("age", Relation::kLess, {"65"}));
  EXPECT_EQ(parse("age<-2.5e3"), SampleCondition("age", Relation::kLess, {"-2.5e3"}));
}

TEST(SampleCondition, WordsListValuesOrAskForMissingOnes) {
  EXPECT_EQ(parse("region in west,east"),
            SampleCondition("region", Relation::kIn, {"west", "east"}));
  EXPECT_EQ(parse("region not in west, east "),
            SampleCondition("region", Relation::kNotIn, {"west", "east"}));
  EXPECT_EQ(parse("region in west,"), SampleCondition("region", Relation::kIn, {"west", ""}));
  EXPECT_EQ(parse("region IS  NOT missing"), SampleCondition("region", Relation::kNotMissing));
  EXPECT_EQ(parse("region is missing "), SampleCondition("region", Relation::kMissing));
}

TEST(SampleCondition, SpacesAroundSignsAndValuesDoNotCount) {
  EXPECT_EQ(parse("  age  >=  65 "), SampleCondition("age", Relation::kAtLeast, {"65"}));
  EXPECT_EQ(parse("region = far west"), SampleCondition("region", "far west"));
  EXPECT_EQ(parse(" spaced=1"), SampleCondition(" spaced", "1"));
}

TEST(SampleCondition, AnEmptyValueIsNotTheEmptyText) {
  EXPECT_EQ(parse("region="), SampleCondition("region", ""));
  EXPECT_EQ(parse("region!="), SampleCondition("region", Relation::kNotIn, {""}));
  EXPECT_EQ(parse("region=\"\""), SampleCondition("region", "\"\""));
}

TEST(SampleCondition, TheLongestColumnThatFitsIsMeant) {
  EXPECT_EQ(parse("a=b"), SampleCondition("a", "b"));
  EXPECT_EQ(parse("a=b=c"), SampleCondition("a=b", "c"));
  EXPECT_EQ(parse("a=b c=d"), SampleCondition("a=b c", "d"));
  EXPECT_EQ(parse("a=b in c"), SampleCondition("a=b", Relation::kIn, {"c"}));
  EXPECT_EQ(parse("in in in"), SampleCondition("in", Relation::kIn, {"in"}));
  EXPECT_EQ(parse("x in y in z"), SampleCondition("x in y", Relation::kIn, {"z"}));
  EXPECT_EQ(parse("x in y"), SampleCondition("x", Relation::kIn, {"y"}));
  EXPECT_EQ(parse("is missing is missing"), SampleCondition("is missing", Relation::kMissing));
  EXPECT_EQ(parse("\"q\"=1"), SampleCondition("\"q\"", "1"));
}

TEST(SampleCondition, QuotesKeepNamesAndValuesTogether) {
  EXPECT_EQ(parse("\"a=b\"=3"), SampleCondition("a=b", "3"));
  EXPECT_EQ(parse("\"a\"=b=c"), SampleCondition("a", "b=c"));
  EXPECT_EQ(parse("\"age\"in 3"), SampleCondition("age", Relation::kIn, {"3"}));
  EXPECT_EQ(parse("region in \"a, b\", \"c \"\"d\"\"\" ,e"),
            SampleCondition("region", Relation::kIn, {"a, b", "c \"d\"", "e"}));
  EXPECT_EQ(parse("region=\" west\""), SampleCondition("region", " west"));
  EXPECT_EQ(parse("region=5\" pipe"), SampleCondition("region", "5\" pipe"));
}

TEST(SampleCondition, UnknownNamesEndAtTheFirstSign) {
  EXPECT_EQ(parse("regoin=west"), SampleCondition("regoin", "west"));
  EXPECT_EQ(parse("regoin <= 3"), SampleCondition("regoin", Relation::kAtMost, {"3"}));
  EXPECT_EQ(parse("my regoin not in 3"), SampleCondition("my regoin", Relation::kNotIn, {"3"}));
  EXPECT_EQ(parse("ages=3"), SampleCondition("ages", "3"));
}

TEST(SampleCondition, TextsThatAreNoConditionAreRefused) {
  for (const char* text : {"", "age", "age:3", "age is gone", "=3", "age inside 3", "\"age\"",
                           "region is missing or not"}) {
    expect_refused(text, {text, "COLUMN=VALUE", "COLUMN not in A,B", "double quotes"});
  }
}

TEST(SampleCondition, QuotesThatDoNotCloseAreRefused) {
  expect_refused("\"age=3", {"not closed"});
  expect_refused("region=\"west", {"not closed"});
  expect_refused("region in \"west,east", {"not closed"});
  expect_refused("region=\"west\"ern", {"goes on after"});
  expect_refused("region in \"west\"ern,east", {"goes on after"});
}

TEST(SampleCondition, ComparisonsAndListsNeedAValue) {
  expect_refused("age>=", {"'age>='", "one to compare", "is missing"});
  expect_refused("age< ", {"no value"});
  expect_refused("region in", {"'region in'", "commas"});
  expect_refused("region not in  ", {"commas"});
}

/// A text of random pieces.
std::string random_text(SeededRandom& random, std::size_t most) {
  const std::vector<std::string> pieces = {"a",  "b", "=",  "\"",  "<",       ">",    "!", " ",
                                           "in", ",", "is", "not", "missing", "\"\"", "65"};
  std::string text;
  for (std::size_t left = 1 + random.next_word() % most; left > 0; --left) {
    text += pieces[random.next_word() % pieces.size()];
  }
  return text;
}

TEST(SampleCondition, AnyTextIsReadOrRefused) {
  SeededRandom random(1);
  int read = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = random_text(random, 9);
    try {
      const SampleCondition condition = parse(text);
      const bool is_about_missing =
          condition.relation == Relation::kMissing || condition.relation == Relation::kNotMissing;
      EXPECT_EQ(condition.values.empty(), is_about_missing) << text;
      ++read;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument) << text;
    }
  }
  EXPECT_GT(read, 1000);
}

TEST(SampleCondition, QuotedNamesAndValuesComeBackAsTheyAre) {
  const auto quoted = [](const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
      result += c == '"' ? "\"\"" : std::string(1, c);
    }
    return result + "\"";
  };
  SeededRandom random(2);
  for (int i = 0; i < 2000; ++i) {
    const std::string name = random_text(random, 6);
    const std::vector<std::string> values = {random_text(random, 6), random_text(random, 6)};
    const std::string text =
        quoted(name) + " not in " + quoted(values[0]) + "," + quoted(values[1]);
    EXPECT_EQ(parse_condition(text, {}), SampleCondition(name, Relation::kNotIn, values)) << text;
  }
}

}  // namespace sample_condition_test
}  // namespace mehler
