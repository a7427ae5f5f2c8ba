#include "mehler/table/constraints.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "mehler/table/calendar.h"
#include "mehler/table/column_rules.h"
#include "mehler/table/modelled_columns.h"
#include "mehler/table/schema.h"
#include "tests/support/errors.h"
#include "tests/support/schema_of.h"

namespace mehler {
namespace constraints_test {

/// A schema with columns and, before them, rules of the table.
Schema with_rules(const std::string& rules, const std::string& columns) {
  return Schema::from_json(R"({"mehler_schema": 1, )" + rules + R"(, "columns": [)" + columns +
                           "]}");
}

const char* const kTrip =
    R"({"name": "pickup", "kind": "datetime", "bounds": ["2020-01-01", "2020-12-31"],
        "parts": ["hour", "weekday"]},
       {"name": "dropoff", "kind": "datetime", "after": {"column": "pickup", "bounds": [0, 10800]}},
       {"name": "fare", "kind": "numeric", "bounds": [0, 100], "decimals": 2},
       {"name": "tip", "kind": "numeric", "bounds": [0, 50], "decimals": 2},
       {"name": "total", "kind": "numeric", "decimals": 2, "derived": "fare + tip"},
       {"name": "class", "kind": "categorical", "categories": ["1", "2", "3"]},
       {"name": "class name", "kind": "categorical",
        "determined_by": {"column": "class", "map": {"1": "First", "2": "Second", "3": "Third"}}})";

TEST(Constraints, AreTheSameAfterWritingTheSchemaAndReadingIt) {
  const Schema schema = with_rules(
      R"("never": [{"class": ["1", "2"], "fare": {"below": 3}}, {"pickup": {"from": "2020-02-01",
          "to": "2020-02-02"}, "class": "3"}, {"tip": [0, 1.5], "pickup_hour": 3}],
         "sums": [{"parts": ["fare", "tip"], "total": "paid"}, {"parts": ["x", "y"], "total": 100}])",
      std::string(kTrip) + R"(, {"name": "x", "kind": "integer", "bounds": [0, 100]},
                               {"name": "y", "kind": "integer", "bounds": [0, 100]},
                               {"name": "paid", "kind": "numeric", "decimals": 2})");
  EXPECT_EQ(Schema::from_json(schema.to_json()), schema);
  EXPECT_EQ(schema.rules().never.size(), 3U);
  // However numbers are written.
  const Schema odd =
      with_rules(R"("never": [{"a": ["03", 1e0, -0.0, 1152921504606846976, "1e2"]}])",
                 R"({"name": "a", "kind": "numeric", "bounds": [0, 10]})");
  EXPECT_EQ(Schema::from_json(odd.to_json()), odd);
}

TEST(Constraints, AddColumnsOfPartsAndCategoriesOfMaps) {
  const Schema schema = schema_of(kTrip);
  ASSERT_NE(schema.find("pickup_hour"), nullptr);
  EXPECT_EQ(schema.find("pickup_hour")->rules.derived, "hour(`pickup`)");
  EXPECT_EQ(schema.columns()[2].name, "pickup_weekday");
  EXPECT_EQ(schema.find("class name")->labels(),
            (std::vector<std::string>{"First", "Second", "Third"}));
}

TEST(Constraints, SayWhatIsModelled) {
  const std::vector<ModelledColumn> columns = modelled_columns(schema_of(kTrip));
  std::vector<std::string> names;
  for (const ModelledColumn& modelled : columns) {
    names.push_back(modelled.column.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"pickup (day)", "pickup (time of day)",
                                             "dropoff - pickup", "fare", "tip", "class"}));
  EXPECT_EQ(columns[2].column.kind, ColumnKind::kInteger);
  EXPECT_EQ(columns[2].column.bounds, (Interval{0, 10800}));
}

