#include "mehler/encoding/table_check.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "tests/support/schema_of.h"
#include "tests/support/table_stream.h"

namespace mehler {
namespace table_check_test {

Table table_of(std::vector<std::int64_t> ages, std::vector<std::string> jobs) {
  Table table;
  table.columns.push_back({"age", ColumnKind::kInteger, std::move(ages), {}});
  table.columns.push_back({"job", ColumnKind::kCategorical, std::move(jobs), {}});
  return table;
}

constexpr const char* kAge = R"({"name": "age", "kind": "integer", "bounds": [0, 90]},)";

TEST(TableCheck, NotesWhatWillBeMovedOrGrouped) {
  const Schema schema =
      schema_of(std::string(kAge) +
                R"({"name": "job", "kind": "categorical", "categories": ["a"], "other": "rest"})");
  const TableCheck check =
      check_table(schema, {part_of({table_of({17, 120}, {"a", "b"})})}, Context{});
  EXPECT_EQ(check.clamped, std::vector<std::string>{"age"});
  EXPECT_EQ(check.grouped, std::vector<std::string>{"job"});
  EXPECT_TRUE(check.refusals.empty());
  require_fit(check);
}

TEST(TableCheck, NamesEveryColumnThatDoesNotFitAndNoValue) {
  const Schema schema = schema_of(
      R"({"name": "age", "kind": "integer", "bounds": [0, 90], "out_of_range": "refuse"},
         {"name": "job", "kind": "categorical", "categories": ["a"]})");
  const TableCheck check =
      check_table(schema, {part_of({table_of({17, 120}, {"a", "secret"})})}, Context{});
  EXPECT_EQ(check.refusals.size(), 2u);
  const std::string message = message_of(ErrorCode::kInvalidTable, [&] { require_fit(check); });
  expect_mentions(message, {"'age'", "'job'", "does not fit"});
  EXPECT_EQ(message.find("secret"), std::string::npos);
  EXPECT_EQ(message.find("120"), std::string::npos);
}

TEST(TableCheck, NotesNothingOfWhatIsToBeBought) {
  const Schema schema = schema_of(R"({"name": "age", "kind": "integer", "bounds": "buy"},
                                     {"name": "job", "kind": "categorical", "categories": "buy"})");
  const TableCheck check =
      check_table(schema, {part_of({table_of({17, 120}, {"a", "b"})})}, Context{});
  EXPECT_TRUE(check.clamped.empty() && check.grouped.empty() && check.refusals.empty());
}

TEST(TableCheck, FindsBrokenRulesByTheirNumber) {
  const Schema schema = Schema::from_json(R"({"mehler_schema": 1, "columns": [
      {"name": "age", "kind": "integer", "bounds": [0, 90]},
      {"name": "job", "kind": "categorical", "categories": ["a", "b"]}],
      "never": [{"job": "a", "age": {"above": 80}}, {"job": "b", "age": {"below": 18}}]})");
  const TableCheck check =
      check_table(schema, {part_of({table_of({17, 30}, {"b", "a"})})}, Context{});
  EXPECT_EQ(check.broken_rules, std::vector<std::size_t>{2});
}

TEST(TableCheck, ALargeBatchIsReadToItsEnd) {
  std::vector<std::int64_t> ages(150'000, 30);
  ages.back() = 99;
  const Schema schema = schema_of(std::string(kAge) +
                                  R"({"name": "job", "kind": "categorical", "categories": ["a"]})");
  const TableCheck check = check_table(
      schema, {part_of({table_of(ages, std::vector<std::string>(ages.size(), "a"))})}, Context{});
  EXPECT_EQ(check.clamped, std::vector<std::string>{"age"});
}

TEST(TableCheck, RefusesATableWithoutRecordsAndASchemaThatIsADraft) {
  const Schema schema = schema_of(std::string(kAge) +
                                  R"({"name": "job", "kind": "categorical", "categories": ["a"]})");
  message_of(ErrorCode::kInvalidTable,
             [&] { (void)check_table(schema, {part_of({table_of({}, {})})}, Context{}); });
  const Schema draft = schema_of(R"({"name": "age", "kind": "integer", "bounds": "undeclared"})");
  message_of(ErrorCode::kInvalidSchema, [&] { (void)check_table(draft, {}, Context{}); });
}

}  // namespace table_check_test
}  // namespace mehler
