#include "mehler/generator/made_identifiers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "mehler/demo/people.h"
#include "mehler/generator/generator.h"
#include "mehler/synthesis/methods.h"
#include "mehler/table/column_view.h"
#include "mehler/table/record_stream.h"
#include "mehler/table/table_stream.h"
#include "tests/support/errors.h"
#include "tests/support/schema_of.h"

namespace mehler {
namespace made_identifiers_test {

using Texts = std::vector<std::string>;

Table some_rows(std::size_t count) {
  Table table;
  for (const char* name : {"a", "b"}) {
    table.columns.push_back({name, ColumnKind::kBoolean, std::vector<std::int64_t>(count, 1), {}});
  }
  return table;
}

Schema schema_with_ids() {
  return schema_of(
      R"({"name": "first", "kind": "identifier", "make": "{3 digits}"}, {"name": "a", "kind": "boolean"},
         {"name": "hidden", "kind": "identifier"}, {"name": "middle", "kind": "identifier", "make": "{row}"},
         {"name": "b", "kind": "boolean"}, {"name": "last", "kind": "identifier", "make": "{uuid}"})");
}

TEST(MadeIdentifiers, StandInTheirPlacesAndGoOnFromBatchToBatch) {
  const Schema schema = schema_with_ids();
  MadeIdentifiers identifiers(schema, 1000, 1);
  std::set<std::string> seen;
  for (int batch = 0; batch < 4; ++batch) {
    const Table made = identifiers.with(some_rows(250));
    Texts names;
    for (const TableColumn& column : made.columns) {
      names.push_back(column.name);
      EXPECT_EQ(column.rows(), 250u);
    }
    EXPECT_EQ(names, (Texts{"first", "a", "middle", "b", "last"}));
    const auto& ids = std::get<Texts>(made.columns[0].values);
    seen.insert(ids.begin(), ids.end());
    EXPECT_EQ(std::get<Texts>(made.columns[2].values)[0], std::to_string(250 * batch + 1));
  }
  EXPECT_EQ(seen.size(), 1000u) << "every value once";
}

TEST(MadeIdentifiers, MoreRowsThanValuesAreRefused) {
  const Schema schema = schema_with_ids();
  expect_mentions(
      message_of(ErrorCode::kInvalidArgument, [&] { MadeIdentifiers(schema, 1001, 1); }),
      {"'first'", "'{3 digits}'", "1000 different", "1001 records", "longer pattern"});
  EXPECT_FALSE(MadeIdentifiers(people_schema(), 1'000'000, 1).any());
}

TEST(MadeIdentifiers, AreInEveryKindOfSample) {
  std::vector<Column> columns = people_schema().columns();
  Column identifier;
  identifier.name = "made";
  identifier.kind = ColumnKind::kIdentifier;
  identifier.make = "P{6 digits}";
  columns.insert(columns.begin() + 2, identifier);
  ArrowArrayStream records = arrow_stream_of({simulate_people(200, 1)});
  Accountant accountant({1.0, 1e-6});
  const std::unique_ptr<const Generator> generator =
      fit(release(PrivateTable(&records, Schema(columns)), accountant));
  const Table table = generator->sample(100, 7);
  const auto place = static_cast<std::size_t>(
      std::find_if(table.columns.begin(), table.columns.end(),
                   [](const TableColumn& column) { return column.name == "made"; }) -
      table.columns.begin());
  ASSERT_GT(place, 0u);
  ASSERT_LT(place, table.columns.size() - 1) << "between the columns that it stands between";
  const auto& made = std::get<Texts>(table.columns[place].values);
  SampleOptions options;
  options.rows = 100;
  options.seed = 7;
  ArrowArrayStream arrow = generator->sample_stream(options);
  RecordStream stream(&arrow);
  RecordBatch batch;
  ASSERT_TRUE(stream.next(batch));
  const ColumnView view(stream.schema(), batch.value(), place);
  for (std::size_t row = 0; row < batch.rows(); ++row) {
    ASSERT_EQ(view.text(row), made[row]);
  }
  message_of(ErrorCode::kInvalidArgument, [&] { generator->sample(2'000'000); });
}

}  // namespace made_identifiers_test
}  // namespace mehler
