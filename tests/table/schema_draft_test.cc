#include "mehler/table/schema_draft.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "tests/support/table_stream.h"

namespace mehler {
namespace {

Table small_table() {
  Table table;
  table.columns.push_back({"age", ColumnKind::kInteger, std::vector<std::int64_t>{30, 41, 30}, {}});
  table.columns.push_back({"weight",
                           ColumnKind::kNumeric,
                           std::vector<double>{70.25, 81.5, 60.0},
                           {false, true, false}});
  table.columns.push_back(
      {"job", ColumnKind::kCategorical, std::vector<std::string>{"b", "a", "b"}, {}});
  table.columns.push_back({"alive", ColumnKind::kBoolean, std::vector<std::int64_t>{1, 1, 0}, {}});
  table.columns.push_back({"born", ColumnKind::kDate, std::vector<std::int64_t>{0, 1, 2}, {}});
  table.columns.push_back({"seen", ColumnKind::kDatetime, std::vector<std::int64_t>{0, 1, 2}, {}});
  table.columns.push_back({"sick", ColumnKind::kInteger, std::vector<std::int64_t>{10, 0, 9}, {}});
  return table;
}

TEST(SchemaDraft, TakesKindsFromTypesAndLeavesValuesUndeclared) {
  const SchemaDraft draft =
      draft_schema(part_of({small_table()})().schema(), "job", TypesFrom::kFile);
  const Schema& schema = draft.schema;
  EXPECT_EQ(schema.find("age")->kind, ColumnKind::kInteger);
  EXPECT_EQ(schema.find("weight")->kind, ColumnKind::kNumeric);
  EXPECT_EQ(schema.find("job")->kind, ColumnKind::kCategorical);
  EXPECT_EQ(schema.find("alive")->kind, ColumnKind::kBoolean);
  EXPECT_EQ(schema.find("born")->kind, ColumnKind::kDate);
  EXPECT_EQ(schema.find("seen")->kind, ColumnKind::kDatetime);
  EXPECT_TRUE(schema.find("age")->is_undeclared());
  EXPECT_TRUE(schema.find("job")->is_undeclared());
  EXPECT_TRUE(schema.find("age")->missing);
  EXPECT_EQ(schema.target(), "job");
  EXPECT_EQ(schema.provenance(), SchemaProvenance::kDeclared);
}

TEST(SchemaDraft, RefusesATargetThatIsNotThere) {
  expect_mentions(
      message_of(
          ErrorCode::kInvalidArgument,
          [] { draft_schema(part_of({small_table()})().schema(), "jobb", TypesFrom::kFile); }),
      {"'jobb'", "'job'"});
}

TEST(SchemaDraft, SaysThatANumericTargetIsNoClass) {
  const SchemaDraft draft =
      draft_schema(part_of({small_table()})().schema(), "sick", TypesFrom::kFile);
  ASSERT_EQ(draft.notes.size(), 1u);
  expect_mentions(draft.notes[0], {"'sick'", "categorical"});
}

TEST(PublicSchema, ReadsBoundsCategoriesDecimalsAndMissingValues) {
  PublicSchemaReader reader("sick");
  reader.read(part_of({small_table(), small_table()})(), Context{});
  const SchemaDraft draft = reader.finish();
  const Schema& schema = draft.schema;
  EXPECT_EQ(schema.provenance(), SchemaProvenance::kReadFromPublicData);
  EXPECT_EQ(schema.find("age")->bounds, (Interval{30, 41}));
  EXPECT_FALSE(schema.find("age")->missing);
  EXPECT_EQ(schema.find("weight")->bounds, (Interval{60, 70.25}));
  EXPECT_EQ(schema.find("weight")->decimals, 2);
  EXPECT_TRUE(schema.find("weight")->missing);
  EXPECT_EQ(schema.find("job")->categories, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(schema.find("sick")->kind, ColumnKind::kCategorical);
  EXPECT_EQ(schema.find("sick")->categories, (std::vector<std::string>{"0", "9", "10"}));
  EXPECT_NO_THROW(schema.require_declared());
  EXPECT_EQ(Schema::from_json(schema.to_json()), schema);
}

TEST(PublicSchema, TakesManyTextsForAnIdentifier) {
  Table table;
  std::vector<std::string> names;
  for (int i = 0; i <= 1000; ++i) {
    names.push_back("name " + std::to_string(i));
  }
  table.columns.push_back({"name", ColumnKind::kCategorical, names, {}});
  table.columns.push_back(
      {"x", ColumnKind::kInteger, std::vector<std::int64_t>(names.size(), 5), {}});
  PublicSchemaReader reader(std::nullopt);
  reader.read(part_of({table})(), Context{});
  const SchemaDraft draft = reader.finish();
  EXPECT_EQ(draft.schema.find("name")->kind, ColumnKind::kIdentifier);
  EXPECT_EQ(draft.schema.find("x")->bounds, (Interval{5, 6}));
  EXPECT_EQ(draft.notes.size(), 2u);
}

TEST(PublicSchema, RefusesPartsWithOtherColumns) {
  Table other = small_table();
  other.columns.pop_back();
  PublicSchemaReader reader(std::nullopt);
  reader.read(part_of({small_table()})(), Context{});
  message_of(ErrorCode::kInvalidTable, [&] { reader.read(part_of({other})(), Context{}); });
}

TEST(RecordStream, RefusesTwoColumnsOfOneName) {
  Table table = small_table();
  table.columns[1].name = "age";
  expect_mentions(message_of(ErrorCode::kInvalidTable, [&] { part_of({table})(); }), {"'age'"});
}

TEST(RecordStream, WithholdsTheMessagesOfStrangers) {
  ArrowArrayStream stream = arrow_stream_of({small_table()});
  stream.get_next = [](ArrowArrayStream*, ArrowArray*) { return 5; };
  stream.get_last_error = [](ArrowArrayStream*) -> const char* { return "secret 42"; };
  RecordStream records(&stream);
  RecordBatch batch;
  const std::string message = message_of(ErrorCode::kInvalidTable, [&] { records.next(batch); });
  EXPECT_EQ(message.find("secret"), std::string::npos);
}

TEST(RecordStream, RefusesAReleasedStream) {
  ArrowArrayStream stream{};
  message_of(ErrorCode::kInvalidArgument, [&] { RecordStream records(&stream); });
}

}  // namespace
}  // namespace mehler