TEST(Constraints, GiveTheBoundsThatFollow) {
  const Schema schema = schema_of(
      R"({"name": "a", "kind": "integer", "bounds": [0, 10]},
         {"name": "b", "kind": "integer", "at_least": {"column": "a", "bounds": [1, 5]}},
         {"name": "c", "kind": "integer", "at_least": {"column": "b", "bounds": [0, 3]},
          "bounds": [0, 16]},
         {"name": "d", "kind": "integer", "derived": "a * 2"})");
  EXPECT_EQ(value_range(schema, *schema.find("b")), (Interval{1, 15}));
  EXPECT_EQ(value_range(schema, *schema.find("c")), (Interval{1, 16}));
  const Schema plain = schema.without_rules();
  EXPECT_EQ(plain.find("b")->bounds, (Interval{1, 15}));
  EXPECT_EQ(plain.find("d")->kind, ColumnKind::kIgnored);
}

struct Complaint {
  const char* text;
  std::vector<const char*> words;
};

void expect_words(const std::string& message, const Complaint& complaint) {
  for (const char* word : complaint.words) {
    expect_mentions(message, {word});
  }
}

/// Of a schema with these columns.
void expect_refused(const Complaint& complaint) {
  expect_words(message_of(ErrorCode::kInvalidSchema, [&] { schema_of(complaint.text); }),
               complaint);
}

TEST(Constraints, RefuseWhatAtLeastCannotMean) {
#define A R"({"name": "a", "kind": "integer", "bounds": [0, 10]},)"
  const Complaint cases[] = {
      {A R"({"name": "b", "kind": "integer", "at_least": "a"})", {"at_least", "object"}},
      {A R"({"name": "b", "kind": "integer", "at_least": {"column": "a"}})", {"'bounds'"}},
      {A R"({"name": "b", "kind": "integer", "at_least": {"column": "a", "bounds": [0, "x"]}})",
       {"two numbers"}},
      {A R"({"name": "b", "kind": "integer", "at_least": {"column": "a", "bounds": [5, 1]}})",
       {"'b - a'", "swap them"}},
      {A R"({"name": "b", "kind": "integer", "at_least": {"column": "x", "bounds": [0, 1]}})",
       {"'b'", "'x'", "not among"}},
      {A R"({"name": "b", "kind": "integer", "after": {"column": "a", "bounds": [0, 1]}})",
       {"'after'", "dates and times"}},
      {A R"({"name": "b", "kind": "date", "after": {"column": "a", "bounds": [0, 1]},
             "at_least": {"column": "a", "bounds": [0, 1]}})",
       {"both"}},
      {A R"({"name": "b", "kind": "date", "after": {"column": "a", "bounds": [0, 1]}})",
       {"same kind"}},
      {A R"({"name": "b", "kind": "boolean", "at_least": {"column": "a", "bounds": [0, 1]}})",
       {"boolean"}},
      {A R"({"name": "b", "kind": "integer", "at_least": {"column": "a", "bounds": [0, 1]},
             "derived": "a"})",
       {"keep one"}},
      {A R"({"name": "b", "kind": "integer", "at_least": {"column": "a", "bounds": [0, 5]},
             "bounds": [0, 9]})",
       {"leave room"}},
      {A R"({"name": "b", "kind": "integer", "derived": "a"},
            {"name": "c", "kind": "integer", "at_least": {"column": "b", "bounds": [0, 5]}})",
       {"computed"}},
      {A R"({"name": "b", "kind": "integer", "at_least": {"column": "c", "bounds": [0, 5]}},
            {"name": "c", "kind": "integer", "at_least": {"column": "b", "bounds": [0, 5]}})",
       {"follows from itself", "'b' from 'c' from 'b'"}},
      {A R"({"name": "b", "kind": "integer", "at_least": {"column": "b", "bounds": [0, 5]}})",
       {"follows from itself"}},
      {R"({"name": "a", "kind": "ignored"},
          {"name": "b", "kind": "integer", "at_least": {"column": "a", "bounds": [0, 5]}})",
       {"'a'", "ignored"}},
      {R"({"name": "a", "kind": "integer", "bounds": [0, 5], "missing": true},
          {"name": "b", "kind": "integer", "at_least": {"column": "a", "bounds": [0, 5]}})",
       {"may be missing"}},
      {A R"({"name": "b", "kind": "integer", "type": "int8",
             "at_least": {"column": "a", "bounds": [0, 500]}})",
       {"more than the column holds"}},
      {R"({"name": "a", "kind": "date", "bounds": ["2020-01-01", "2021-01-01"]},
          {"name": "b", "kind": "date", "after": {"column": "a", "bounds": [0, 5000000]}})",
       {"more than the column holds"}},
      {A R"({"name": "b", "kind": "integer", "at_least": {"column": "a", "bounds": [0, 5]}},
            {"name": "b - a", "kind": "boolean"})",
       {"'b - a'", "rename"}},
  };
  for (const Complaint& complaint : cases) {
    expect_refused(complaint);
  }
}

