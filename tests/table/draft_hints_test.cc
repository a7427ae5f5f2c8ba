#include "mehler/table/draft_hints.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "tests/support/schema_of.h"
#include "tests/support/table_stream.h"

namespace mehler {
namespace draft_hints_test {

using Texts = std::vector<std::string>;

/// What is said of a CSV column whose first rows have these texts.
TextHints hints_of_texts(const Texts& texts) {
  Table table;
  table.columns.push_back({"x", ColumnKind::kCategorical, texts, {}});
  return read_text_hints(part_of({table})()).at("x");
}

TEST(TextHints, LeadingZerosAreSeenInWholeNumbersOnly) {
  EXPECT_TRUE(hints_of_texts({"10001", "00501"}).has_leading_zeros);
  EXPECT_TRUE(hints_of_texts({"00"}).has_leading_zeros);
  EXPECT_FALSE(hints_of_texts({"0", "0.5", "-0", "0e1", "100"}).has_leading_zeros);
  EXPECT_FALSE(hints_of_texts({"00501", "abc"}).has_leading_zeros) << "a text anyway";
}

TEST(TextHints, ASpellingOfMissingValuesIsNamedIfAllElseAreNumbers) {
  for (const char* spelling : {"NA", "N/A", "NaN", "?", "-", "NULL", "None", "."}) {
    EXPECT_EQ(hints_of_texts({"1.5", spelling, "-7"}).missing_spelling, spelling);
  }
  EXPECT_EQ(hints_of_texts({"1.5", "NA", "x"}).missing_spelling, "");
  EXPECT_EQ(hints_of_texts({"1.5", "NA", "?"}).missing_spelling, "");
  EXPECT_EQ(hints_of_texts({"NA", "NA"}).missing_spelling, "");
  EXPECT_EQ(hints_of_texts({"1", "2"}).missing_spelling, "");
}

TEST(TextHints, ZeroAndOneAreSeen) {
  EXPECT_TRUE(hints_of_texts({"0", "1", "1"}).is_zero_or_one);
  EXPECT_FALSE(hints_of_texts({"0", "1", "2"}).is_zero_or_one);
  EXPECT_FALSE(hints_of_texts({"0.0", "1"}).is_zero_or_one);
}

SchemaDraft draft_of(const std::string& columns) { return {schema_of(columns), {}}; }

TEST(TextHints, CodesBecomeCategoricalAndFlagsBoolean) {
  SchemaDraft draft = draft_of(
      R"({"name": "zip", "kind": "integer"}, {"name": "flag", "kind": "integer"},
         {"name": "income", "kind": "categorical"}, {"name": "age", "kind": "integer"})");
  apply_text_hints({{"zip", {true, false, ""}},
                    {"flag", {false, true, ""}},
                    {"income", {false, false, "NA"}},
                    {"age", {}}},
                   draft);
  EXPECT_EQ(draft.schema.find("zip")->kind, ColumnKind::kCategorical);
  EXPECT_EQ(draft.schema.find("flag")->kind, ColumnKind::kBoolean);
  EXPECT_EQ(draft.schema.find("flag")->type, StoredType::kInt64) << "it comes back as 0 and 1";
  EXPECT_EQ(draft.schema.find("income")->kind, ColumnKind::kCategorical);
  EXPECT_EQ(draft.schema.find("age")->kind, ColumnKind::kInteger);
  ASSERT_EQ(draft.notes.size(), 3u);
  expect_mentions(draft.notes[0], {"'zip'", "leading zeros", "categorical"});
  expect_mentions(draft.notes[1], {"'flag'", "0 and 1", "boolean", "integer"});
  expect_mentions(draft.notes[2],
                  {"'income'", "would be a number if 'NA' were missing: add --null 'NA'"});
}

TEST(IdentifierNames, AreKnownByTheirEndings) {
  for (const char* name : {"id", "ID", "patient_id", "PATIENT_ID", "encounter-id", "Patient ID",
                           "patientId", "patientID", "patient_nbr", "uuid", "row_uuid", "mrn"}) {
    EXPECT_TRUE(names_an_identifier(name)) << name;
  }
  for (const char* name :
       {"", "age", "paid", "valid", "COVID", "humid", "identity", "smoker_no", "idle", "AID"}) {
    EXPECT_FALSE(names_an_identifier(name)) << name;
  }
}

std::vector<std::string> notes_of(const std::string& columns) {
  return notes_on_values(schema_of(columns));
}

TEST(NotesOnValues, BoundsThatSpanPowersOfTenAskForATransform) {
  const auto income = notes_of(R"({"name": "income", "kind": "integer", "bounds": [0, 1000000]})");
  ASSERT_EQ(income.size(), 1u);
  expect_mentions(income[0], {"'income'", "powers of ten", "\"transform\": \"log\""});
  const auto balance =
      notes_of(R"({"name": "b", "kind": "numeric", "bounds": [-1e6, 1e6], "decimals": 2})");
  ASSERT_EQ(balance.size(), 1u);
  expect_mentions(balance[0], {"'b'", "\"transform\": \"signed-log\""});
  for (const char* quiet :
       {R"({"name": "x", "kind": "integer", "bounds": [0, 1000000], "transform": "log"})",
        R"({"name": "x", "kind": "integer", "bounds": [1900, 2100]})",
        R"({"name": "x", "kind": "integer", "bounds": [501, 99950]})",
        R"({"name": "x", "kind": "integer", "bounds": [0, 120]})",
        R"({"name": "x", "kind": "date", "bounds": ["1970-01-01", "2070-01-01"]})",
        R"({"name": "x", "kind": "integer"})"}) {
    EXPECT_TRUE(notes_of(quiet).empty()) << quiet;
  }
}

TEST(NotesOnValues, NumbersWithoutAStepAreNamedInOneNote) {
  const auto notes = notes_of(
      R"({"name": "a", "kind": "numeric", "bounds": [0, 1]},
         {"name": "b", "kind": "numeric", "bounds": [0, 1], "step": 0.5},
         {"name": "c", "kind": "numeric", "bounds": [0, 2]})");
  ASSERT_EQ(notes.size(), 1u);
  expect_mentions(notes[0],
                  {"the columns 'a', 'c' have", "neither a step nor decimals", "such as 0"});
}

}  // namespace draft_hints_test
}  // namespace mehler
