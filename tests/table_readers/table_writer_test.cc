#include "mehler/table/readers/table_writer.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "mehler/table/calendar.h"
#include "test_tables.h"

namespace mehler {
namespace table_writer_test {

/// Whole numbers within 2^53 are exact wherever they are read as doubles.
constexpr std::int64_t kLargest = 9007199254740992;

TableColumn make_column(const std::string& name, ColumnKind kind,
                        decltype(TableColumn::values) values, std::vector<bool> is_missing = {}) {
  return {
      .name = name, .kind = kind, .values = std::move(values), .is_missing = std::move(is_missing)};
}

using Numbers = std::vector<double>;
using Integers = std::vector<std::int64_t>;
using Texts = std::vector<std::string>;

/// A column of every kind, with a missing value in each and texts that need quotes.
Table every_kind() {
  const std::vector<bool> last_missing = {false, false, true};
  Table table;
  table.columns.push_back(
      make_column("numeric", ColumnKind::kNumeric, Numbers{0.1, -1e300, 0}, last_missing));
  table.columns.push_back(
      make_column("integer", ColumnKind::kInteger, Integers{kLargest, -kLargest, 0}, last_missing));
  table.columns.push_back(
      make_column("boolean", ColumnKind::kBoolean, Integers{0, 1, 0}, last_missing));
  table.columns.push_back(make_column("categorical", ColumnKind::kCategorical,
                                      Texts{"a, \"b\"\nc", "", "x"}, last_missing));
  table.columns.push_back(
      make_column("ordinal", ColumnKind::kOrdinal, Texts{" low ", "høy", ""}, last_missing));
  table.columns.push_back(
      make_column("date", ColumnKind::kDate, Integers{18292, -1, 0}, last_missing));
  table.columns.push_back(make_column("datetime", ColumnKind::kDatetime,
                                      Integers{1'580'457'600'000'001, -1'000'000, 0},
                                      last_missing));
  return table;
}

void write_table(const std::string& path, const Table& table) {
  TableWriter writer(path);
  writer.write(table);
  writer.finish();
}

class RoundTrip : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Endings, RoundTrip,
                         ::testing::Values("csv", "tsv", "parquet", "arrow", "feather", "ipc"));

TEST_P(RoundTrip, EveryKindComesBackAsItWas) {
  const TestFolder folder;
  const std::string path = folder.path("a." + GetParam());
  const Table table = every_kind();
  write_table(path, table);
  std::vector<Column> columns;
  for (const TableColumn& column : table.columns) {
    columns.push_back(column_of(column.name, column.kind));
  }
  const Schema schema(columns);
  const ReadTable read = read_table({path}, {}, &schema);
  ASSERT_EQ(read.rows(), 3U);
  EXPECT_EQ(read.column("numeric"), (Cells{"0.1", "-1e+300", std::nullopt}));
  EXPECT_EQ(read.column("integer"), (Cells{"9007199254740992", "-9007199254740992", std::nullopt}));
  EXPECT_EQ(read.column("boolean"), (Cells{"false", "true", std::nullopt}));
  EXPECT_EQ(read.column("categorical"), (Cells{"a, \"b\"\nc", "", std::nullopt}));
  EXPECT_EQ(read.column("ordinal"), (Cells{" low ", "høy", std::nullopt}));
  const bool is_text = GetParam() == "csv" || GetParam() == "tsv";
  EXPECT_EQ(read.column("date"), is_text ? (Cells{"2020-01-31", "1969-12-31", std::nullopt})
                                         : (Cells{"18292", "-1", std::nullopt}));
  EXPECT_EQ(read.column("datetime"),
            is_text ? (Cells{"2020-01-31T08:00:00.000001", "1969-12-31T23:59:59", std::nullopt})
                    : (Cells{"1580457600000001", "-1000000", std::nullopt}));
}

TEST_P(RoundTrip, NumbersInUnitsComeBackInTheirTypes) {
  const TestFolder folder;
  const std::string path = folder.path("a." + GetParam());
  const auto typed = [](const char* name, ColumnKind kind, decltype(TableColumn::values) values,
                        StoredType type) {
    TableColumn column = make_column(name, kind, std::move(values), {false, false, true});
    column.type = type;
    column.decimal_digits = type == StoredType::kDecimal ? DecimalDigits{20, 2} : DecimalDigits{};
    return column;
  };
  Table table;
  table.columns = {
      typed("price", ColumnKind::kNumeric, Numbers{-0.01, 90071992547409.25, 0},
            StoredType::kDecimal),
      typed("at", ColumnKind::kInteger, Integers{0, 86399, 0}, StoredType::kTimeSeconds),
      typed("fine", ColumnKind::kNumeric, Numbers{0.000001, 86399.999999, 0},
            StoredType::kTimeMicroseconds),
      typed("took", ColumnKind::kNumeric, Numbers{-1.5, 0.001, 0},
            StoredType::kDurationMilliseconds),
      typed("seen", ColumnKind::kDatetime, Integers{-1'000'000, 2'000'000, 0},
            StoredType::kTimestampSeconds),
      typed("known", ColumnKind::kDatetime, Integers{-1, 1, 0}, StoredType::kTimestampNanoseconds)};
  write_table(path, table);
  std::vector<Column> columns;
  for (const TableColumn& column : table.columns) {
    columns.push_back(column_of(column.name, column.kind));
    columns.back().type = column.type;
    columns.back().decimal_digits = column.decimal_digits;
    if (column.kind == ColumnKind::kNumeric) {
      columns.back().decimals = 2;
    }
  }
  columns.back().step = 1.0;
  const Schema schema(columns);
  const ReadTable read = read_table({path}, {}, &schema);
  const bool is_csv = GetParam() == "csv" || GetParam() == "tsv";
  if (!is_csv) {
    const bool has_seconds = GetParam() != "parquet";  // there milliseconds are the coarsest unit
    EXPECT_EQ(read.formats,
              (std::vector<std::string>{"d:20,2", has_seconds ? "tts" : "ttm", "ttu", "tDm",
                                        has_seconds ? "tss:" : "tsm:", "tsn:"}));
  }
  EXPECT_EQ(read.column("price"), (Cells{"-0.01", "90071992547409.25", std::nullopt}));
  EXPECT_EQ(read.column("at"), (Cells{"0", "86399", std::nullopt}));
  EXPECT_EQ(read.column("fine"), (Cells{"1e-06", "86399.999999", std::nullopt}));
  EXPECT_EQ(read.column("took"), (Cells{"-1.5", "0.001", std::nullopt}));
  if (!is_csv) {  // there the encoder reads them from texts
    EXPECT_EQ(read.column("seen"), (Cells{"-1000000", "2000000", std::nullopt}));
    EXPECT_EQ(read.column("known"), (Cells{"-1", "1", std::nullopt}));
  }
}

TEST_P(RoundTrip, RowsMayComeInSeveralWrites) {
  const TestFolder folder;
  const std::string path = folder.path("a." + GetParam());
  TableWriter writer(path);
  for (const std::int64_t value : {1, 2, 3}) {
    Table table;
    table.columns.push_back(make_column("n", ColumnKind::kInteger, Integers{value}));
    writer.write(table);
  }
  writer.finish();
  EXPECT_EQ(read_table({path}).column("n"), (Cells{"1", "2", "3"}));
}

TEST_P(RoundTrip, TablesWithoutRowsKeepTheirColumns) {
  const TestFolder folder;
  const std::string path = folder.path("a." + GetParam());
  Table table;
  table.columns.push_back(make_column("n", ColumnKind::kInteger, Integers{}));
  write_table(path, table);
  const ReadTable read = read_table({path});
  EXPECT_EQ(read.names, (std::vector<std::string>{"n"}));
  EXPECT_EQ(read.rows(), 0U);
}

TEST_P(RoundTrip, NothingAppearsBeforeFinish) {
  const TestFolder folder;
  folder.write("out/keep", "x");
  const std::string path = folder.path("out/a." + GetParam());
  {
    TableWriter writer(path);
    writer.write(every_kind());
    EXPECT_FALSE(std::filesystem::exists(path));
  }
  const std::filesystem::directory_iterator entries(folder.path("out"));
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
}

TEST_P(RoundTrip, FullDisksAreReported) {
  if (!std::filesystem::exists("/dev/full")) {
    GTEST_SKIP() << "this system has no /dev/full";
  }
  const TableFormat format = GetParam() == "parquet"                      ? TableFormat::kParquet
                             : GetParam() == "csv" || GetParam() == "tsv" ? TableFormat::kCsv
                                                                          : TableFormat::kArrow;
  const std::string message = error_of(ErrorCode::kFile, [&] {
    TableWriter writer("/dev/full", format);
    writer.write(every_kind());
    writer.finish();
  });
  expect_mentions(message, {"/dev/full", "No space left"});
}

TEST(TableWriter, CsvQuotesOnlyWhatNeedsIt) {
  const TestFolder folder;
  write_table(folder.path("a.csv"), every_kind());
  EXPECT_EQ(file_bytes(folder.path("a.csv")),
            "numeric,integer,boolean,categorical,ordinal,date,datetime\n"
            "0.1,9007199254740992,false,\"a, \"\"b\"\"\nc\", low ,2020-01-31,"
            "2020-01-31T08:00:00.000001\n"
            "-1e+300,-9007199254740992,true,\"\",høy,1969-12-31,1969-12-31T23:59:59\n"
            ",,,,,,\n");
}

TEST(TableWriter, UnknownEndingsListTheKnownOnes) {
  const TestFolder folder;
  for (const std::string name : {"a", "a.xlsx", "a.csv.gz"}) {
    expect_mentions(
        error_of(ErrorCode::kInvalidArgument, [&] { TableWriter writer(folder.path(name)); }),
        {name, ".csv", ".tsv", ".parquet", ".arrow", ".feather", ".ipc"});
  }
}

TEST(TableWriter, UnwritablePlacesAreFoundAtOnce) {
  const TestFolder folder;
  expect_mentions(
      error_of(ErrorCode::kFile, [&] { TableWriter writer(folder.path("none/a.parquet")); }),
      {"none/a.parquet", "folder"});
}

TEST(TableWriter, ColumnsMustStayTheSame) {
  const TestFolder folder;
  TableWriter writer(folder.path("a.csv"));
  Table table;
  table.columns.push_back(make_column("n", ColumnKind::kInteger, Integers{1}));
  writer.write(table);
  table.columns[0].name = "m";
  expect_mentions(error_of(ErrorCode::kInvalidArgument, [&] { writer.write(table); }),
                  {"a.csv", "columns differ"});
}

TEST(TableWriter, NothingWrittenIsAnError) {
  const TestFolder folder;
  TableWriter writer(folder.path("a.parquet"));
  error_of(ErrorCode::kInvalidArgument, [&] { writer.finish(); });
  EXPECT_FALSE(std::filesystem::exists(folder.path("a.parquet")));
}

}  // namespace table_writer_test
}  // namespace mehler
