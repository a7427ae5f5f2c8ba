#include "mehler/table/readers/table_reader.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "mehler/table/readers/table_writer.h"
#include "test_tables.h"

namespace mehler {
namespace table_reader_test {

std::string write_numbers(const TestFolder& folder, const std::string& name,
                          std::vector<std::int64_t> values) {
  TableWriter writer(folder.path(name));
  Table table;
  table.columns.push_back(
      {.name = "n", .kind = ColumnKind::kInteger, .values = std::move(values), .is_missing = {}});
  writer.write(table);
  writer.finish();
  return folder.path(name);
}

TEST(TableReader, FolderPartsAreReadInTheOrderOfTheirNames) {
  const TestFolder folder;
  folder.write("parts/part-2.csv", "n\n3\n");
  folder.write("parts/part-1.csv", "n\n1\n2\n");
  folder.write("parts/part-3.csv", "n\n4\n");
  folder.write("parts/_SUCCESS", "");
  folder.write("parts/.part-0.crc", "x");
  EXPECT_EQ(read_table({folder.path("parts")}).column("n"), (Cells{"1", "2", "3", "4"}));
}

TEST(TableReader, SeveralFilesAreReadInTheOrderGiven) {
  const TestFolder folder;
  const std::string b = folder.write("b.csv", "n\n1\n");
  const std::string a = folder.write("a.csv", "n\n2\n");
  EXPECT_EQ(read_table({b, a}).column("n"), (Cells{"1", "2"}));
  EXPECT_EQ(TableReader({b, a}, {}).parts().size(), 2U);
}

TEST(TableReader, PartsOutliveTheirReader) {
  const TestFolder folder;
  const Schema schema({column_of("n", ColumnKind::kInteger)});
  const std::vector<RecordStreamFactory> parts =
      TableReader({folder.write("a.csv", "n\n1\n")}, {}, &schema).parts();
  RecordBatch batch;
  EXPECT_TRUE(parts[0]().next(batch));
}

TEST(TableReader, SameFileTwiceIsRefused) {
  const TestFolder folder;
  const std::string path = folder.write("parts/a.csv", "n\n1\n");
  const std::string other_name = folder.path("parts/../parts/a.csv");
  expect_mentions(error_of(ErrorCode::kInvalidArgument,
                           [&] {
                             read_table({path, other_name});
                           }),
                  {"a.csv", "twice"});
  expect_mentions(error_of(ErrorCode::kInvalidArgument,
                           [&] {
                             read_table({folder.path("parts"), path});
                           }),
                  {"a.csv", "twice"});
}

TEST(TableReader, WhatIsNotThereIsNamed) {
  const TestFolder folder;
  expect_mentions(error_of(ErrorCode::kFile, [&] { TableReader({folder.path("none.csv")}, {}); }),
                  {"none.csv", "No such file", "check the name"});
  expect_mentions(error_of(ErrorCode::kInvalidArgument, [&] { TableReader({}, {}); }),
                  {"no table", "standard input"});
}

TEST(TableReader, EmptyFilesAndFoldersAreRefused) {
  const TestFolder folder;
  expect_mentions(
      error_of(ErrorCode::kInvalidTable, [&] { TableReader({folder.write("a.csv", "")}, {}); }),
      {"a.csv", "empty"});
  folder.write("parts/_SUCCESS", "");
  expect_mentions(
      error_of(ErrorCode::kInvalidTable, [&] { TableReader({folder.path("parts")}, {}); }),
      {"parts", "without parts"});
}

TEST(TableReader, FoldersInFoldersAreRefused) {
  const TestFolder folder;
  folder.write("parts/inner/a.csv", "n\n1\n");
  expect_mentions(
      error_of(ErrorCode::kInvalidTable, [&] { TableReader({folder.path("parts")}, {}); }),
      {"inner", "one by one"});
}

TEST(TableReader, FoldersNamedAfterKeysGiveColumns) {
  const TestFolder folder;
  for (const char* place : {"t/year=2020/sex=f", "t/year=2021/sex=m%2Fx",
                            "t/year=2021/sex=__HIVE_DEFAULT_PARTITION__"}) {
    std::filesystem::create_directories(folder.path(place));
  }
  folder.write("t/year=2020/sex=f/a.csv", "n\n1\n2\n");
  folder.write("t/year=2021/sex=m%2Fx/a.csv", "n\n3\n");
  folder.write("t/year=2021/sex=__HIVE_DEFAULT_PARTITION__/a.csv", "n\n4\n");
  const ReadTable guessed = read_table({folder.path("t")});
  EXPECT_EQ(guessed.names, (std::vector<std::string>{"n", "year", "sex"}));
  EXPECT_EQ(guessed.formats, (std::vector<std::string>{"l", "l", "u"}));
  EXPECT_EQ(guessed.column("year"), (Cells{"2020", "2020", "2021", "2021"}));
  EXPECT_EQ(guessed.column("sex"), (Cells{"f", "f", std::nullopt, "m/x"}));
  const Schema schema({column_of("year", ColumnKind::kCategorical),
                       column_of("n", ColumnKind::kInteger),
                       column_of("sex", ColumnKind::kIgnored)});
  const ReadTable declared = read_table({folder.path("t")}, {}, &schema);
  EXPECT_EQ(declared.names, (std::vector<std::string>{"n", "year"}));
  EXPECT_EQ(declared.column("year"), (Cells{"2020", "2020", "2021", "2021"}));
  TableReadOptions options;
  options.header = false;
  options.skip_lines = 1;
  EXPECT_EQ(read_table({folder.path("t")}, options, &schema).column("n"),
            (Cells{"1", "2", "4", "3"}))
      << "keys have no field";
}

TEST(TableReader, KeysThatContradictTheTableAreRefused) {
  const TestFolder folder;
  for (const char* place : {"two/n=1", "number/k=x", "unlike/k=1", "unlike/j=1", "deep/k=1/x"}) {
    std::filesystem::create_directories(folder.path(place));
    folder.write(std::string(place) + "/a.csv", "n\n1\n");
  }
  const auto refused = [&](const char* name, const Schema* schema) {
    return error_of(ErrorCode::kInvalidTable, [&] { read_table({folder.path(name)}, {}, schema); });
  };
  expect_mentions(refused("two", nullptr), {"the column 'n'", "name of its folder"});
  expect_mentions(refused("unlike", nullptr), {"different keys", "same keys"});
  expect_mentions(refused("deep", nullptr), {"another folder, 'x'", "'key=value'"});
  Schema numbers({column_of("n", ColumnKind::kInteger), column_of("k", ColumnKind::kInteger)});
  expect_mentions(refused("number", &numbers), {"'k' is declared integer", "not a number"});
  Schema without({column_of("n", ColumnKind::kInteger)});
  expect_mentions(refused("number", &without), {"the key 'k'", "does not have", "ignored"});
  without.set_ignores_others(true);
  EXPECT_EQ(read_table({folder.path("number")}, {}, &without).names,
            (std::vector<std::string>{"n"}));
}

TEST(TableReader, MixtureOfFormatsIsRefused) {
  const TestFolder folder;
  const std::string csv = folder.write("a.csv", "n\n1\n");
  const std::string parquet = write_numbers(folder, "b.parquet", {1});
  expect_mentions(error_of(ErrorCode::kInvalidArgument,
                           [&] {
                             TableReader({csv, parquet}, {});
                           }),
                  {"b.parquet", "is Parquet", "a.csv", "CSV", "one format"});
}

TEST(TableReader, FormatIsToldByTheFirstBytesWhereTheNameIsSilent) {
  const TestFolder folder;
  for (const std::string ending : {".csv", ".parquet", ".arrow"}) {
    const std::string named = write_numbers(folder, "a" + ending, {5, 6});
    std::filesystem::rename(named, folder.path("b"));
    EXPECT_EQ(read_table({folder.path("b")}).column("n"), (Cells{"5", "6"})) << ending;
  }
}

TEST(TableReader, NamesThatContradictTheBytesAreRefused) {
  const TestFolder folder;
  std::filesystem::rename(write_numbers(folder, "a.parquet", {1}), folder.path("a.csv"));
  expect_mentions(
      error_of(ErrorCode::kInvalidTable, [&] { TableReader({folder.path("a.csv")}, {}); }),
      {"a.csv", "Parquet"});
  const std::string text = folder.write("b.parquet", "n\n1\n");
  expect_mentions(error_of(ErrorCode::kInvalidTable, [&] { read_table({text}); }),
                  {"b.parquet", "does not begin as Parquet"});
}

TEST(TableReader, CsvOptionsForOtherFormatsAreRefused) {
  const TestFolder folder;
  const std::string path = write_numbers(folder, "a.parquet", {1});
  TableReadOptions options;
  options.delimiter = ';';
  expect_mentions(error_of(ErrorCode::kInvalidArgument, [&] { TableReader({path}, options); }),
                  {"delimiter", "Parquet"});
}

TEST(TableReader, ImpossibleCsvOptionsAreRefused) {
  const TestFolder folder;
  const std::string path = folder.write("a.csv", "n\n1\n");
  for (const char delimiter : {'"', '\n', '\r', '\0'}) {
    TableReadOptions options;
    options.delimiter = delimiter;
    error_of(ErrorCode::kInvalidArgument, [&] { TableReader({path}, options); });
  }
  TableReadOptions options;
  options.column_names = {"n"};
  expect_mentions(error_of(ErrorCode::kInvalidArgument, [&] { TableReader({path}, options); }),
                  {"column names", "no header"});
}

TEST(TableReader, FormatNamesAreChecked) {
  EXPECT_EQ(table_format_from_name("parquet"), TableFormat::kParquet);
  expect_mentions(error_of(ErrorCode::kInvalidArgument, [] { table_format_from_name("parket"); }),
                  {"'parket'", "did you mean 'parquet'?"});
}

}  // namespace table_reader_test
}  // namespace mehler
