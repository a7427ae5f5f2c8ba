#include "mehler/table/readers/dialect_sniffer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "test_tables.h"

namespace mehler {
namespace dialect_sniffer_test {

SniffedDialect sniff(std::string_view text, const TableReadOptions& options = {},
                     const std::string& name = "a.csv") {
  const TestFolder folder;
  return *sniff_dialect({folder.write(name, text)}, options);
}

std::string notes_of(const SniffedDialect& sniffed) {
  return fmt::format("{}", fmt::join(sniffed.notes, "\n"));
}

const RecognisedColumn* find(const SniffedDialect& sniffed, const std::string& name) {
  for (const RecognisedColumn& column : sniffed.columns) {
    if (column.name == name) {
      return &column;
    }
  }
  return nullptr;
}

/// One column of these texts beside a plain one, separated by semicolons.
SniffedDialect sniff_column(const std::vector<std::string>& texts,
                            const TableReadOptions& options = {}) {
  std::string table = "x;n\n";
  for (const std::string& text : texts) {
    table += text + ";1\n";
  }
  return sniff(table, options);
}

TEST(DialectSniffer, TheDelimiterIsTheOneThatEveryRowHasAlike) {
  EXPECT_EQ(sniff("a,b\n1,2\n").dialect.delimiter, ',');
  EXPECT_EQ(sniff("a;b\n1,5;2\n").dialect.delimiter, ';');
  EXPECT_EQ(sniff("a\tb\tc\nx, y\tz\t1\n").dialect.delimiter, '\t');
  EXPECT_EQ(sniff("a|b\n1|2").dialect.delimiter, '|');
  EXPECT_EQ(sniff("\"a;b\",c\n\"x;y;z\",1\n").dialect.delimiter, ',');
  EXPECT_EQ(sniff("\"a\nb\";c\n1;2\n").dialect.delimiter, ';');
  EXPECT_EQ(sniff("a;b;c\n1;2;3\n1;2\n").dialect.delimiter, ',') << "rows differ";
  EXPECT_EQ(sniff("a\tb\n1\t2\n", {}, "a.tsv").dialect.delimiter, '\t');
}

TEST(DialectSniffer, OnlyAnUnusualDelimiterIsSaidAndKept) {
  const SniffedDialect semicolons = sniff("a;b\n1;2\n");
  EXPECT_EQ(semicolons.dialect_of_schema().delimiter, ';');
  expect_mentions(notes_of(semicolons), {"';'", "--delimiter"});
  EXPECT_TRUE(sniff("a,b\n1,2\n").dialect_of_schema().is_plain());
  EXPECT_TRUE(sniff("a\tb\n1\t2\n", {}, "a.tsv").dialect_of_schema().is_plain());
  EXPECT_TRUE(sniff("a,b\n1,2\n").notes.empty());
}

TEST(DialectSniffer, ALineForExcelNamesTheDelimiter) {
  const TestFolder folder;
  const std::string path = folder.write("a.csv", "sep=;\r\na;b,c\r\n1,5;2\r\n2,5;3\r\n");
  const SniffedDialect sniffed = *sniff_dialect({path}, {});
  EXPECT_EQ(sniffed.dialect_of_schema().delimiter, ';');
  EXPECT_EQ(sniffed.dialect_of_schema().skip_lines, 1U);
  EXPECT_EQ(read_table({path}, sniffed.reading({})).column("a"), (Cells{"1.5", "2.5"}));
  expect_mentions(notes_of(sniffed), {"first line", "';'", "skipped"});
}

TEST(DialectSniffer, OneColumnWithASemicolonSaysWhatToDo) {
  expect_mentions(notes_of(sniff("a;b;c\n1;2;3\n1;2\n")), {"one column", "';'", "--delimiter ';'"});
  expect_mentions(notes_of(sniff("a\tb\tc\n1\t2\t3\n1\n")), {"one column", "--delimiter tab"});
}

TEST(DialectSniffer, WhatIsGivenIsKept) {
  TableReadOptions options;
  options.delimiter = ',';
  options.header = false;
  options.null_spellings = {"?"};
  options.skip_lines = 1;
  options.trim_spaces = true;
  options.encoding = TextEncoding::kLatin1;
  const Dialect dialect = sniff("title;\n1;2, 5\n?;3, 4\n", options).dialect_of_schema();
  EXPECT_EQ(dialect.delimiter, std::nullopt);
  EXPECT_FALSE(dialect.header);
  EXPECT_EQ(dialect.missing, (std::vector<std::string>{"?"}));
  EXPECT_EQ(dialect.skip_lines, 1U);
  EXPECT_TRUE(dialect.trim_spaces);
  EXPECT_EQ(dialect.encoding, TextEncoding::kLatin1);
}

TEST(DialectSniffer, AByteOrderMarkTellsTheEncoding) {
  EXPECT_EQ(sniff("\xef\xbb\xbf"
                  "a,b\n")
                .dialect.encoding,
            TextEncoding::kUtf8Bom);
  EXPECT_EQ(sniff(std::string_view("\xff\xfe"
                                   "a\0,\0b\0\n\0",
                                   10))
                .dialect.encoding,
            TextEncoding::kUtf16);
  EXPECT_EQ(sniff("a,b\n").dialect.encoding, TextEncoding::kUtf8);
}

TEST(DialectSniffer, DecimalCommasAreRecognisedBetweenSemicolons) {
  const SniffedDialect sniffed = sniff_column({"1,5", "-2,25", "3"});
  EXPECT_EQ(sniffed.dialect.decimal, ',');
  EXPECT_EQ(sniffed.dialect.thousands, "");
  EXPECT_TRUE(sniffed.columns.empty()) << "Arrow reads them";
  expect_mentions(notes_of(sniffed), {"'x'", "numeric", "decimal commas"});
}

TEST(DialectSniffer, ThousandsAreRecognised) {
  const SniffedDialect german = sniff_column({"1.234,5", "12", "1.234.567,0"});
  EXPECT_EQ(german.dialect.decimal, ',');
  EXPECT_EQ(german.dialect.thousands, ".");
  EXPECT_EQ(find(german, "x")->kind, ColumnKind::kNumeric);
  const SniffedDialect american = sniff("x,n\n\"1,234\",5\n\"12\",6\n\"2,146,000\",7\n");
  EXPECT_EQ(american.dialect.decimal, '.');
  EXPECT_EQ(american.dialect.thousands, ",");
  EXPECT_EQ(find(american, "x")->kind, ColumnKind::kInteger);
  EXPECT_EQ(sniff_column({"1\u202f234,5", "7"}).dialect.thousands, "\u202f");
  EXPECT_EQ(sniff_column({"1'234.5", "7"}).dialect.thousands, "'");
}

TEST(DialectSniffer, CommasThatCanBeEitherAreSaidAndLeft) {
  const SniffedDialect either = sniff_column({"1,234", "5,678"});
  EXPECT_EQ(either.dialect.decimal, '.');
  EXPECT_EQ(either.dialect.thousands, "");
  EXPECT_TRUE(either.columns.empty());
  expect_mentions(notes_of(either), {"'x'", "categorical", "option 'decimal'"});
  expect_hides(notes_of(either), {"1,234"});
  TableReadOptions options;
  options.decimal = ',';
  EXPECT_EQ(sniff_column({"1,234", "5,678"}, options).dialect.decimal, ',');
  options.decimal.reset();
  options.thousands = ",";
  EXPECT_EQ(find(sniff_column({"1,234", "5,678"}, options), "x")->kind, ColumnKind::kInteger);
}

TEST(DialectSniffer, SignsAreRecognised) {
  const SniffedDialect dollars = sniff("x,n\n\"$1,234.50\",5\n$7,6\n-$3,7\n");
  EXPECT_EQ(find(dollars, "x")->spelling.prefix, "$");
  EXPECT_EQ(find(dollars, "x")->kind, ColumnKind::kNumeric);
  EXPECT_EQ(dollars.dialect.thousands, ",");
  expect_mentions(notes_of(dollars), {"'x'", "currency or percent"});
  EXPECT_EQ(find(sniff_column({"45%", "7%"}), "x")->spelling.suffix, "%");
  EXPECT_EQ(find(sniff_column({"45%", "7%"}), "x")->kind, ColumnKind::kInteger);
  EXPECT_EQ(find(sniff_column({"12,5 €", "7 €"}), "x")->spelling.suffix, " €");
  EXPECT_EQ(find(sniff_column({"€ 12", "€ 7"}), "x")->spelling.prefix, "€ ");
  EXPECT_EQ(find(sniff_column({"12 kg", "7 kg"}), "x"), nullptr);
  EXPECT_EQ(find(sniff_column({"$5", "€5"}), "x"), nullptr);
  EXPECT_EQ(find(sniff_column({"$", "%"}), "x"), nullptr);
}

TEST(DialectSniffer, DatesThatAllowOneReadingAreRecognised) {
  const auto format = [](const std::vector<std::string>& texts) {
    const SniffedDialect sniffed = sniff_column(texts);
    const RecognisedColumn* column = find(sniffed, "x");
    return column == nullptr
               ? "none"
               : fmt::format("{} {}", kind_name(column->kind), column->spelling.format);
  };
  EXPECT_EQ(format({"31.12.2020", "01.02.2021"}), "date %d.%m.%Y");
  EXPECT_EQ(format({"9/14/2014", "12/1/2014"}), "date %-m/%-d/%Y");
  EXPECT_EQ(format({"14/9/2014", "1/12/2014"}), "date %-d/%-m/%Y");
  EXPECT_EQ(format({"09/14/2014 08:30", "12/01/2014 23:59"}), "datetime %m/%d/%Y %H:%M");
  EXPECT_EQ(format({"9/14/2014 8:30 PM", "12/1/2014 11:59 AM"}), "datetime %-m/%-d/%Y %-I:%M %p");
  EXPECT_EQ(format({"31.12.20", "01.02.21"}), "date %d.%m.%y");
  EXPECT_EQ(format({"04-Sep-2014", "31-Jan-2015"}), "date %d-%b-%Y");
  EXPECT_EQ(format({"2014/09/30", "2015/01/01"}), "date %Y/%m/%d");
  EXPECT_EQ(format({"31.12.2020", "12.31.2020"}), "none");
  EXPECT_EQ(format({"31.12.2020", "soon"}), "none");
  EXPECT_EQ(format({"2020-12-31", "2021-01-01"}), "none") << "ISO is Arrow's";
}

TEST(DialectSniffer, DatesThatCanBeReadInTwoWaysAreSaidAndLeft) {
  const SniffedDialect sniffed = sniff_column({"01/02/2014", "12/11/2014"});
  EXPECT_EQ(find(sniffed, "x"), nullptr);
  expect_mentions(notes_of(sniffed), {"'x'", "day first", "month first", "categorical"});
  expect_hides(notes_of(sniffed), {"2014"});
}

TEST(DialectSniffer, WordsForTrueAndFalseAreRecognised) {
  const SniffedDialect sniffed = sniff_column({"Yes", "No", "", "Yes"});
  EXPECT_EQ(find(sniffed, "x")->kind, ColumnKind::kBoolean);
  EXPECT_EQ(find(sniffed, "x")->spelling.true_words, (std::vector<std::string>{"Yes"}));
  EXPECT_EQ(find(sniffed, "x")->spelling.false_words, (std::vector<std::string>{"No"}));
  EXPECT_NE(find(sniff_column({"nein", "ja"}), "x"), nullptr);
  EXPECT_EQ(find(sniff_column({"no", "no"}), "x"), nullptr) << "one word is not enough";
  EXPECT_EQ(find(sniff_column({"yes", "no", "maybe"}), "x"), nullptr);
  EXPECT_EQ(find(sniff_column({"yes", "nein"}), "x"), nullptr);
}

TEST(DialectSniffer, MissingValuesDoNotCount) {
  TableReadOptions options;
  options.null_spellings = {"NA"};
  EXPECT_EQ(sniff_column({"1,5", "NA", ""}, options).dialect.decimal, ',');
  EXPECT_EQ(sniff_column({"1,5", "NA"}).dialect.decimal, '.');
}

TEST(DialectSniffer, DecimalPointsAmongDecimalCommasAreSaid) {
  const SniffedDialect sniffed = sniff("a;b\n1,5;2.25\n2,5;3.75\n");
  EXPECT_EQ(sniffed.dialect.decimal, ',');
  expect_mentions(notes_of(sniffed), {"'b'", "decimal points"});
}

TEST(DialectSniffer, TypedFormatsHaveNoDialect) {
  const TestFolder folder;
  EXPECT_EQ(sniff_dialect({folder.write("a.parquet", "PAR1 and more")}, {}), std::nullopt);
}

TEST(DialectSniffer, WhatWasRecognisedIsReadWithoutASchema) {
  const TestFolder folder;
  const std::string path = folder.write(
      "a.csv",
      "x;d;t;yes;n\n1.234,5;31.12.2020;1.2.2020 7:05;ja;5 %\n;;;;\n7;1.2.2003;3.4.2021 23:59;"
      "nein;10 %\n");
  const SniffedDialect sniffed = *sniff_dialect({path}, {});
  EXPECT_EQ(find(sniffed, "t"), nullptr) << "it allows two readings";
  const ReadTable table = read_table({path}, sniffed.reading({}));
  EXPECT_EQ(table.formats, (std::vector<std::string>{"g", "tdD", "u", "b", "l"}));
  EXPECT_EQ(table.column("x"), (Cells{"1234.5", std::nullopt, "7"}));
  EXPECT_EQ(table.column("d"), (Cells{"18627", std::nullopt, "12084"}));
  EXPECT_EQ(table.column("yes"), (Cells{"true", std::nullopt, "false"}));
  EXPECT_EQ(table.column("n"), (Cells{"5", std::nullopt, "10"}));
}

TEST(DialectSniffer, AFormThatEndsFurtherDownIsNamedByRecord) {
  const TestFolder folder;
  std::string text = "x;n\n";
  for (int i = 0; i < 200000; ++i) {
    text += "31.12.2020;1\n";
  }
  const std::string path = folder.write("a.csv", text + "secret;1\n");
  const std::string message = error_of(ErrorCode::kInvalidTable, [&] {
    read_table({path}, sniff_dialect({path}, {})->reading({}));
  });
  expect_mentions(message, {"'x'", "record 200001", "%d.%m.%Y"});
  expect_hides(message, {"secret"});
}

}  // namespace dialect_sniffer_test
}  // namespace mehler
