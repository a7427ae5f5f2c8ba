#include <gtest/gtest.h>

#include "test_tables.h"

namespace mehler {
namespace csv_errors_test {

const Schema& people() {
  static const Schema schema(
      {column_of("age", ColumnKind::kInteger), column_of("income", ColumnKind::kNumeric),
       column_of("member", ColumnKind::kBoolean), column_of("city", ColumnKind::kCategorical)});
  return schema;
}

std::string complaint(const std::string& text, const TableReadOptions& options = {},
                      const Schema* schema = &people()) {
  const TestFolder folder;
  const std::string path = folder.write("a.csv", text);
  return error_of(ErrorCode::kInvalidTable, [&] { read_table({path}, options, schema); });
}

TableReadOptions with_threads(std::size_t threads) {
  TableReadOptions options;
  options.threads = threads;
  return options;
}

TEST(CsvErrors, RaggedRowsNameTheRecordAndTheCounts) {
  // The header, blank lines and line breaks in quotes do not count.
  const std::string text = "age,income,member,city\n1,2,1,\"two\nlines\"\n\n\n17,4321,0\n";
  const std::string message = complaint(text, with_threads(1));
  expect_mentions(message, {"a.csv", "4 columns", "3 fields", "record 2"});
  expect_hides(message, {"17", "4321", "Invalid", "CSV parse error"});
}

TEST(CsvErrors, RaggedRowsFarDownKeepTheirNumber) {
  std::string text = "age,income,member,city\n";
  for (int row = 0; row < 200'000; ++row) {
    text += "1,2,1,Oslo\n";
  }
  expect_mentions(complaint(text + "1,2,1,x,98765\n", with_threads(1)),
                  {"record 200001", "5 fields"});
  const std::string parallel = complaint(text + "1,2,1,x,98765\n", with_threads(4));
  expect_mentions(parallel, {"5 fields", "4 columns"});
  expect_hides(parallel, {"record", "98765"});
}

TEST(CsvErrors, TextInANumberColumnIsNotQuoted) {
  for (const std::size_t threads : {1, 4}) {
    const std::string age =
        complaint("city,member,income,age\nOslo,1,2,3\nOslo,1,2,thirty\n", with_threads(threads));
    expect_mentions(age, {"'age'", "declared integer", "not a number", "option 'null'"});
    expect_hides(age, {"thirty", "Invalid", "CSV conversion"});
    const std::string income =
        complaint("age,income,member,city\n1,secret,1,x\n", with_threads(threads));
    expect_mentions(income, {"'income'", "declared numeric", "not a number", "option 'null'"});
    expect_hides(income, {"secret"});
    const std::string member =
        complaint("age,income,member,city\n1,2,yes,x\n", with_threads(threads));
    expect_mentions(member, {"'member'", "declared boolean"});
    expect_hides(member, {"yes"});
  }
}

TEST(CsvErrors, ColumnIsNamedRightWhenOthersAreIgnored) {
  const Schema schema({column_of("x", ColumnKind::kIgnored), column_of("y", ColumnKind::kIgnored),
                       column_of("age", ColumnKind::kInteger), column_of("z", ColumnKind::kIgnored),
                       column_of("income", ColumnKind::kInteger)});
  const std::string message =
      complaint("x,age,y,z,income\n1,2,3,4,5\n1,2,3,4,99x5\n", with_threads(1), &schema);
  expect_mentions(message, {"'income'", "record 2"});
  expect_hides(message, {"99x5"});
}

TEST(CsvErrors, InvalidUtf8NamesTheColumn) {
  const std::string message = complaint("age,income,member,city\n1,2,1,caf\xe9 noir\n");
  expect_mentions(message, {"'city'", "not UTF-8", "windows-1252"});
  expect_hides(message, {"noir"});
  expect_mentions(complaint("age,income,member,city,caf\xe9\n1,2,1,x,y\n"), {"number 5", "UTF-8"});
}

TEST(CsvErrors, UnclosedQuoteNamesItsLine) {
  const std::string message =
      complaint("age,income,member,city\n1,2,1,x\n1,2,1,\"Oslo\n4,5,0,Bergen\n");
  expect_mentions(message, {"a.csv", "quote", "line 3"});
  expect_hides(message, {"Oslo", "Bergen"});
}

TEST(CsvErrors, EndlessRowsAreRefused) {
  const std::string long_field(3 << 20, 'x');
  expect_mentions(complaint("age,income,member,city\n1,2,1,\"" + long_field + "\"\n"),
                  {"1048576 bytes", "quote", "delimiter"});
  expect_mentions(complaint(long_field), {"1048576 bytes"});
}

TEST(CsvErrors, UnknownColumnsAreNamedWithNearOnes) {
  expect_mentions(complaint("agee,income,member,city\n1,2,1,x\n"),
                  {"'agee'", "did you mean 'age'?", "Add it to the schema", "\"ignored\""});
}

TEST(CsvErrors, AllUnknownColumnsAreNamedAtOnce) {
  const TestFolder folder;
  const std::string path = folder.write("a.csv", "age,b,name,score,c\n1,2,3,4,5\n");
  Schema schema({column_of("age", ColumnKind::kInteger),
                 column_of("name", ColumnKind::kCategorical),
                 column_of("score", ColumnKind::kNumeric)});
  const std::string message =
      error_of(ErrorCode::kInvalidTable, [&] { read_table({path}, {}, &schema); });
  expect_mentions(message, {"the columns 'b', 'c', which the schema does not have",
                            "Add them to the schema", "\"others\": \"ignored\""});
  schema.set_ignores_others(true);
  EXPECT_EQ(read_table({path}, {}, &schema).names,
            (std::vector<std::string>{"age", "name", "score"}));
}

TEST(CsvErrors, UnknownNamesOfWhatMayBeARecordAreToldByNumber) {
  const TestFolder folder;
  const std::string path = folder.write("a.csv", "age,secret,hidden\n1,2,3\n");
  const Schema schema({column_of("age", ColumnKind::kInteger)});
  const std::string message =
      error_of(ErrorCode::kInvalidTable, [&] { read_table({path}, {}, &schema); });
  expect_mentions(message, {"column names, numbers 2, 3", "no-header"});
  expect_hides(message, {"secret", "hidden"});
}

TEST(CsvErrors, AFileWithoutHeaderNeedsAllNamesEvenIfOthersAreIgnored) {
  const TestFolder folder;
  const std::string path = folder.write("a.csv", "1,2\n3,4\n");
  Schema schema({column_of("age", ColumnKind::kInteger)});
  schema.set_ignores_others(true);
  TableReadOptions options;
  options.header = false;
  expect_mentions(error_of(ErrorCode::kInvalidTable, [&] { read_table({path}, options, &schema); }),
                  {"2 fields", "although the schema ignores others", "column-names"});
  options.column_names = {"x", "age"};
  EXPECT_EQ(read_table({path}, options, &schema).column("age"), (Cells{"2", "4"}));
}

TEST(CsvErrors, AColumnThatIsNoTimeOfDayIsNamed) {
  const TestFolder folder;
  const std::string path = folder.write("a.csv", "at\n08:30:00\n25:00:00\n");
  Column column = column_of("at", ColumnKind::kInteger);
  column.type = StoredType::kTimeSeconds;
  const Schema schema({column});
  const std::string message =
      error_of(ErrorCode::kInvalidTable, [&] { read_table({path}, {}, &schema); });
  expect_mentions(message, {"'at'", "not a time of day", "hh:mm:ss"});
  expect_hides(message, {"25:00"});
}

TEST(CsvErrors, MissingColumnsAreNamed) {
  expect_mentions(complaint("age,income,member\n1,2,1\n"),
                  {"lacks the column 'city'", "categorical"});
  const Schema unit(
      {column_of("id", ColumnKind::kIdentifier), column_of("age", ColumnKind::kInteger)}, {},
      NeighbourRelation::kAddRemoveOne, PrivacyUnit{.column = "id", .max_rows = 1});
  expect_mentions(complaint("age\n1\n", {}, &unit), {"lacks the column 'id'", "identifier"});
}

TEST(CsvErrors, RepeatedAndEmptyNamesAreRefused) {
  expect_mentions(complaint("age,income,age,city\n1,2,1,x\n"), {"'age'", "1 and 3", "rename"});
  // Without a schema the first line may be a record.
  const std::string unknown = complaint("age,income,age,city\n1,2,1,x\n", {}, nullptr);
  expect_mentions(unknown, {"1 and 3", "rename", "option 'no-header'"});
  expect_hides(unknown, {"'age'"});
  expect_mentions(complaint("age,income,,city\n1,2,1,x\n"), {"number 3", "no name"});
}

TEST(CsvErrors, RecordTakenForAHeaderIsNotQuoted) {
  const std::string message = complaint("17,4321,0,Oslo\n18,1234,1,Bergen\n");
  expect_mentions(message, {"first line", "option 'no-header'"});
  expect_hides(message, {"17", "4321", "Oslo"});
  const std::string repeated = complaint("4321,4321\n1,2\n", {}, nullptr);
  expect_mentions(repeated, {"1 and 2", "option 'no-header'"});
  expect_hides(repeated, {"4321"});
}

TEST(CsvErrors, HeaderThatSwallowsRecordsIsNotQuoted) {
  const std::string message =
      complaint("age,income,member,\"city\n1,2,3,Oslo\n4,5,6,\"Bergen\"\n1,2,3,x\n");
  expect_mentions(message, {"number 4", "quote that is not closed"});
  expect_hides(message, {"Oslo", "Bergen"});
}

TEST(CsvErrors, TypeThatChangesFurtherDownAsksForASchema) {
  std::string text = "a,b\n";
  for (int row = 0; row < 300'000; ++row) {
    text += "1,2\n";
  }
  const std::string message = complaint(text + "1,secret\n", {}, nullptr);
  expect_mentions(message, {"'b'", "schema"});
  expect_hides(message, {"secret"});
}

TEST(CsvErrors, BlankFilesAreEmpty) {
  expect_mentions(complaint("\n"), {"a.csv", "is empty"});
  expect_mentions(complaint("\r\n\r\n\n"), {"is empty"});
  expect_mentions(complaint("\xef\xbb\xbf"), {"is empty"});
  TableReadOptions options;
  options.skip_lines = 3;
  expect_mentions(complaint("a,b\n1,2\n", options), {"is empty", "skipped"});
  options = {};
  options.trim_spaces = true;
  expect_mentions(complaint("  \n \t\n", options), {"is empty"});
}

}  // namespace csv_errors_test
}  // namespace mehler
