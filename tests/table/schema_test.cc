#include "mehler/table/schema.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mehler/table/assumed_domains.h"
#include "tests/support/errors.h"

namespace mehler {
namespace schema_test {

/// A schema file with one column, given as the text of its object.
std::string with_column(const std::string& column) {
  return R"({"mehler_schema": 1, "columns": [)" + column + "]}";
}

void expect_refused(const std::string& text, std::initializer_list<const char*> words) {
  expect_mentions(message_of(ErrorCode::kInvalidSchema, [&] { Schema::from_json(text); }), words);
}

void expect_column_refused(const std::string& column, std::initializer_list<const char*> words) {
  expect_refused(with_column(column), words);
}

constexpr const char* kFull = R"({
  "mehler_schema": 1, "relation": "add-remove-one", "target": "income",
  "privacy_unit": {"column": "person", "max_rows": 3},
  "columns": [
    {"name": "person", "kind": "identifier"},
    {"name": "age", "kind": "integer", "bounds": [17, 90]},
    {"name": "weight", "kind": "numeric", "bounds": [0.5, 250], "decimals": 1, "out_of_range": "refuse", "missing": true},
    {"name": "dose", "kind": "numeric", "bounds": [0, 10], "step": 0.25},
    {"name": "visits", "kind": "integer", "bounds": [0, 1000], "transform": "log"},
    {"name": "balance", "kind": "numeric", "bounds": [-1e6, 1e6], "decimals": 2, "transform": "signed-log", "transform_scale": 100},
    {"name": "workclass", "kind": "categorical", "categories": ["Private", "State \"gov\""], "other": "Other", "missing": true},
    {"name": "grade", "kind": "ordinal", "categories": [1, 2, 3]},
    {"name": "alive", "kind": "boolean"},
    {"name": "born", "kind": "date", "bounds": ["1900-01-01", "2020-12-31"]},
    {"name": "seen", "kind": "datetime", "bounds": ["2020-01-01T00:00:00", "2020-12-31T23:59:59"], "step": 60},
    {"name": "note", "kind": "ignored"},
    {"name": "income", "kind": "categorical", "categories": ["low", "high"]}]})";

TEST(Schema, ReadsEveryKindAndComesBackTheSame) {
  const Schema schema = Schema::from_json(kFull);
  EXPECT_EQ(schema.columns().size(), 13u);
  EXPECT_EQ(schema.label()->name, "income");
  EXPECT_EQ(schema.find("age")->step, 1.0);
  EXPECT_EQ(schema.find("seen")->step, 60e6);
  EXPECT_EQ(schema.find("grade")->categories, (std::vector<std::string>{"1", "2", "3"}));
  EXPECT_EQ(schema.find("workclass")->code_count(), 4u);
  EXPECT_EQ(schema.find("weight")->out_of_range, OutOfRange::kRefuse);
  EXPECT_EQ(schema.find("dose")->transform, NumberTransform::kNone);
  EXPECT_EQ(schema.find("visits")->transform, NumberTransform::kLog);
  EXPECT_EQ(schema.find("visits")->transform_scale, 1.0);
  EXPECT_EQ(schema.find("balance")->transform, NumberTransform::kSignedLog);
  EXPECT_EQ(schema.find("balance")->transform_scale, 100.0);
  EXPECT_EQ(schema.privacy_unit()->max_rows, 3u);
  EXPECT_NO_THROW(schema.require_declared());
  EXPECT_EQ(Schema::from_json(schema.to_json()), schema);
}

TEST(Schema, DefaultsAreTheDocumentedOnes) {
  const Schema schema =
      Schema::from_json(with_column(R"({"name": "x", "kind": "numeric", "bounds": [0, 1]})"));
  EXPECT_EQ(schema.relation(), NeighbourRelation::kAddRemoveOne);
  EXPECT_EQ(schema.provenance(), SchemaProvenance::kDeclared);
  EXPECT_FALSE(schema.columns()[0].missing);
  EXPECT_EQ(schema.columns()[0].out_of_range, OutOfRange::kClamp);
  EXPECT_EQ(schema.label(), nullptr);
}

