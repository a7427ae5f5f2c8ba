#include <gtest/gtest.h>

#include <atomic>

#include "mehler/demo/people.h"
#include "mehler/generator/generator.h"
#include "mehler/synthesis/methods.h"
#include "mehler/table/column_view.h"
#include "mehler/table/record_stream.h"
#include "mehler/table/table_stream.h"
#include "tests/support/errors.h"

namespace mehler {
namespace sample_stream_test {

const Generator& people_generator() {
  static const std::unique_ptr<const Generator> generator = [] {
    ArrowArrayStream records = arrow_stream_of({simulate_people(2000, 1)});
    Accountant accountant({1.0, 1e-6});
    return fit(release(PrivateTable(&records, people_schema()), accountant));
  }();
  return *generator;
}

SampleOptions rows(std::uint64_t count) {
  SampleOptions options;
  options.rows = count;
  return options;
}

TEST(SampleStream, GivesTheRecordsOfATableBatchByBatch) {
  constexpr std::size_t kRows = 50'000;
  const Table whole = people_generator().sample(kRows);
  ArrowArrayStream arrow = people_generator().sample_stream(rows(kRows));
  RecordStream stream(&arrow);
  RecordBatch batch;
  std::size_t row = 0;
  std::size_t batches = 0;
  while (stream.next(batch)) {
    ++batches;
    for (std::size_t c = 0; c < whole.columns.size(); ++c) {
      const ColumnView view(stream.schema(), batch.value(), c);
      ASSERT_EQ(stream.schema().children[c]->name, whole.columns[c].name);
      if (const auto* texts = std::get_if<std::vector<std::string>>(&whole.columns[c].values)) {
        for (std::size_t i = 0; i < batch.rows(); ++i) {
          ASSERT_EQ(view.text(i), (*texts)[row + i]);
        }
      }
    }
    row += batch.rows();
  }
  EXPECT_EQ(row, kRows);
  EXPECT_GT(batches, 2u);
}

TEST(SampleStream, HasCategoriesAsDictionariesOfAllLabels) {
  ArrowArrayStream stream = people_generator().sample_stream(rows(10));
  ArrowSchema schema{};
  ASSERT_EQ(stream.get_schema(&stream, &schema), 0);
  const Schema declared = people_schema();
  std::size_t dictionaries = 0;
  for (std::int64_t c = 0; c < schema.n_children; ++c) {
    const Column& column = *declared.find(schema.children[c]->name);
    const bool is_text = column.is_category() && column.kind != ColumnKind::kBoolean;
    EXPECT_EQ(schema.children[c]->dictionary != nullptr, is_text) << column.name;
    dictionaries += is_text ? 1 : 0;
  }
  EXPECT_EQ(dictionaries, 3u);  // region, education, diagnosis
  ArrowArray batch{};
  ASSERT_EQ(stream.get_next(&stream, &batch), 0);
  EXPECT_EQ(batch.length, 10);
  EXPECT_EQ(batch.children[0]->dictionary->length, 4) << "all regions, drawn or not";
  batch.release(&batch);
  schema.release(&schema);
  stream.release(&stream);
}

TEST(SampleStream, HasTheTypesThatItIsAskedFor) {
  std::vector<Column> columns = people_schema().columns();
  for (Column& column : columns) {
    if (column.name == "age") {
      column.type = StoredType::kInt8;
    } else if (column.name == "region") {
      column.type = StoredType::kText;
    }
  }
  ArrowArrayStream arrow = people_generator().sample_stream(
      rows(10), Context{}, people_schema().with_columns(std::move(columns)));
  const RecordStream stream(&arrow);
  const std::vector<std::string> names = stream.column_names();
  const auto format_of = [&](const std::string& name) {
    const auto place = std::find(names.begin(), names.end(), name) - names.begin();
    return std::string(stream.schema().children[place]->format);
  };
  EXPECT_EQ(format_of("age"), "c");
  EXPECT_EQ(format_of("region"), "u");
  EXPECT_EQ(format_of("diagnosis"), "i");  // of a dictionary
}

TEST(SampleStream, CanBeGivenUpBeforeItsEnd) {
  for (const std::uint64_t count : {10u, 1'000'000u}) {
    ArrowArrayStream stream = people_generator().sample_stream(rows(count));
    ArrowArray batch{};
    ASSERT_EQ(stream.get_next(&stream, &batch), 0);
    batch.release(&batch);
    stream.release(&stream);
    EXPECT_EQ(stream.release, nullptr);
  }
}

TEST(SampleStream, TellsItsErrors) {
  message_of(ErrorCode::kInvalidArgument, [] { (void)people_generator().sample_stream(rows(0)); });
  SampleOptions impossible = rows(10);
  impossible.where = {{"region", "nowhere"}};
  ArrowArrayStream stream = people_generator().sample_stream(impossible);
  ArrowArray batch{};
  EXPECT_NE(stream.get_next(&stream, &batch), 0);
  ASSERT_NE(stream.get_last_error(&stream), nullptr);
  expect_mentions(stream.get_last_error(&stream), {"'nowhere'"});
  stream.release(&stream);
}

TEST(SampleStream, EndsWhenItIsCancelled) {
  const std::atomic<bool> cancelled{true};
  ArrowArrayStream stream =
      people_generator().sample_stream(rows(100'000), Context{1, nullptr, &cancelled});
  ArrowArray batch{};
  EXPECT_EQ(stream.get_next(&stream, &batch), ECANCELED);
  stream.release(&stream);
}

}  // namespace sample_stream_test
}  // namespace mehler