TEST(Constraints, RefuseExpressionsThatDoNotFitTheirColumn) {
  const Complaint cases[] = {
      {A R"({"name": "b", "kind": "integer", "derived": 3})", {"derived"}},
      {A R"({"name": "b", "kind": "integer", "derived": "a +"})", {"'b'", "ends too early"}},
      {A R"({"name": "b", "kind": "integer", "derived": "c + 1"})", {"'b'", "'c'", "not among"}},
      {A R"({"name": "b", "kind": "integer", "derived": "b + 1"})", {"follows from itself"}},
      {A R"({"name": "b", "kind": "integer", "derived": "c"},
            {"name": "c", "kind": "integer", "derived": "b + a"})",
       {"follows from itself"}},
      {A R"({"name": "b", "kind": "date", "derived": "a"})", {"gives a number"}},
      {A R"({"name": "b", "kind": "numeric", "derived": "1 / a"})", {"division by 0", "missing"}},
      {A R"({"name": "b", "kind": "integer", "derived": "1 / a", "missing": true})", {"bounds"}},
      {A R"({"name": "b", "kind": "integer", "type": "int8", "derived": "a * 100"})", {"bounds"}},
      {R"({"name": "a", "kind": "date", "bounds": ["2020-01-01", "2021-01-01"]},
          {"name": "b", "kind": "date", "derived": "a + 9000000"})",
       {"more than the column holds"}},
      {A R"({"name": "b", "kind": "integer", "derived": "1 + 2"})", {"without columns"}},
      {A R"({"name": "b", "kind": "categorical", "categories": ["0", "1"], "derived": "a"})",
       {"categories"}},
      {A R"({"name": "c", "kind": "categorical", "categories": ["x"]},
            {"name": "b", "kind": "integer", "derived": "c + 1"})",
       {"'c'", "determined_by"}},
      {A R"({"name": "i", "kind": "identifier"}, {"name": "b", "kind": "integer", "derived": "i"})",
       {"'i'", "identifier"}},
  };
  for (const Complaint& complaint : cases) {
    expect_refused(complaint);
  }
  expect_mentions(message_of(ErrorCode::kInvalidSchema,
                             [] {
                               with_rules(R"("target": "b")",
                                          A R"({"name": "b", "kind": "integer", "derived": "a"})");
                             }),
                  {"'b'", "target"});
}

TEST(Constraints, RefuseMapsThatDoNotFitTheirColumns) {
#define C R"({"name": "c", "kind": "categorical", "categories": ["x", "y"]},)"
  const Complaint cases[] = {
      {C R"({"name": "b", "kind": "boolean", "determined_by": "c"})", {"determined_by"}},
      {C R"({"name": "b", "kind": "boolean", "determined_by": {"column": "c", "map": []}})",
       {"map"}},
      {C R"({"name": "b", "kind": "boolean", "determined_by": {"column": "c", "map": {}}})",
       {"empty map"}},
      {C R"({"name": "b", "kind": "boolean", "determined_by": {"column": "c", "map": {"x": []}}})",
       {"no text"}},
      {C R"({"name": "b", "kind": "boolean",
             "determined_by": {"column": "z", "map": {"x": true, "y": false}}})",
       {"'z'", "not among"}},
      {C
       R"({"name": "b", "kind": "boolean", "determined_by": {"column": "c", "map": {"x": true}}})",
       {"no value for y"}},
      {C R"({"name": "b", "kind": "boolean",
             "determined_by": {"column": "c", "map": {"x": true, "y": true, "w": true}}})",
       {"'w'", "never is"}},
      {C R"({"name": "b", "kind": "boolean",
             "determined_by": {"column": "c", "map": {"x": "maybe", "y": true}}})",
       {"'maybe'"}},
      {C R"({"name": "b", "kind": "integer", "bounds": [0, 5],
             "determined_by": {"column": "c", "map": {"x": 1, "y": 7}}})",
       {"'7'", "bounds"}},
      {C R"({"name": "b", "kind": "boolean",
             "determined_by": {"column": "c", "map": {"x": null, "y": true}}})",
       {"missing"}},
      {C R"({"name": "b", "kind": "boolean", "derived": "1",
             "determined_by": {"column": "c", "map": {"x": true, "y": true}}})",
       {"keep one"}},
      {R"({"name": "c", "kind": "numeric", "bounds": [0, 1]},
          {"name": "b", "kind": "boolean", "determined_by": {"column": "c", "map": {"x": true}}})",
       {"'c'", "numeric"}},
  };
  for (const Complaint& complaint : cases) {
    expect_refused(complaint);
  }
}