TEST(Schema, OtherMayBeOneOfTheCategories) {
  const Schema schema = Schema::from_json(with_column(
      R"({"name": "x", "kind": "categorical", "categories": ["a", "rest"], "other": "rest"})"));
  EXPECT_EQ(schema.columns()[0].labels(), (std::vector<std::string>{"a", "rest"}));
}

TEST(Schema, ANumericTargetIsNoLabel) {
  const Schema schema = Schema::from_json(
      R"({"mehler_schema": 1, "target": "x", "columns": [{"name": "x", "kind": "numeric", "bounds": [0, 1]}]})");
  EXPECT_EQ(schema.label(), nullptr);
}

TEST(Schema, AColumnThatIsSetAsideKeepsItsDeclarationsWithoutEffect) {
  const Schema schema = Schema::from_json(with_column(
      R"({"name": "x", "kind": "ignored", "bounds": [0, 1], "missing": true, "step": 2}, {"name": "y", "kind": "boolean"})"));
  EXPECT_EQ(schema.columns()[0].bounds, std::nullopt);
  EXPECT_EQ(Schema::from_json(schema.to_json()), schema);
}

TEST(Schema, AColumnThatIsSetAsideKeepsDeclarationsOfAnyKind) {
  for (const char* kind : {"ignored", "identifier"}) {
    for (const char* keys :
         {R"("bounds": ["2020-01-01", "2024-12-31"])", R"("bounds": "undeclared")",
          R"("bounds": ["2020-01-01T08:00:00", "2024-12-31T08:00:00"], "step": 60)",
          R"("categories": ["a", "b"], "other": "b")", R"("categories": "undeclared")",
          R"("decimals": 2, "out_of_range": "refuse", "missing": true)",
          R"("transform": "log", "transform_scale": 10)"}) {
      const Schema schema =
          Schema::from_json(with_column(std::string(R"({"name": "x", "kind": ")") + kind + "\", " +
                                        keys + R"(}, {"name": "y", "kind": "boolean"})"));
      EXPECT_EQ(schema.columns()[0].bounds, std::nullopt);
      EXPECT_EQ(Schema::from_json(schema.to_json()), schema);
    }
  }
  message_of(ErrorCode::kInvalidSchema, [] {
    Schema::from_json(with_column(R"({"name": "x", "kind": "ignored", "bound": [0, 1]})"));
  });
}

TEST(Schema, AcceptsTheKeyOfEditors) {
  EXPECT_NO_THROW(Schema::from_json(
      R"({"$schema": "mehler-schema.json", "mehler_schema": 1, "columns": [{"name": "y", "kind": "boolean"}]})"));
}

TEST(Schema, RefusesReversedBounds) {
  expect_column_refused(R"({"name": "age", "kind": "integer", "bounds": [90, 17]})",
                        {"'age'", "[90, 17]", "swap"});
}

TEST(Schema, RefusesEqualBounds) {
  expect_column_refused(R"({"name": "age", "kind": "integer", "bounds": [17, 17]})",
                        {"'age'", "widen"});
}

TEST(Schema, RefusesBoundsOfOtherShapes) {
  expect_column_refused(R"({"name": "x", "kind": "numeric", "bounds": [1]})", {"not a pair"});
  expect_column_refused(R"({"name": "x", "kind": "numeric", "bounds": ["1", "2"]})",
                        {"not a number"});
  expect_column_refused(R"({"name": "x", "kind": "date", "bounds": ["2020-02-30", "2021-01-01"]})",
                        {"no date"});
  expect_column_refused(R"({"name": "x", "kind": "integer", "bounds": [0.5, 2]})",
                        {"whole numbers"});
  expect_column_refused(R"({"name": "x", "kind": "integer", "bounds": [0, 1e300]})", {"2^53"});
  expect_column_refused(R"({"name": "x", "kind": "numeric", "bounds": [-1.7e308, 1.7e308]})",
                        {"narrow"});
  expect_column_refused(R"({"name": "x", "kind": "boolean", "bounds": [0, 1]})", {"boolean"});
}

