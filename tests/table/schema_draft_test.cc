#include "mehler/table/schema_draft.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "tests/support/table_stream.h"

namespace mehler {
namespace schema_draft_test {

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

/// A table of numbers that are stored in a unit of their own.
Table table_of_units() {
  Table table;
  TableColumn price{"price", ColumnKind::kNumeric, std::vector<double>{0.5, 12.25, -3}, {}};
  price.type = StoredType::kDecimal;
  price.decimal_digits = {10, 2};
  TableColumn at{"at", ColumnKind::kNumeric, std::vector<double>{0.5, 86399.999, 3600}, {}};
  at.type = StoredType::kTimeMilliseconds;
  TableColumn took{"took", ColumnKind::kInteger, std::vector<std::int64_t>{-1, 5, 0}, {}};
  took.type = StoredType::kDurationSeconds;
  TableColumn seen{
      "seen", ColumnKind::kDatetime, std::vector<std::int64_t>{1'500'000, -2'000'000, 0}, {}};
  seen.type = StoredType::kTimestampNanoseconds;
  seen.timezone = "UTC";
  table.columns = {price, at, took, seen};
  return table;
}

TEST(SchemaDraft, KeepsDecimalsTimesAndUnits) {
  const SchemaDraft draft =
      draft_schema(part_of({table_of_units()})().schema(), std::nullopt, TypesFrom::kFile);
  const Column& price = *draft.schema.find("price");
  EXPECT_EQ(price.kind, ColumnKind::kNumeric);
  EXPECT_EQ(price.type, StoredType::kDecimal);
  EXPECT_EQ(price.decimal_digits, (DecimalDigits{10, 2}));
  EXPECT_EQ(price.decimals, 2);
  const Column& at = *draft.schema.find("at");
  EXPECT_EQ(at.type, StoredType::kTimeMilliseconds);
  EXPECT_EQ(at.bounds, (Interval{0, 86399.999})) << "a day has no more seconds";
  EXPECT_EQ(at.decimals, 3);
  EXPECT_EQ(draft.schema.find("took")->kind, ColumnKind::kInteger);
  EXPECT_EQ(draft.schema.find("took")->type, StoredType::kDurationSeconds);
  EXPECT_EQ(draft.schema.find("seen")->type, StoredType::kTimestampNanoseconds);
  EXPECT_EQ(draft.schema.find("seen")->timezone, "UTC");
  EXPECT_TRUE(draft.notes.empty());
  EXPECT_EQ(Schema::from_json(draft.schema.to_json()), draft.schema);
}

TEST(PublicSchema, ReadsUnitsInSeconds) {
  PublicSchemaReader reader(std::nullopt);
  reader.read(part_of({table_of_units()})(), Context{});
  const Schema schema = reader.finish().schema;
  EXPECT_EQ(schema.find("price")->bounds, (Interval{-3, 12.25}));
  EXPECT_EQ(schema.find("at")->bounds, (Interval{0.5, 86399.999}));
  EXPECT_EQ(schema.find("took")->bounds, (Interval{-1, 5}));
  EXPECT_EQ(schema.find("seen")->bounds, (Interval{-2e6, 1.5e6}));
  EXPECT_EQ(schema.find("seen")->step, 1000.0 * 1000.0 / 1000.0);
}

TEST(PublicSchema, AConstantInAUnitStaysWithinItsType) {
  Table table = table_of_units();
  table.columns[0].values = std::vector<double>{99999999.99, 99999999.99, 99999999.99};
  table.columns[1].values = std::vector<double>{86399.999, 86399.999, 86399.999};
  PublicSchemaReader reader(std::nullopt);
  reader.read(part_of({table})(), Context{});
  const Schema schema = reader.finish().schema;
  EXPECT_EQ(schema.find("price")->bounds, (Interval{99999999.98, 99999999.99}));
  EXPECT_EQ(schema.find("at")->bounds, (Interval{86399.998, 86399.999}));
}

Table table_with_ids(std::size_t rows, std::int64_t different) {
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < rows; ++i) {
    numbers.push_back(static_cast<std::int64_t>(i) % different);
  }
  Table table;
  table.columns.push_back({"visit_id", ColumnKind::kInteger, numbers, {}});
  table.columns.push_back({"n", ColumnKind::kInteger, numbers, {}});
  return table;
}

TEST(SchemaDraft, TakesIdentifiersByTheirNames) {
  const auto schema = part_of({table_with_ids(3, 2)});
  const SchemaDraft draft = draft_schema(schema().schema(), std::nullopt, TypesFrom::kFile);
  EXPECT_EQ(draft.schema.find("visit_id")->kind, ColumnKind::kIdentifier);
  EXPECT_EQ(draft.schema.find("n")->kind, ColumnKind::kInteger);
  ASSERT_EQ(draft.notes.size(), 1u);
  expect_mentions(draft.notes[0], {"'visit_id'", "because of its name", "categorical"});
  const SchemaDraft target = draft_schema(schema().schema(), "visit_id", TypesFrom::kFile);
  EXPECT_EQ(target.schema.find("visit_id")->kind, ColumnKind::kInteger) << "it is to be predicted";
}

TEST(PublicSchema, TakesIdentifiersByNameAndValues) {
  for (const auto& [rows, different, kind] :
       {std::tuple(5UL, 5L, ColumnKind::kIdentifier), std::tuple(5UL, 2L, ColumnKind::kInteger),
        std::tuple(2002UL, 1001L, ColumnKind::kIdentifier)}) {
    PublicSchemaReader reader(std::nullopt);
    reader.read(part_of({table_with_ids(rows, different)})(), Context{});
    const Schema schema = reader.finish().schema;
    EXPECT_EQ(schema.find("visit_id")->kind, kind) << rows << " rows, " << different;
    EXPECT_EQ(schema.find("n")->kind, ColumnKind::kInteger);
  }
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

}  // namespace schema_draft_test
}  // namespace mehler
