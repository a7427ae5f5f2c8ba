#include <gtest/gtest.h>

#include "test_tables.h"

namespace mehler {
namespace csv_reader_test {

constexpr std::string_view kGzip(
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x4b\x4c\x4f\xd5\x49\xce\x2c\xa9\xe4\x32\x36\xd4\xf1"
    "\x2f"
    "\xce\xc9\xe7\x32\x31\xd7\x71\x4a\x2d\x4a\x4f\xcd\xe3\x02\x00\x28\x88\xa8\xc9\x1b\x00\x00\x00",
    47);
constexpr std::string_view kZstandard(
    "\x28\xb5\x2f\xfd\x20\x1b\xd9\x00\x00\x61\x67\x65\x2c\x63\x69\x74\x79\x0a\x33\x31\x2c\x4f\x73"
    "\x6c"
    "\x6f\x0a\x34\x37\x2c\x42\x65\x72\x67\x65\x6e\x0a",
    36);

TEST(CsvReader, QuotedNewlinesStayInsideTheirField) {
  const TestFolder folder;
  const ReadTable table = read_table(
      {folder.write("a.csv", "id,note\n1,\"two\nlines, one field\"\n2,\"she said \"\"no\"\"\"\n")});
  EXPECT_EQ(table.column("id"), (Cells{"1", "2"}));
  EXPECT_EQ(table.column("note"), (Cells{"two\nlines, one field", "she said \"no\""}));
}

TEST(CsvReader, AllLineEndingsAreUnderstood) {
  const TestFolder folder;
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    const std::string text = "a,b" + end + "1,2" + end + "3,4" + end;
    EXPECT_EQ(read_table({folder.write("a.csv", text)}).column("b"), (Cells{"2", "4"}));
  }
}

TEST(CsvReader, LastLineMayLackItsEnd) {
  const TestFolder folder;
  EXPECT_EQ(read_table({folder.write("a.csv", "a,b\n1,x\n3,\"y\"")}).column("b"),
            (Cells{"x", "y"}));
}

TEST(CsvReader, SchemaDecidesTheTypes) {
  const TestFolder folder;
  const Schema schema({column_of("n", ColumnKind::kNumeric), column_of("i", ColumnKind::kInteger),
                       column_of("b", ColumnKind::kBoolean),
                       column_of("c", ColumnKind::kCategorical),
                       column_of("o", ColumnKind::kOrdinal), column_of("d", ColumnKind::kDate),
                       column_of("t", ColumnKind::kDatetime)});
  const ReadTable table = read_table({folder.write("a.csv",
                                                   "i,n,b,c,o,d,t\n"
                                                   "7,8,true,9,1,2020-01-31,2020-01-31T08:00:00\n"
                                                   "-7,1e3,0,x,2,2020-02-01,2020-02-01 09:30\n")},
                                     {}, &schema);
  EXPECT_EQ(table.names, (std::vector<std::string>{"i", "n", "b", "c", "o", "d", "t"}));
  EXPECT_EQ(table.formats, (std::vector<std::string>{"g", "g", "b", "u", "u", "u", "u"}));
  EXPECT_EQ(table.column("n"), (Cells{"8", "1000"}));
  EXPECT_EQ(table.column("b"), (Cells{"true", "false"}));
  EXPECT_EQ(table.column("c"), (Cells{"9", "x"}));
  EXPECT_EQ(table.column("d"), (Cells{"2020-01-31", "2020-02-01"}));
}

TEST(CsvReader, WholeNumbersMayBeWrittenWithADecimalPoint) {
  const TestFolder folder;
  const Schema schema({column_of("i", ColumnKind::kInteger)});
  const ReadTable table = read_table({folder.write("a.csv", "i\n5.0\n-7\n")}, {}, &schema);
  EXPECT_EQ(table.column("i"), (Cells{"5", "-7"}));
}

TEST(CsvReader, WithoutASchemaTypesAreGuessed) {
  const TestFolder folder;
  const ReadTable table = read_table({folder.write("a.csv", "a,b,c\n1,2.5,x\n2,3,y\n")});
  EXPECT_EQ(table.formats, (std::vector<std::string>{"l", "g", "u"}));
}

TEST(CsvReader, IgnoredColumnsAreNotConverted) {
  const TestFolder folder;
  const Schema schema(
      {column_of("age", ColumnKind::kInteger), column_of("raw", ColumnKind::kIgnored),
       column_of("id", ColumnKind::kIdentifier), column_of("gone", ColumnKind::kIgnored)});
  const ReadTable table =
      read_table({folder.write("a.csv", "raw,id,age\n\xff\xfe,\xff,1\n")}, {}, &schema);
  EXPECT_EQ(table.names, (std::vector<std::string>{"age"}));
  EXPECT_EQ(table.column("age"), (Cells{"1"}));
}

TEST(CsvReader, PrivacyUnitIsReadAsText) {
  const TestFolder folder;
  const Schema schema(
      {column_of("id", ColumnKind::kIdentifier), column_of("age", ColumnKind::kInteger)}, {},
      NeighbourRelation::kAddRemoveOne, PrivacyUnit{.column = "id", .max_rows = 3});
  const ReadTable table = read_table({folder.write("a.csv", "id,age\n007,1\n08,2\n")}, {}, &schema);
  EXPECT_EQ(table.column("id"), (Cells{"007", "08"}));
}

TEST(CsvReader, EmptyFieldsAreMissingAndQuotedOnesAreEmptyText) {
  const TestFolder folder;
  const Schema schema(
      {column_of("n", ColumnKind::kNumeric), column_of("c", ColumnKind::kCategorical)});
  const ReadTable table =
      read_table({folder.write("a.csv", "n,c\n,\n1,\"\"\n2,NA\n")}, {}, &schema);
  EXPECT_EQ(table.column("n"), (Cells{std::nullopt, "1", "2"}));
  EXPECT_EQ(table.column("c"), (Cells{std::nullopt, "", "NA"}));
}

TEST(CsvReader, NullSpellingsAreMissingUnlessQuoted) {
  const TestFolder folder;
  const Schema schema(
      {column_of("n", ColumnKind::kNumeric), column_of("c", ColumnKind::kCategorical)});
  TableReadOptions options;
  options.null_spellings = {"NA", "?"};
  const ReadTable table =
      read_table({folder.write("a.csv", "n,c\nNA,?\n?,\"NA\"\n,NA\n5,n\n")}, options, &schema);
  EXPECT_EQ(table.column("n"), (Cells{std::nullopt, std::nullopt, std::nullopt, "5"}));
  EXPECT_EQ(table.column("c"), (Cells{std::nullopt, "NA", std::nullopt, "n"}));
}

TEST(CsvReader, DelimiterIsAnOptionAndATabForTsv) {
  const TestFolder folder;
  TableReadOptions options;
  options.delimiter = ';';
  EXPECT_EQ(read_table({folder.write("a.csv", "a;b\n1,5;x\n")}, options).column("a"),
            (Cells{"1,5"}));
  EXPECT_EQ(read_table({folder.write("a.tsv", "a\tb\nx y\tz\n")}).column("a"), (Cells{"x y"}));
}

TEST(CsvReader, HeaderlessNamesComeFromOptionsThenSchemaThenNumbers) {
  const TestFolder folder;
  const std::string path = folder.write("a.data", "1,x\n2,y\n");
  TableReadOptions options;
  options.header = false;
  EXPECT_EQ(read_table({path}, options).names, (std::vector<std::string>{"column_1", "column_2"}));
  const Schema schema(
      {column_of("n", ColumnKind::kInteger), column_of("c", ColumnKind::kCategorical)});
  const ReadTable by_schema = read_table({path}, options, &schema);
  EXPECT_EQ(by_schema.column("n"), (Cells{"1", "2"}));
  options.column_names = {"n", "c"};
  EXPECT_EQ(read_table({path}, options).column("c"), (Cells{"x", "y"}));
}

TEST(CsvReader, HeaderlessFieldCountMustMatch) {
  const TestFolder folder;
  const Schema schema({column_of("n", ColumnKind::kInteger)});
  TableReadOptions options;
  options.header = false;
  const std::string message = error_of(ErrorCode::kInvalidTable, [&] {
    read_table({folder.write("a.csv", "secret,17.25\n")}, options, &schema);
  });
  expect_mentions(message, {"a.csv", "2 fields", "the columns of the schema are 1"});
  expect_hides(message, {"secret", "17.25"});
}

TEST(CsvReader, CompressionIsToldByTheBytes) {
  const TestFolder folder;
  for (const std::string name : {"a.csv.gz", "a.csv", "a"}) {
    for (const std::string_view bytes : {kGzip, kZstandard}) {
      const ReadTable table = read_table({folder.write(name, bytes)});
      EXPECT_EQ(table.column("age"), (Cells{"31", "47"}));
      EXPECT_EQ(table.column("city"), (Cells{"Oslo", "Bergen"}));
    }
  }
}

TEST(CsvReader, TruncatedCompressionIsAnErrorAtEveryLength) {
  const TestFolder folder;
  for (const std::string_view bytes : {kGzip, kZstandard}) {
    for (std::size_t length = 4; length < bytes.size(); ++length) {
      const std::string path = folder.write("a.csv.gz", bytes.substr(0, length));
      const std::string message = error_of(ErrorCode::kInvalidTable, [&] { read_table({path}); });
      expect_mentions(message, {"a.csv.gz", "compressed"});
      expect_hides(message, {"Oslo", "Bergen", "47", "Invalid"});
    }
  }
}

TEST(CsvReader, ByteOrderMarkIsNoPartOfAName) {
  const TestFolder folder;
  EXPECT_EQ(read_table({folder.write("a.csv",
                                     "\xef\xbb\xbf"
                                     "a,b\n1,2\n")})
                .column("a"),
            (Cells{"1"}));
  expect_mentions(error_of(ErrorCode::kInvalidTable,
                           [&] {
                             read_table({folder.write("b.csv", std::string_view("\xff\xfe"
                                                                                "a\0,\0b\0\n\0",
                                                                                10))});
                           }),
                  {"UTF-16", "\"encoding\": \"utf-16\""});
}

TEST(CsvReader, SkippedLinesMayHoldStrayQuotes) {
  const TestFolder folder;
  TableReadOptions options;
  options.skip_lines = 2;
  options.trim_spaces = true;
  EXPECT_EQ(
      read_table({folder.write("a.csv", "export \"of\r\n\"Tuesday\r\na, b\r\n1, 2\r\n")}, options)
          .column("b"),
      (Cells{"2"}));
}

TEST(CsvReader, TrimmingSparesQuotedSpaces) {
  const TestFolder folder;
  TableReadOptions options;
  options.trim_spaces = true;
  options.null_spellings = {"?"};
  const ReadTable table = read_table(
      {folder.write("a.csv", " age , city\n 31 ,\t Oslo  town \n ?,\" x \" \n , \n")}, options);
  EXPECT_EQ(table.column("age"), (Cells{"31", std::nullopt, std::nullopt}));
  EXPECT_EQ(table.column("city"), (Cells{"Oslo  town", " x ", std::nullopt}));
}

TEST(CsvReader, HeaderWithoutRowsIsAnEmptyStreamOfTheRightTypes) {
  const TestFolder folder;
  const Schema schema(
      {column_of("n", ColumnKind::kNumeric), column_of("c", ColumnKind::kCategorical)});
  for (const std::string text : {"n,c", "n,c\n", "\n\nn,c\r\n", "n,c\n\n\n"}) {
    const ReadTable table = read_table({folder.write("a.csv", text)}, {}, &schema);
    EXPECT_EQ(table.formats, (std::vector<std::string>{"g", "u"}));
    EXPECT_EQ(table.rows(), 0U);
  }
}

TEST(CsvReader, ManyBatchesKeepTheirOrderForEveryNumberOfThreads) {
  const TestFolder folder;
  std::string text = "n,c\n";
  constexpr std::size_t kRows = 400'000;
  for (std::size_t row = 0; row < kRows; ++row) {
    text += std::to_string(row) + ",\"a, b\"\n";
  }
  const std::string path = folder.write("a.csv", text);
  const Schema schema(
      {column_of("n", ColumnKind::kInteger), column_of("c", ColumnKind::kCategorical)});
  for (const std::size_t threads : {1, 4}) {
    TableReadOptions options;
    options.threads = threads;
    const ReadTable table = read_table({path}, options, &schema);
    EXPECT_GT(table.batches, 3U);
    ASSERT_EQ(table.rows(), kRows);
    for (std::size_t row = 0; row < kRows; ++row) {
      ASSERT_EQ(table.column("n")[row], std::to_string(row));
      ASSERT_EQ(table.column("c")[row], "a, b");
    }
  }
}

TEST(CsvReader, ProgressEndsAtOne) {
  const TestFolder folder;
  const TableReader reader({folder.write("a.csv", "a\n1\n"), folder.write("b.csv.gz", kGzip)}, {});
  EXPECT_EQ(reader.progress()->fraction(), 0.0);
  for (const RecordStreamFactory& open : reader.parts()) {
    RecordStream stream = open();
    RecordBatch batch;
    while (stream.next(batch)) {
    }
  }
  EXPECT_EQ(reader.progress()->fraction(), 1.0);
}

}  // namespace csv_reader_test
}  // namespace mehler
