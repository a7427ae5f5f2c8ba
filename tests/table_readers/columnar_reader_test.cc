#include <gtest/gtest.h>

#include "mehler/table/readers/table_writer.h"
#include "test_tables.h"

namespace mehler {
namespace columnar_reader_test {

/// Numbers 0 .. rows - 1, their names, and a column to leave out.
std::string write_rows(const TestFolder& folder, const std::string& name, std::size_t rows) {
  std::vector<std::int64_t> numbers(rows);
  std::vector<std::string> texts(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    numbers[row] = static_cast<std::int64_t>(row);
    texts[row] = "name " + std::to_string(row % 100);
  }
  Table table;
  table.columns.push_back(
      {.name = "left out", .kind = ColumnKind::kCategorical, .values = texts, .is_missing = {}});
  table.columns.push_back(
      {.name = "n", .kind = ColumnKind::kInteger, .values = std::move(numbers), .is_missing = {}});
  table.columns.push_back({.name = "c",
                           .kind = ColumnKind::kCategorical,
                           .values = std::move(texts),
                           .is_missing = {}});
  TableWriter writer(folder.path(name));
  writer.write(table);
  writer.finish();
  return folder.path(name);
}

const Schema& schema_of_rows() {
  static const Schema schema({column_of("c", ColumnKind::kCategorical),
                              column_of("left out", ColumnKind::kIgnored),
                              column_of("n", ColumnKind::kInteger)});
  return schema;
}

/// Arrow's stream format stands inside its file format, after the first eight bytes.
std::string stream_within(const std::string& arrow_file) {
  return file_bytes(arrow_file).substr(8);
}

class ColumnarReader : public ::testing::TestWithParam<std::string> {
 protected:
  std::string write(std::size_t rows) const {
    if (GetParam() == "stream") {
      return folder_.write("rows.ipc", stream_within(write_rows(folder_, "whole.arrow", rows)));
    }
    return write_rows(folder_, "rows." + GetParam(), rows);
  }

  TestFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(Formats, ColumnarReader, ::testing::Values("parquet", "arrow", "stream"));

TEST_P(ColumnarReader, LargeTablesComeInBoundedBatchesWithoutIgnoredColumns) {
  constexpr std::size_t kRows = 300'000;
  const std::string path = write(kRows);
  for (const std::size_t threads : {1, 2}) {
    TableReadOptions options;
    options.threads = threads;
    const TableReader reader({path}, options, &schema_of_rows());
    const ReadTable table = read_all(reader);
    EXPECT_EQ(table.names, (std::vector<std::string>{"n", "c"}));
    EXPECT_LE(table.largest_batch, 65536U);
    ASSERT_EQ(table.rows(), kRows);
    for (std::size_t row = 0; row < kRows; ++row) {
      ASSERT_EQ(table.column("n")[row], std::to_string(row));
    }
    EXPECT_EQ(table.column("c")[299'999], "name 99");
    EXPECT_GT(reader.progress()->fraction(), 0.9);
    EXPECT_LE(reader.progress()->fraction(), 1.0);
  }
}

TEST_P(ColumnarReader, ColumnsAreCheckedAgainstTheSchema) {
  const std::string path = write(3);
  const Schema unknown(
      {column_of("c", ColumnKind::kCategorical), column_of("n", ColumnKind::kInteger)});
  expect_mentions(error_of(ErrorCode::kInvalidTable, [&] { read_table({path}, {}, &unknown); }),
                  {"'left out'", "Add it to the schema"});
  const Schema missing(
      {column_of("c", ColumnKind::kCategorical), column_of("n", ColumnKind::kInteger),
       column_of("left out", ColumnKind::kIgnored), column_of("more", ColumnKind::kNumeric)});
  expect_mentions(error_of(ErrorCode::kInvalidTable, [&] { read_table({path}, {}, &missing); }),
                  {"lacks the column 'more'"});
}

TEST_P(ColumnarReader, TruncatedFilesAreErrors) {
  const std::string bytes = file_bytes(write(1000));
  // The footer of the file that the stream was cut from is no part of the stream.
  const std::size_t step = 997;
  const std::size_t whole = GetParam() == "stream" ? bytes.size() / 2 : bytes.size();
  for (std::size_t length = 16; length < whole; length += step) {
    const std::string ending = GetParam() == "stream" ? "ipc" : GetParam();
    const std::string path = folder_.write("cut." + ending, bytes.substr(0, length));
    const std::string message =
        error_of(ErrorCode::kInvalidTable, [&] { read_table({path}, {}, &schema_of_rows()); });
    expect_mentions(message, {"cut." + ending, "damaged or incomplete"});
  }
}

TEST_P(ColumnarReader, AlteredBytesLeadToAnErrorOrToATable) {
  const std::string bytes = file_bytes(write(50));
  const std::string ending = GetParam() == "stream" ? "ipc" : GetParam();
  for (std::size_t place = 8; place < bytes.size(); place += 5) {
    std::string altered = bytes;
    altered[place] = static_cast<char>(altered[place] ^ 0x55);
    const std::string path = folder_.write("altered." + ending, altered);
    try {
      read_table({path}, {}, &schema_of_rows());
    } catch (const Error& error) {
      EXPECT_NE(error.code(), ErrorCode::kInternal) << error.what();
    }
  }
}

TEST_P(ColumnarReader, AStreamThatFailedStaysFailed) {
  // Two workers read one stream: the second one must not get the batch that the first one's check
  // refused.
  const std::string bytes = file_bytes(write(50));
  const std::string ending = GetParam() == "stream" ? "ipc" : GetParam();
  std::size_t failed = 0;
  for (std::size_t place = 8; place < bytes.size(); place += 5) {
    std::string altered = bytes;
    altered[place] = static_cast<char>(altered[place] ^ 0x55);
    const std::string path = folder_.write("altered." + ending, altered);
    try {
      RecordStream stream = TableReader({path}, {}, &schema_of_rows()).parts().front()();
      RecordBatch batch;
      const auto read_on = [&] {
        while (stream.next(batch)) {
        }
      };
      try {
        read_on();
      } catch (const Error& error) {
        ++failed;
        EXPECT_EQ(error_of(ErrorCode::kInvalidTable, read_on), error.what()) << place;
      }
    } catch (const Error&) {
      continue;  // not even opened
    }
  }
  EXPECT_GT(failed, 0U);
}

}  // namespace columnar_reader_test
}  // namespace mehler