TEST(Constraints, RefusePartsThatAColumnDoesNotHave) {
  const Complaint cases[] = {
      {R"({"name": "a", "kind": "datetime", "bounds": ["2020-01-01", "2021-01-01"],
           "parts": "hour"})",
       {"parts"}},
      {R"({"name": "a", "kind": "datetime", "bounds": ["2020-01-01", "2021-01-01"],
           "parts": ["hours"]})",
       {"hours", "weekday"}},
      {R"({"name": "a", "kind": "datetime", "bounds": ["2020-01-01", "2021-01-01"],
           "parts": ["hour", "hour"]})",
       {"twice"}},
      {R"({"name": "a", "kind": "date", "bounds": ["2020-01-01", "2021-01-01"],
           "parts": ["hour"]})",
       {"is a date"}},
      {R"({"name": "a", "kind": "integer", "bounds": [0, 1], "parts": ["hour"]})", {"parts"}},
      {R"({"name": "a", "kind": "datetime", "bounds": ["2020-01-01", "2021-01-01"],
           "parts": ["hour"]}, {"name": "a_hour", "kind": "integer", "bounds": [0, 23]})",
       {"a_hour", "already"}},
  };
  for (const Complaint& complaint : cases) {
    expect_refused(complaint);
  }
}

TEST(Constraints, RefuseCombinationsThatCannotBeForbidden) {
  const Complaint cases[] = {
      {R"("never": {"a": 1})", {"never", "list"}},
      {R"("never": [3])", {"rule 1", "object"}},
      {R"("never": [{}])", {"rule 1", "no column"}},
      {R"("never": [{"a": 1}, {"z": 1}])", {"rule 2", "'z'", "not among"}},
      {R"("never": [{"i": 1}])", {"'i'", "identifier"}},
      {R"("never": [{"c": "w"}])", {"'w'", "'c'"}},
      {R"("never": [{"a": "x"}])", {"'a'", "integer"}},
      {R"("never": [{"a": null}])", {"missing"}},
      {R"("never": [{"a": []}])", {"lists no value"}},
      {R"("never": [{"c": {"below": 3}}])", {"range", "'c'"}},
      {R"("never": [{"a": {}}])", {"without an end"}},
      {R"("never": [{"a": {"under": 3}}])", {"under"}},
      {R"("never": [{"a": {"from": 1, "above": 3}}])", {"'from' and 'above'"}},
      {R"("never": [{"a": {"from": "x"}}])", {"no value of the column"}},
      {R"("never": [{"a": {"from": 5, "to": 3}}])", {"ends before it begins"}},
      {R"("never": [{"a": {"from": 0, "to": 10}, "c": ["x", "y"]}])", {"none is left"}},
      {R"("never": [{"a": [[1]]}])", {"no text"}},
  };
  for (const Complaint& complaint : cases) {
    expect_words(
        message_of(
            ErrorCode::kInvalidSchema,
            [&] { with_rules(complaint.text, A C R"({"name": "i", "kind": "identifier"})"); }),
        complaint);
  }
}