TEST(Schema, RefusesAnEmptyCategoryList) {
  expect_column_refused(R"({"name": "x", "kind": "categorical", "categories": []})",
                        {"'x'", "empty list"});
}

TEST(Schema, RefusesACategoryGivenTwice) {
  expect_column_refused(R"({"name": "x", "kind": "categorical", "categories": ["a", "a"]})",
                        {"'a'", "twice"});
}

TEST(Schema, RefusesCategoriesOfANumber) {
  expect_column_refused(R"({"name": "x", "kind": "numeric", "categories": ["a"]})", {"numeric"});
}

TEST(Schema, RefusesBadStepsAndDecimals) {
  expect_column_refused(R"({"name": "x", "kind": "numeric", "bounds": [0, 1], "step": 0})",
                        {"step"});
  expect_column_refused(R"({"name": "x", "kind": "numeric", "bounds": [0, 1], "step": 2})",
                        {"larger"});
  expect_column_refused(R"({"name": "x", "kind": "integer", "bounds": [0, 9], "step": 0.5})",
                        {"whole"});
  expect_column_refused(R"({"name": "x", "kind": "numeric", "bounds": [0, 1], "decimals": 99})",
                        {"0 to 12"});
  expect_column_refused(R"({"name": "x", "kind": "integer", "bounds": [0, 9], "decimals": 1})",
                        {"decimals"});
  expect_column_refused(
      R"({"name": "x", "kind": "numeric", "bounds": [0, 1], "step": 0.1, "decimals": 1})",
      {"both"});
  expect_column_refused(R"({"name": "x", "kind": "boolean", "step": 1})", {"no number"});
}

/// A numeric column with these keys.
std::string numeric(const std::string& keys) {
  return R"({"name": "x", "kind": "numeric", )" + keys + "}";
}

TEST(Schema, RefusesUnknownTransformsWithANearName) {
  expect_column_refused(numeric(R"("bounds": [0, 1], "transform": "signedlog")"),
                        {"'x'", "'signedlog'", "did you mean 'signed-log'?"});
}

TEST(Schema, RefusesALogWhereValuesMayBeNegative) {
  expect_column_refused(numeric(R"("bounds": [-5, 1], "transform": "log")"),
                        {"'x'", "-5", "at least 0", "signed-log"});
}

TEST(Schema, RefusesTransformsOfDatesAndCategories) {
  expect_column_refused(
      R"({"name": "x", "kind": "date", "bounds": ["2020-01-01", "2021-01-01"], "transform": "log"})",
      {"'x'", "date", "numeric and integer", "remove"});
  expect_column_refused(
      R"({"name": "x", "kind": "ordinal", "categories": ["a"], "transform": "log"})",
      {"'x'", "ordinal", "numeric and integer", "remove"});
  expect_column_refused(R"({"name": "x", "kind": "boolean", "transform": "signed-log"})",
                        {"boolean"});
}

TEST(Schema, RefusesTransformScalesThatAreNotPositive) {
  for (const char* scale : {"0", "-1"}) {
    expect_column_refused(
        numeric(std::string(R"("bounds": [0, 1], "transform": "log", "transform_scale": )") +
                scale),
        {"'x'", "transform_scale", "greater than 0"});
  }
  for (const double scale : {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL}) {
    Column column;
    column.name = "x";
    column.bounds = Interval{0.0, 1.0};
    column.transform = NumberTransform::kLog;
    column.transform_scale = scale;
    expect_mentions(message_of(ErrorCode::kInvalidSchema, [&] { Schema schema({column}); }),
                    {"transform_scale", "greater than 0"});
  }
}

TEST(Schema, RefusesATransformScaleWithoutATransform) {
  expect_column_refused(numeric(R"("bounds": [0, 1], "transform_scale": 10)"),
                        {"'x'", "no transform", "signed-log"});
}

TEST(Schema, RefusesATransformScaleFarFromTheValues) {
  const auto expect_far = [](const char* bounds, const char* scale) {
    expect_column_refused(numeric(std::string(R"("bounds": )") + bounds +
                                  R"(, "transform": "log", "transform_scale": )" + scale),
                          {"transform_scale", "nearer"});
  };
  expect_far("[0, 1e300]", "1e-300");            // infinite
  expect_far("[0, 1e-10]", "1e300");             // a width that has no reciprocal
  expect_far("[1, 1.0000000000001]", "1e-100");  // equal but for rounding
}

