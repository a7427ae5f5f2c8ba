#include <fmt/format.h>
#include <gtest/gtest.h>

#include "mehler/core/seeded_random.h"
#include "mehler/table/calendar.h"
#include "mehler/table/readers/table_writer.h"
#include "test_tables.h"

namespace mehler {
namespace csv_dialect_test {

/// A schema of one column of each kind, in a dialect.
Schema schema_in(const Dialect& dialect, const std::map<std::string, ColumnSpelling>& spellings,
                 ColumnKind last = ColumnKind::kDatetime) {
  Column text = column_of("text", ColumnKind::kCategorical);
  text.categories = {"a", "", "NA", " x ", "1,5;\"q\"", "über"};
  return Schema({column_of("number", ColumnKind::kNumeric),
                 column_of("whole", ColumnKind::kInteger), text,
                 column_of("truth", ColumnKind::kBoolean), column_of("day", ColumnKind::kDate),
                 column_of("moment", last)})
      .in_dialect(dialect, spellings);
}

Dialect german() {
  Dialect dialect;
  dialect.delimiter = ';';
  dialect.decimal = ',';
  dialect.thousands = ".";
  dialect.missing = {"NA", "-200"};
  return dialect;
}

const std::map<std::string, ColumnSpelling> kGermanColumns = {
    {"number", {.suffix = " €"}},
    {"truth", {.true_words = {"ja", "j"}, .false_words = {"nein"}}},
    {"day", {.format = "%d.%m.%Y"}},
    {"moment", {.format = "%d.%m.%Y %H:%M"}}};

const char* const kGermanText =
    "number;whole;text;truth;day;moment\n"
    "1.234,5 €;1.000;a;ja;31.12.2020;01.02.1970 00:01\n"
    "-200;NA;NA;-200;;NA\n"
    "-0,5;7;\"NA\";nein;1.2.2003;31.12.1969 23:59\n";

void expect_german(const ReadTable& table) {
  EXPECT_EQ(table.column("number"), (Cells{"1234.5", std::nullopt, "-0.5"}));
  EXPECT_EQ(table.column("whole"), (Cells{"1000", std::nullopt, "7"}));
  EXPECT_EQ(table.column("text"), (Cells{"a", std::nullopt, "NA"}));
  EXPECT_EQ(table.column("truth"), (Cells{"true", std::nullopt, "false"}));
  EXPECT_EQ(table.column("day"), (Cells{"18627", std::nullopt, "12084"}));
  EXPECT_EQ(table.column("moment"), (Cells{"2678460000000", std::nullopt, "-60000000"}));
}

TEST(CsvDialect, ASchemasTableIsReadAsItSays) {
  const TestFolder folder;
  const Schema schema = schema_in(german(), kGermanColumns);
  expect_german(read_table({folder.write("a.csv", kGermanText)}, {}, &schema));
}

TEST(CsvDialect, OptionsWinOverTheSchema) {
  const TestFolder folder;
  const Schema schema({column_of("a", ColumnKind::kNumeric), column_of("b", ColumnKind::kNumeric)});
  TableReadOptions options;
  options.delimiter = '|';
  options.header = false;
  options.decimal = ',';
  options.thousands = " ";
  options.null_spellings = {"?"};
  options.skip_lines = 1;
  options.encoding = TextEncoding::kUtf8;
  const std::string path = folder.write("a.csv", "x\n1 000,5|?\n2|3\n");
  const Schema plain = schema.in_dialect(Dialect{});
  const Schema other = schema.in_dialect(german());
  for (const Schema* either : {&plain, &other}) {
    const ReadTable table = read_table({path}, options, either);
    EXPECT_EQ(table.column("a"), (Cells{"1000.5", "2"}));
    EXPECT_EQ(table.column("b"), (Cells{std::nullopt, "3"}));
  }
}

TEST(CsvDialect, DecimalCommasAloneAreReadByArrow) {
  const TestFolder folder;
  Dialect dialect;
  dialect.delimiter = ';';
  dialect.decimal = ',';
  const Schema schema =
      Schema({column_of("a", ColumnKind::kNumeric), column_of("b", ColumnKind::kInteger)})
          .in_dialect(dialect);
  const ReadTable table = read_table({folder.write("a.csv", "a;b\n1,5;2\n-,5;3,0\n")}, {}, &schema);
  EXPECT_EQ(table.column("a"), (Cells{"1.5", "-0.5"}));
  EXPECT_EQ(table.column("b"), (Cells{"2", "3"}));
}

TEST(CsvDialect, EveryNumberOfThreadsReadsTheSame) {
  const TestFolder folder;
  const Schema schema = schema_in(german(), kGermanColumns);
  std::string text = "number;whole;text;truth;day;moment\n";
  Cells wholes;
  for (int i = 0; i < 60000; ++i) {
    text += fmt::format("1.234,5 €;{};a;ja;31.12.2020;01.02.1970 00:01\n", i);
    wholes.emplace_back(std::to_string(i));
  }
  const std::string path = folder.write("a.csv", text);
  for (const std::size_t threads : {1, 4}) {
    TableReadOptions options;
    options.threads = threads;
    const ReadTable table = read_table({path}, options, &schema);
    EXPECT_GT(table.batches, 1U);
    EXPECT_EQ(table.column("whole"), wholes);
  }
}

TEST(CsvDialect, AValueOfAnotherFormIsNamedByColumnAndRecord) {
  const TestFolder folder;
  const Schema schema = schema_in(german(), kGermanColumns);
  const auto complaint = [&](const std::string& row) {
    const std::string message = error_of(ErrorCode::kInvalidTable, [&] {
      read_table({folder.write("a.csv", std::string(kGermanText) + "\n" + row + "\n")}, {},
                 &schema);
    });
    expect_hides(message, {row});
    expect_mentions(message, {"a.csv", "in record 4"});
    return message;
  };
  expect_mentions(complaint("77.5;1;a;ja;;"),
                  {"'number'", "declared numeric", "decimal comma", "€"});
  expect_mentions(complaint("1;1,234.5;a;ja;;"), {"'whole'", "declared integer"});
  expect_mentions(complaint("1;1;a;yes;;"), {"'truth'", "true and false"});
  expect_mentions(complaint("1;1;a;ja;12/31/2020;"), {"'day'", "'%d.%m.%Y'"});
  expect_mentions(complaint("1;1;a;ja;31.02.2020;"), {"'day'"});
  expect_mentions(complaint("1;1;a;ja;;31.12.2020"), {"'moment'", "'%d.%m.%Y %H:%M'"});
}

TEST(CsvDialect, ATableWithoutRecordsHasTheConvertedTypes) {
  const TestFolder folder;
  const Schema schema = schema_in(german(), kGermanColumns);
  const ReadTable table =
      read_table({folder.write("a.csv", "number;whole;text;truth;day;moment\n")}, {}, &schema);
  EXPECT_EQ(table.formats, (std::vector<std::string>{"g", "g", "u", "b", "tdD", "tsu:"}));
}

TEST(CsvDialect, OptionsThatContradictTheSchemaAreRefused) {
  const TestFolder folder;
  const Schema schema = schema_in(german(), kGermanColumns);
  TableReadOptions options;
  options.delimiter = ',';
  expect_mentions(
      error_of(ErrorCode::kInvalidArgument,
               [&] { read_table({folder.write("a.csv", kGermanText)}, options, &schema); }),
      {"decimal", "delimiter"});
}

TEST(CsvDialect, TypedFormatsHaveNothingToDoWithIt) {
  const TestFolder folder;
  const Schema schema = schema_in(german(), kGermanColumns);
  for (const char* name : {"a.parquet", "a.arrow"}) {
    const ReadTable csv = read_table({folder.write("a.csv", kGermanText)}, {}, &schema);
    Table table;
    table.columns = {
        {"number", ColumnKind::kNumeric, std::vector<double>{1234.5, 0}, {false, true}},
        {"whole", ColumnKind::kInteger, std::vector<std::int64_t>{1, 2}, {}},
        {"text", ColumnKind::kCategorical, std::vector<std::string>{"a", "NA"}, {}},
        {"truth", ColumnKind::kBoolean, std::vector<std::int64_t>{1, 0}, {}},
        {"day", ColumnKind::kDate, std::vector<std::int64_t>{18627, 0}, {}},
        {"moment", ColumnKind::kDatetime, std::vector<std::int64_t>{60'000'000, 0}, {}}};
    TableWriter writer(folder.path(name), schema);
    writer.write(table);
    writer.finish();
    const ReadTable read = read_table({folder.path(name)}, {}, &schema);
    EXPECT_EQ(read.column("text"), (Cells{"a", "NA"}));
    EXPECT_EQ(read.column("number"), (Cells{"1234.5", std::nullopt}));
    EXPECT_EQ(read.column("day"), (Cells{"18627", "0"}));
  }
}

std::string in_utf16(std::string_view ascii, bool low_first) {
  std::string bytes = low_first ? "\xff\xfe" : "\xfe\xff";
  for (const char c : ascii) {
    bytes += low_first ? std::string{c, '\0'} : std::string{'\0', c};
  }
  return bytes;
}

TEST(CsvDialect, EncodingsAreReadAsUtf8) {
  const TestFolder folder;
  Column city = column_of("größe", ColumnKind::kCategorical);
  const Schema schema({city, column_of("n", ColumnKind::kInteger)});
  Dialect dialect;
  dialect.encoding = TextEncoding::kWindows1252;
  const Schema windows = schema.in_dialect(dialect);
  EXPECT_EQ(read_table({folder.write("a.csv",
                                     "gr\xf6\xdf"
                                     "e,n\n\x80 5,1\n")},
                       {}, &windows)
                .column("größe"),
            (Cells{"€ 5"}));
  dialect.encoding = TextEncoding::kLatin1;
  const Schema latin = schema.in_dialect(dialect);
  EXPECT_EQ(read_table({folder.write("b.csv",
                                     "gr\xf6\xdf"
                                     "e,n\n\xa3,1\n")},
                       {}, &latin)
                .column("größe"),
            (Cells{"£"}));
  TableReadOptions options;
  options.encoding = TextEncoding::kUtf16;
  for (const bool low_first : {true, false}) {
    EXPECT_EQ(
        read_table({folder.write("c.csv", in_utf16("a,b\nx,1\n", low_first))}, options).column("a"),
        (Cells{"x"}));
  }
  EXPECT_EQ(read_table({folder.write("d.csv", in_utf16("a,b\nx,1\n", true).substr(2))}, options)
                .column("a"),
            (Cells{"x"}));
}

TEST(CsvDialect, BytesThatTheEncodingLacksAreNamedByLine) {
  const TestFolder folder;
  TableReadOptions options;
  options.encoding = TextEncoding::kWindows1252;
  const std::string message = error_of(ErrorCode::kInvalidTable, [&] {
    read_table({folder.write("a.csv", "a,b\n1,2\nsecret\x81,3\n")}, options);
  });
  expect_mentions(message, {"a.csv", "line 3", "windows-1252", "option 'encoding'"});
  expect_hides(message, {"secret"});
  options.encoding = TextEncoding::kUtf16;
  expect_mentions(
      error_of(
          ErrorCode::kInvalidTable,
          [&] { read_table({folder.write("b.csv", in_utf16("a\n1\n", true) + "x")}, options); }),
      {"b.csv", "utf-16"});
}

TEST(CsvDialect, LongTextsAreTranscodedAcrossPieces) {
  const TestFolder folder;
  TableReadOptions options;
  options.encoding = TextEncoding::kLatin1;
  std::string text = "a,b\n";
  for (int i = 0; i < 200000; ++i) {
    text += "\xe4\xf6,1\n";
  }
  const ReadTable table = read_table({folder.write("a.csv", text)}, options);
  EXPECT_EQ(table.rows(), 200000U);
  EXPECT_EQ(table.column("a").back(), "äö");
}

/// A table of every kind, whose values can be written in every dialect below.
Table random_table(SeededRandom& random, std::size_t rows) {
  const std::vector<std::string> texts = {"a", "", "NA", " x ", "1,5;\"q\"", "über"};
  std::vector<double> numbers;
  std::vector<std::int64_t> wholes;
  std::vector<std::string> words;
  std::vector<std::int64_t> truths;
  std::vector<std::int64_t> days;
  std::vector<std::int64_t> moments;
  std::vector<bool> missing;
  for (std::size_t row = 0; row < rows; ++row) {
    numbers.push_back((random.uniform() - 0.5) * std::pow(10.0, 20.0 * random.uniform() - 8.0));
    wholes.push_back(static_cast<std::int64_t>((random.uniform() - 0.5) * 2e9));
    words.push_back(texts[static_cast<std::size_t>(random.uniform() * 6.0)]);
    truths.push_back(random.uniform() < 0.5 ? 0 : 1);
    days.push_back(static_cast<std::int64_t>(random.uniform() * 20000.0));
    moments.push_back(static_cast<std::int64_t>(random.uniform() * 2e7) * 60'000'000);
    missing.push_back(random.uniform() < 0.2);
  }
  Table table;
  table.columns = {{"number", ColumnKind::kNumeric, numbers, missing},
                   {"whole", ColumnKind::kInteger, wholes, missing},
                   {"text", ColumnKind::kCategorical, words, missing},
                   {"truth", ColumnKind::kBoolean, truths, missing},
                   {"day", ColumnKind::kDate, days, missing},
                   {"moment", ColumnKind::kDatetime, moments, missing}};
  return table;
}

template <typename Value>
Value one_of(SeededRandom& random, const std::vector<Value>& choices) {
  return choices[static_cast<std::size_t>(random.uniform() * static_cast<double>(choices.size()))];
}

Schema random_schema(SeededRandom& random) {
  Dialect dialect;
  dialect.delimiter = one_of<std::optional<char>>(random, {std::nullopt, ',', ';', '\t', '|', ' '});
  dialect.header = random.uniform() < 0.7;
  dialect.decimal = dialect.delimiter.value_or(',') == ',' ? '.' : one_of<char>(random, {'.', ','});
  dialect.thousands = one_of<std::string>(
      random, {"", dialect.decimal == ',' ? "." : ",", "'", "\u2019", " ", "\u00a0", "\u202f"});
  dialect.missing = one_of<std::vector<std::string>>(
      random, {{}, {"NA"}, {"", "NA"}, {"?", "-200", "NA"}, {"a"}});
  if (random.uniform() < 0.3) {
    dialect.true_words = {"wahr", "w"};
    dialect.false_words = {"falsch"};
  }
  dialect.encoding = one_of<TextEncoding>(
      random, {TextEncoding::kUtf8, TextEncoding::kUtf8Bom, TextEncoding::kUtf16});
  dialect.skip_lines = random.uniform() < 0.3 ? 2 : 0;
  dialect.trim_spaces = random.uniform() < 0.3;
  std::map<std::string, ColumnSpelling> spellings;
  spellings["number"] = {.prefix = one_of<std::string>(random, {"", "$", "CHF ", "€"}),
                         .suffix = one_of<std::string>(random, {"", "%", " €"})};
  if (random.uniform() < 0.5) {
    spellings["truth"] = {.true_words = {"yes, it is"}, .false_words = {"n;o"}};
  }
  spellings["day"] = {
      .format = one_of<std::string>(random, {"", "%d.%m.%Y", "%-m/%-d/%Y", "%y%m%d", "%B %d, %Y"})};
  spellings["moment"] = {
      .format = one_of<std::string>(
          random, {"", "%d.%m.%Y %H:%M", "%-m/%-d/%y %-I:%M %p", "%Y%m%d%H%M%S"})};
  return schema_in(dialect, spellings);
}

/// What reading should give, as ReadTable writes it.
Cells expected_cells(const TableColumn& column, bool has_format) {
  Cells cells;
  for (std::size_t row = 0; row < column.rows(); ++row) {
    if (column.is_missing[row]) {
      cells.emplace_back();
    } else if (const auto* numbers = std::get_if<std::vector<double>>(&column.values)) {
      cells.emplace_back(fmt::format("{}", (*numbers)[row]));
    } else if (const auto* texts = std::get_if<std::vector<std::string>>(&column.values)) {
      cells.emplace_back((*texts)[row]);
    } else {
      const std::int64_t value = std::get<std::vector<std::int64_t>>(column.values)[row];
      cells.emplace_back(column.kind == ColumnKind::kBoolean ? (value != 0 ? "true" : "false")
                         : column.kind == ColumnKind::kDate && !has_format ? format_date(value)
                         : column.kind == ColumnKind::kDatetime && !has_format
                             ? format_datetime(value)
                             : fmt::format("{}", static_cast<double>(value)));
    }
  }
  return cells;
}

TEST(CsvDialect, WhatIsWrittenInARandomDialectIsReadAgain) {
  const TestFolder folder;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SeededRandom random(seed);
    const Schema schema = random_schema(random);
    const Table table = random_table(random, 30);
    const std::string path = folder.path(random.uniform() < 0.2 ? "a.tsv" : "a.csv");
    TableWriter writer(path, schema);
    writer.write(table);
    writer.finish();
    for (const OptionsFor given_for : {OptionsFor::kThisTable, OptionsFor::kOtherTables}) {
      TableReadOptions options;
      options.given_for = given_for;
      const ReadTable read = read_table({path}, options, &schema);
      for (const TableColumn& column : table.columns) {
        EXPECT_EQ(read.column(column.name),
                  expected_cells(column, !schema.find(column.name)->spelling.format.empty()))
            << "column " << column.name << ", seed " << seed << "\n"
            << schema.to_json() << file_bytes(path);
      }
    }
    if (testing::Test::HasFailure()) {
      break;  // one example is enough
    }
  }
}

TEST(CsvDialect, OurTablesAreReadInEitherDialect) {
  const TestFolder folder;
  const Schema schema = schema_in(german(), kGermanColumns);
  Dialect commas = german();
  commas.delimiter.reset();
  commas.decimal = '.';
  commas.thousands = "";
  const Schema with_commas = schema_in(commas, kGermanColumns);
  const std::string plain =
      "number,whole,text,truth,day,moment\n"
      "1234.5,1000,a,true,2020-12-31,1970-02-01T00:01:00\n"
      ",,,,,\n"
      "-0.5,7,\"NA\",false,2003-02-01,1969-12-31T23:59:00\n";
  for (const OptionsFor given_for : {OptionsFor::kOtherTables, OptionsFor::kThisTableOrOurs}) {
    TableReadOptions options;
    options.given_for = given_for;
    options.skip_lines = 5;  // of the other tables
    expect_german(read_table({folder.write("own.csv", kGermanText)}, options, &schema));
    expect_german(read_table({folder.write("plain.csv", plain)}, options, &with_commas));
    const ReadTable table = read_table({folder.path("plain.csv")}, options, &schema);
    EXPECT_EQ(table.column("number"), (Cells{"1234.5", std::nullopt, "-0.5"}));
    EXPECT_EQ(table.column("day"), (Cells{"2020-12-31", std::nullopt, "2003-02-01"}));
  }
}

TEST(CsvDialect, MissingValuesOfOneColumnAreReadAgain) {
  const TestFolder folder;
  for (const std::vector<std::string>& missing :
       std::vector<std::vector<std::string>>{{}, {"NA"}, {"", "x"}}) {
    Dialect dialect;
    dialect.missing = missing;
    const Schema schema = Schema({column_of("n", ColumnKind::kInteger)}).in_dialect(dialect);
    Table table;
    table.columns = {
        {"n", ColumnKind::kInteger, std::vector<std::int64_t>{1, 0, 3}, {false, true, false}}};
    TableWriter writer(folder.path("a.csv"), schema);
    writer.write(table);
    writer.finish();
    EXPECT_EQ(read_table({folder.path("a.csv")}, {}, &schema).column("n"),
              (Cells{"1", std::nullopt, "3"}));
  }
}

TEST(CsvDialect, AByteOrderMarkIsWrittenWhereTheSchemaHasOne) {
  const TestFolder folder;
  Dialect dialect;
  dialect.encoding = TextEncoding::kUtf8Bom;
  const Schema schema = Schema({column_of("n", ColumnKind::kInteger)}).in_dialect(dialect);
  Table table;
  table.columns = {{"n", ColumnKind::kInteger, std::vector<std::int64_t>{1}, {}}};
  TableWriter writer(folder.path("a.csv"), schema);
  writer.write(table);
  writer.finish();
  EXPECT_EQ(file_bytes(folder.path("a.csv")), "\xef\xbb\xbfn\n1\n");
}

TEST(CsvDialect, ARecordInTheFirstLineIsDoubtedWhateverItsForm) {
  const TestFolder folder;
  TableReadOptions options;
  options.delimiter = ';';
  options.doubt_header = true;
  for (const char* value : {"12.0", "1,5", "1.234,5", "$7.50", "45%", "12 €", "31.12.2020",
                            "9/4/14", "2020-01-31", "04-Sep-2014", "1e+5"}) {
    const std::string message = error_of(ErrorCode::kInvalidTable, [&] {
      read_table({folder.write("a.csv", fmt::format("name;{}\nx;y\n", value))}, options);
    });
    expect_mentions(message, {"looks like a record"});
    expect_hides(message, {value});
  }
  EXPECT_EQ(read_table({folder.write("b.csv", "name;nan;x1;%;2nd\na;b;c;d;e\n")}, options).rows(),
            1U);
}

TEST(CsvDialect, WorkbooksThatAreNotReadSayWhatToDo) {
  const TestFolder folder;
  const std::string zip = std::string("PK\x03\x04") + "rest of the archive";
  const auto complaint = [&](const std::string& name, const std::string& bytes) {
    return error_of(ErrorCode::kInvalidTable, [&] { read_table({folder.write(name, bytes)}); });
  };
  expect_mentions(complaint("a.csv", zip), {"a.csv", "zip archive", ".xlsx"});
  expect_mentions(complaint("a.ods", zip), {"OpenDocument", "Text CSV"});
  expect_mentions(complaint("a.xlsb", zip), {"Excel workbook", "Save As", "CSV UTF-8"});
  expect_mentions(complaint("a.xls", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 and more"),
                  {"Excel workbook", "CSV UTF-8"});
  EXPECT_EQ(read_table({folder.write("b.xls", "a,b\n1,2\n")}).column("a"), (Cells{"1"}));
}

}  // namespace csv_dialect_test
}  // namespace mehler
