#include "mehler/table/identifier_pattern.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "mehler/table/schema.h"
#include "tests/support/errors.h"
#include "tests/support/schema_of.h"

namespace mehler {
namespace identifier_pattern_test {

TEST(IdentifierPattern, EveryRowHasAnotherOneUntilTheyAreUsedUp) {
  for (const char* text : {"{1 digit}", "{2 letters}", "{3 digits}", "A{1 letter}{2 digits}"}) {
    const IdentifierPattern pattern(text);
    for (const std::uint64_t seed : {0ULL, 1ULL, 77ULL, ~0ULL}) {
      std::set<std::string> seen;
      for (std::uint64_t row = 0; row < pattern.count(); ++row) {
        seen.insert(pattern.make(seed, row));
      }
      EXPECT_EQ(seen.size(), pattern.count()) << text << ", seed " << seed;
    }
  }
}

TEST(IdentifierPattern, LongPatternsDoNotRepeatEither) {
  for (const char* text : {"{18 digits}", "{uuid}", "{row}", "{1 digit}-{row}", "{12 letters}"}) {
    const IdentifierPattern pattern(text);
    std::set<std::string> seen;
    for (std::uint64_t row = 0; row < 20'000; ++row) {
      seen.insert(pattern.make(5, row));
    }
    EXPECT_EQ(seen.size(), 20'000u) << text;
  }
}

TEST(IdentifierPattern, HasTheWrittenForm) {
  const auto matches = [](const char* pattern, const char* form) {
    for (std::uint64_t row = 0; row < 50; ++row) {
      const std::string made = IdentifierPattern(pattern).make(3, row);
      EXPECT_TRUE(std::regex_match(made, std::regex(form))) << pattern << " made " << made;
    }
  };
  matches("P{6 digits}", "P[0-9]{6}");
  matches("{4 letters}-{2 digits}", "[A-Z]{4}-[0-9]{2}");
  matches("{uuid}", "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");
  matches("{{{1 digit}}}", "\\{[0-9]\\}");
  EXPECT_EQ(IdentifierPattern("id {row}").make(3, 41), "id 42");
}

TEST(IdentifierPattern, DependsOnTheSeedAndTheRowAlone) {
  const IdentifierPattern pattern("{8 digits}");
  EXPECT_EQ(pattern.make(1, 7), IdentifierPattern("{8 digits}").make(1, 7));
  EXPECT_NE(pattern.make(1, 7), pattern.make(2, 7));
  EXPECT_EQ(pattern.count(), 100'000'000u);
  EXPECT_EQ(IdentifierPattern("{1 digit}{row}").count(), IdentifierPattern::kUnlimited);
}

TEST(IdentifierPattern, PatternsThatAreWrongAreRefusedWithTheColumn) {
  const auto refused = [](const std::string& make) {
    return message_of(ErrorCode::kInvalidSchema, [&] {
      schema_of(R"({"name": "id", "kind": "identifier", "make": )" + make + "}");
    });
  };
  expect_mentions(refused("7"), {"'id'", "'make'"});
  expect_mentions(refused("\"\""), {"'id'", "empty", "P{6 digits}"});
  expect_mentions(refused("\"P\""), {"'id'", "nothing changes", "{6 digits}"});
  expect_mentions(refused("\"{6 digits\""), {"'id'", "not closed", "\"{{\""});
  expect_mentions(refused("\"{6 digits}}\""), {"'id'", "closing brace", "\"}}\""});
  expect_mentions(refused("\"{six digits}\""), {"'id'", "'{six digits}'", "{4 letters}"});
  expect_mentions(refused("\"{0 digits}\""), {"'id'", "'{0 digits}'"});
  expect_mentions(refused("\"{-1 digits}\""), {"'id'", "'{-1 digits}'"});
  expect_mentions(refused("\"{19 digits}\""), {"'id'", "10^18", "{uuid}"});
  expect_mentions(refused("\"{99999999999999999999 digits}\""), {"'id'", "unknown part"});
  expect_mentions(
      message_of(ErrorCode::kInvalidSchema,
                 [] { schema_of(R"({"name": "x", "kind": "boolean", "make": "{row}"})"); }),
      {"'x'", "only identifiers"});
}

TEST(IdentifierPattern, ComesBackInTheSchemaFile) {
  const Schema schema = schema_of(
      R"({"name": "id", "kind": "identifier", "make": "P{6 digits}"}, {"name": "b", "kind": "boolean"})");
  EXPECT_EQ(schema.columns()[0].make, "P{6 digits}");
  EXPECT_EQ(Schema::from_json(schema.to_json()), schema);
}

}  // namespace identifier_pattern_test
}  // namespace mehler