TEST(Schema, ADraftMayHaveATransform) {
  const Schema schema =
      Schema::from_json(with_column(numeric(R"("bounds": "undeclared", "transform": "log")")));
  EXPECT_EQ(schema.columns()[0].transform, NumberTransform::kLog);
  EXPECT_EQ(Schema::from_json(schema.to_json()), schema);
}

TEST(Schema, RefusesAnUnknownKindWithANearName) {
  expect_column_refused(R"({"name": "x", "kind": "categoric"})", {"'categoric'", "'categorical'"});
}

TEST(Schema, RefusesUnknownKeysWithANearName) {
  expect_column_refused(R"({"name": "x", "kind": "numeric", "bound": [0, 1]})",
                        {"'bound'", "'bounds'"});
  expect_refused(R"({"mehler_schema": 1, "targt": "x", "columns": []})", {"'targt'", "'target'"});
}

TEST(Schema, RefusesAMissingOrOtherVersion) {
  expect_refused(R"({"columns": []})", {"mehler_schema"});
  expect_refused(R"({"mehler_schema": 2, "columns": []})", {"version 2", "version 1"});
}

TEST(Schema, RefusesNoColumnsTwoOfOneNameAndNoName) {
  expect_refused(R"({"mehler_schema": 1, "columns": []})", {"no columns"});
  expect_refused(
      with_column(R"({"name": "x", "kind": "boolean"}, {"name": "x", "kind": "boolean"})"),
      {"'x'", "twice"});
  expect_refused(with_column(R"({"name": "", "kind": "boolean"})"), {"without a name"});
}

TEST(Schema, RefusesATargetThatIsNotThereOrNotUsed) {
  expect_refused(
      R"({"mehler_schema": 1, "target": "incom", "columns": [{"name": "income", "kind": "boolean"}]})",
      {"'incom'", "'income'"});
  expect_refused(
      R"({"mehler_schema": 1, "target": "x", "columns": [{"name": "x", "kind": "ignored"}]})",
      {"ignored"});
}

TEST(Schema, RefusesUnknownWordsForRelationRangeAndProvenance) {
  expect_refused(R"({"mehler_schema": 1, "relation": "swap", "columns": []})",
                 {"'swap'", "'replace-one'"});
  expect_refused(R"({"mehler_schema": 1, "provenance": "mine", "columns": []})", {"'mine'"});
  expect_column_refused(R"({"name": "x", "kind": "numeric", "out_of_range": "drop"})",
                        {"'drop'", "'clamp'"});
}

TEST(Schema, RefusesAPrivacyUnitThatCannotWork) {
  const auto with_unit = [](const std::string& unit, const std::string& rest) {
    return R"({"mehler_schema": 1, "privacy_unit": )" + unit +
           R"(, "columns": [{"name": "id", "kind": "identifier"}, {"name": "x", "kind": "boolean"}])" +
           rest + "}";
  };
  expect_refused(with_unit(R"({"column": "idd", "max_rows": 1})", ""), {"'idd'", "'id'"});
  expect_refused(with_unit(R"({"column": "x", "max_rows": 1})", ""), {"identifier"});
  expect_refused(with_unit(R"({"column": "id", "max_rows": 0})", ""), {"max_rows"});
  expect_refused(with_unit(R"({"column": "id", "max_rows": 1})", R"(, "relation": "replace-one")"),
                 {"add-remove-one"});
}