TEST(Constraints, RefuseSumsThatCannotBeMet) {
  const char* columns = A R"({"name": "b", "kind": "integer", "bounds": [0, 10]},
      {"name": "m", "kind": "integer", "bounds": [0, 10], "missing": true},
      {"name": "n", "kind": "numeric", "bounds": [0, 10]},
      {"name": "s", "kind": "integer", "bounds": [0, 10], "step": 2},
      {"name": "f", "kind": "numeric", "bounds": [0, 10], "decimals": 1, "type": "float32"},
      {"name": "d", "kind": "integer", "derived": "a + 1"},
      {"name": "e", "kind": "boolean"}, {"name": "i", "kind": "identifier"})";
  const Complaint cases[] = {
      {R"("sums": [{"parts": "a", "total": 5}])", {"parts"}},
      {R"("sums": [{"parts": [1, 2], "total": 5}])", {"names of columns"}},
      {R"("sums": [{"parts": ["a", "b"]}])", {"total"}},
      {R"("sums": [{"parts": ["a"], "total": 5}])", {"fewer than two"}},
      {R"("sums": [{"parts": ["a", "a"], "total": 5}])", {"twice"}},
      {R"("sums": [{"parts": ["a", "z"], "total": 5}])", {"'z'"}},
      {R"("sums": [{"parts": ["a", "b"], "total": "z"}])", {"'z'"}},
      {R"("sums": [{"parts": ["a", "b"], "total": "d"}])", {"'d'", "keep one"}},
      {R"("sums": [{"parts": ["a", "b"], "total": "i"}])", {"'i'", "identifier"}},
      {R"("sums": [{"parts": ["a", "b"], "total": 21}])", {"0 to 20"}},
      {R"("sums": [{"parts": ["a", "b"], "total": 1.5}])", {"1.5", "step"}},
      {R"("sums": [{"parts": ["a", "m"], "total": 5}])", {"'m'", "missing"}},
      {R"("sums": [{"parts": ["a", "n"], "total": 5}])", {"'n'", "decimals"}},
      {R"("sums": [{"parts": ["a", "s"], "total": 5}])", {"different steps"}},
      {R"("sums": [{"parts": ["f", "n"], "total": 5}])", {"'f'", "single precision"}},
      {R"("sums": [{"parts": ["a", "d"], "total": 5}])", {"'d'", "other columns"}},
      {R"("sums": [{"parts": ["a", "e"], "total": 5}])", {"'e'", "boolean"}},
      {R"("sums": [{"parts": ["a", "b"], "total": 5}, {"parts": ["a", "b"], "total": 6}])",
       {"rule 2", "another fixed total"}},
  };
  for (const Complaint& complaint : cases) {
    expect_words(
        message_of(ErrorCode::kInvalidSchema, [&] { with_rules(complaint.text, columns); }),
        complaint);
  }
}

TEST(Constraints, RefuseChainsTooLongToFollow) {
  const auto chain = [](int length, const char* rule) {
    std::string columns = R"({"name": "c0", "kind": "integer", "bounds": [0, 1]})";
    for (int i = 1; i <= length; ++i) {
      columns += fmt::format(R"(, {{"name": "c{}", "kind": "integer", {}}})", i,
                             fmt::format(fmt::runtime(rule), i - 1));
    }
    return columns;
  };
  const char* computed = R"("derived": "c{0} + c{0} - c{0}")";
  const char* measured = R"("at_least": {{"column": "c{0}", "bounds": [0, 1]}})";
  EXPECT_NO_THROW(schema_of(chain(16, computed)));
  EXPECT_NO_THROW(schema_of(chain(199, measured)));
  for (const std::string& columns : {chain(17, computed), chain(200, measured)}) {
    expect_mentions(message_of(ErrorCode::kInvalidSchema, [&] { schema_of(columns); }),
                    {"shorten it"});
  }
}

TEST(Constraints, OfADraftAreCheckedOnceItIsDeclared) {
  const Schema draft = schema_of(
      R"({"name": "a", "kind": "integer", "bounds": "undeclared"},
         {"name": "b", "kind": "integer", "derived": "10 / a"},
         {"name": "c", "kind": "integer", "at_least": {"column": "a", "bounds": [0, 5]}})");
  EXPECT_EQ(Schema::from_json(draft.to_json()), draft);
  expect_mentions(message_of(ErrorCode::kInvalidSchema, [&] { draft.require_declared(); }),
                  {"'a'"});
}

#undef A
#undef C

}  // namespace constraints_test
}  // namespace mehler