TEST(Schema, ADraftLoadsButIsNotDeclared) {
  const Schema schema = Schema::from_json(with_column(
      R"({"name": "age", "kind": "integer", "bounds": "undeclared"},
         {"name": "job", "kind": "categorical", "categories": "undeclared"})"));
  expect_mentions(message_of(ErrorCode::kInvalidSchema, [&] { schema.require_declared(); }),
                  {"bounds of 'age'", "categories of 'job'", "public knowledge"});
  EXPECT_EQ(Schema::from_json(schema.to_json()), schema);
}

TEST(Schema, LeavesBoundsAndCategoriesToBeBought) {
  const Schema schema = Schema::from_json(with_column(
      R"({"name": "age", "kind": "integer", "bounds": "buy"},
         {"name": "job", "kind": "categorical", "categories": "buy"},
         {"name": "x", "kind": "numeric", "bounds": [0, 1], "bought": true})"));
  EXPECT_TRUE(schema.is_to_be_bought());
  EXPECT_TRUE(schema.find("age")->is_to_be_bought());
  EXPECT_FALSE(schema.find("x")->is_to_be_bought());
  schema.require_declared_or_bought();
  expect_mentions(message_of(ErrorCode::kInvalidSchema, [&] { schema.require_declared(); }),
                  {"to be bought", "bounds of 'age'", "categories of 'job'", "release"});
  EXPECT_EQ(Schema::from_json(schema.to_json()), schema);
  const Schema assumed = with_assumed_domains(schema);
  assumed.require_declared();
  EXPECT_TRUE(assumed.find("age")->bought);
  EXPECT_EQ(assumed.find("x")->bounds, (Interval{0.0, 1.0}));
}

TEST(Schema, AssumesDomainsThatEveryKindCanHave) {
  for (const char* column :
       {R"("kind": "numeric", "bounds": "buy", "decimals": 2)",
        R"("kind": "numeric", "bounds": "buy", "step": 250)",
        R"("kind": "integer", "bounds": "buy", "type": "int8")",
        R"("kind": "integer", "bounds": "buy", "type": "int8", "step": 5)",
        R"("kind": "integer", "bounds": "buy", "type": "time[s]", "step": 900)",
        R"j("kind": "numeric", "bounds": "buy", "type": "decimal(3,2)", "decimals": 2)j",
        R"("kind": "integer", "bounds": "buy", "transform": "log", "transform_scale": 1000)",
        R"("kind": "date", "bounds": "buy", "step": 7)", R"("kind": "datetime", "bounds": "buy")",
        R"("kind": "categorical", "categories": "buy", "other": "-1", "type": "int8")",
        R"("kind": "categorical", "categories": "buy", "type": "dictionary")"}) {
    const Schema schema =
        Schema::from_json(with_column(std::string(R"({"name": "x", )") + column + "}"));
    with_assumed_domains(schema).require_declared();
  }
}

TEST(Schema, RefusesToBuyWhatCannotBeBought) {
  const auto refused = [](const std::string& column, std::initializer_list<const char*> words) {
    expect_refused(with_column(R"({"name": "x", )" + column + "}"), words);
  };
  refused(R"("kind": "ordinal", "categories": "buy")", {"'x'", "ordinal", "order", "list it"});
  refused(R"("kind": "integer", "bounds": "buy", "out_of_range": "refuse")", {"'x'", "clamp"});
  refused(R"("kind": "categorical", "categories": "buy", "type": "int64")",
          {"'x'", "int64", "\"other\""});
  refused(R"("kind": "integer", "bought": true)", {"'x'", "bought", "\"buy\""});
  refused(R"("kind": "boolean", "bought": true)", {"'x'", "boolean"});
  refused(R"("kind": "integer", "bounds": "sell")", {"'x'", "\"buy\""});
  refused(R"("kind": "categorical", "categories": "sell")", {"'x'", "\"buy\""});
}

TEST(Schema, NothingToSynthesiseIsNotDeclared) {
  const Schema schema = Schema::from_json(with_column(R"({"name": "id", "kind": "identifier"})"));
  message_of(ErrorCode::kInvalidSchema, [&] { schema.require_declared(); });
}

TEST(Schema, OthersAreIgnoredOrRefused) {
  const auto with_others = [](const std::string& others) {
    return R"({"mehler_schema": 1, )" + others +
           R"("columns": [{"name": "x", "kind": "boolean"}]})";
  };
  EXPECT_FALSE(Schema::from_json(with_others("")).ignores_others());
  const Schema schema = Schema::from_json(with_others(R"("others": "ignored", )"));
  EXPECT_TRUE(schema.ignores_others());
  EXPECT_EQ(Schema::from_json(schema.to_json()), schema);
  EXPECT_TRUE(schema.without_privacy_unit().ignores_others());
  expect_refused(with_others(R"("others": "dropped", )"), {"'dropped'", "\"ignored\""});
  expect_refused(with_others(R"("others": true, )"), {"'others'"});
}

/// A schema whose only column, x, has these keys.
std::string with_keys(const std::string& keys) {
  return with_column(R"({"name": "x", )" + keys + "}");
}

TEST(Schema, TypesWithUnitsComeBackTheSame) {
  for (
      const char* keys : {
          R"j("kind": "numeric", "bounds": [0, 99.99], "decimals": 2, "type": "decimal(4,2)")j",
          R"j("kind": "integer", "bounds": [0, 99], "type": "decimal(4, 2)")j",
          R"j("kind": "integer", "bounds": [0, 86399], "type": "time[s]")j",
          R"j("kind": "numeric", "bounds": [0, 86399.999], "decimals": 3, "type": "time[ms]")j",
          R"j("kind": "numeric", "bounds": [-10, 10], "step": 0.5, "type": "duration[ns]")j",
          R"j("kind": "datetime", "bounds": ["2020-01-01", "2021-01-01"], "type": "timestamp[s]")j",
          R"j("kind": "datetime", "step": 0.001, "type": "timestamp[ms]")j",
      }) {
    const Schema schema = Schema::from_json(with_keys(keys));
    EXPECT_NE(schema.columns()[0].type, StoredType::kUsual) << keys;
    EXPECT_EQ(Schema::from_json(schema.to_json()), schema) << keys;
  }
}

TEST(Schema, DecimalTypesThatCannotHoldTheValuesAreRefused) {
  for (const char* type :
       {"decimal(39,2)", "decimal(4,5)", "decimal(0,0)", "decimal", "decimal(4)"}) {
    expect_refused(with_keys(R"("kind": "numeric", "type": ")" + std::string(type) + "\""),
                   {"'x'", "\"decimal(P,S)\"", "1 to 38"});
  }
  const auto refused = [](const std::string& keys, std::initializer_list<const char*> words) {
    expect_refused(with_keys(R"j("kind": "numeric", "type": "decimal(4,2)", )j" + keys), words);
  };
  refused(R"("bounds": [0, 100], "decimals": 2)", {"'x'", "decimal(4,2)", "bounds do not all fit"});
  refused(R"("bounds": [0, 9])", {"'x'", "neither decimals nor a step", "\"decimals\": 2"});
  refused(R"("bounds": [0, 9], "decimals": 3)", {"'x'", "3 decimals", "decimal(4,2) has 2"});
  refused(R"("bounds": [0, 9], "step": 0.125)", {"'x'", "step", "2 digits"});
}

TEST(Schema, TypesOfTimesThatCannotHoldTheValuesAreRefused) {
  const auto refused = [](const std::string& keys, std::initializer_list<const char*> words) {
    expect_refused(with_keys(keys), words);
  };
  refused(R"("kind": "integer", "bounds": [0, 86400], "type": "time[s]")",
          {"'x'", "time[s]", "fit"});
  refused(R"("kind": "integer", "bounds": [-1, 7], "type": "time[s]")", {"'x'", "time[s]", "fit"});
  refused(R"("kind": "integer", "bounds": [0, 1e15], "type": "duration[ns]")",
          {"'x'", "duration[ns]", "fit"});
  refused(R"("kind": "boolean", "type": "time[s]")", {"'x'", "time[s]", "boolean"});
  refused(R"("kind": "integer", "type": "timestamp[s]")", {"'x'", "timestamp[s]", "integer"});
  refused(R"("kind": "datetime", "type": "timestamp[s]", "step": 0.5)",
          {"'x'", "step", "timestamp[s]"});
  refused(R"("kind": "integer", "type": "time[sec]")", {"'x'", "'time[sec]'", "'time[s]'"});
}

}  // namespace schema_test
}  // namespace mehler
