#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zip.h>

#include "mehler/table/readers/dialect_sniffer.h"
#include "mehler/table/readers/workbook_parts.h"
#include "test_tables.h"

namespace mehler {
namespace workbook_test {

using Documents = std::vector<std::pair<std::string, std::string>>;

std::string write_zip(const std::string& path, const Documents& documents) {
  int error = 0;
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &error);
  for (const auto& [name, text] : documents) {
    zip_source_t* source = zip_source_buffer(archive, text.data(), text.size(), 0);
    zip_file_add(archive, name.c_str(), source, ZIP_FL_OVERWRITE);
  }
  EXPECT_EQ(zip_close(archive), 0);
  return path;
}

/// A workbook with the sheets "Visits" and "Notes", a few texts and the cell formats 0 General,
/// 1 date, 2 date and time, 3 own date, 4 own text, 5 time of day.
Documents workbook_of(const std::string& rows, const std::string& properties = "",
                      const std::string& after_rows = "") {
  return {{"xl/workbook.xml",
           fmt::format(R"(<?xml version="1.0" encoding="UTF-8"?><workbook xmlns:r="r">{}<sheets>
          <sheet name="Visits" sheetId="1" r:id="rId7"/><sheet name="Notes" sheetId="2" r:id="rId2"/>
          </sheets></workbook>)",
                       properties)},
          {"xl/_rels/workbook.xml.rels",
           R"(<Relationships><Relationship Id="rId2" Target="/xl/worksheets/notes.xml"/>
          <Relationship Id="rId7" Target="worksheets/sheet1.xml"/></Relationships>)"},
          {"xl/sharedStrings.xml",
           R"(<sst><si><t>name</t></si><si><r><t>Kö</t></r><r><rPr/><t>ln, "x"</t></r>
          <rPh><t>reading</t></rPh></si><si><t>yes</t></si><si><t>no</t></si><si><t></t></si></sst>)"},
          {"xl/styles.xml",
           R"(<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd\.mm\.yyyy;@"/>
          <numFmt numFmtId="165" formatCode="0.0&quot; days&quot;"/></numFmts>
          <cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>
          <cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="22"/><xf numFmtId="164"/>
          <xf numFmtId="165"/><xf numFmtId="20"/></cellXfs></styleSheet>)"},
          {"xl/worksheets/sheet1.xml",
           fmt::format("<worksheet><sheetData>{}</sheetData>{}</worksheet>", rows, after_rows)},
          {"xl/worksheets/notes.xml",
           R"(<worksheet><sheetData><row><c t="inlineStr"><is><t>note</t></is></c></row>
          <row><c><v>5</v></c></row></sheetData></worksheet>)"}};
}

constexpr const char* kHeader =
    R"(<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>n</t></is></c>
       <c r="C1" t="inlineStr"><is><t>d</t></is></c></row>)";

class Workbook : public ::testing::Test {
 protected:
  std::string write(const std::string& rows, const std::string& properties = "",
                    const std::string& after_rows = "") const {
    return write_zip(folder_.path("a.xlsx"), workbook_of(kHeader + rows, properties, after_rows));
  }
  std::string complaint(const std::string& rows, const std::string& after_rows = "") const {
    return error_of(ErrorCode::kInvalidTable, [&] { read_table({write(rows, "", after_rows)}); });
  }

  TestFolder folder_;
};

TEST_F(Workbook, CellsOfEveryTypeAreRead) {
  const ReadTable table = read_table({write(
      R"(<row r="2"><c r="A2" t="s"><v>1</v></c><c r="B2"><v>0.1</v></c><c r="C2" t="b"><v>1</v></c></row>
         <row r="3"/><row r="4"><c r="A4" s="4"/><c r="B4"><v>1E+20</v></c></row>
         <row r="7"><c r="A7" t="s"><v>4</v></c><c r="C7" t="b"><v>0</v></c></row>)")});
  EXPECT_EQ(table.names, (std::vector<std::string>{"name", "n", "d"}));
  EXPECT_EQ(table.column("name"), (Cells{"Köln, \"x\"", std::nullopt, std::nullopt}));
  EXPECT_EQ(table.column("n"), (Cells{"0.1", "1e+20", std::nullopt}));
  EXPECT_EQ(table.column("d"), (Cells{"true", std::nullopt, "false"}));
}

TEST_F(Workbook, DatesAreToldByTheirNumberFormats) {
  const auto dates = [&](const std::string& cells, const std::string& properties = "") {
    return read_table({write(cells, properties)}).column("d");
  };
  const auto row = [](int number, const char* style, const char* value) {
    return fmt::format(
        R"(<row r="{0}"><c r="A{0}"><v>1</v></c><c r="C{0}" s="{1}"><v>{2}</v></c></row>)", number,
        style, value);
  };
  EXPECT_EQ(dates(row(2, "1", "44196") + row(3, "3", "59")), (Cells{"18627", "-25509"}));
  EXPECT_EQ(dates(row(2, "1", "44196"), R"(<workbookPr date1904="1"/>)"), (Cells{"20089"}));
  EXPECT_EQ(dates(row(2, "2", "44196.5")), (Cells{"1609416000000000"}));
  EXPECT_EQ(dates(row(2, "4", "44196.5") + row(3, "5", "0.25")), (Cells{"44196.5", "0.25"}));
}

TEST(WorkbookParts, FormatsShowDatesByTheirLetters) {
  for (const char* code : {"yyyy-mm-dd", "dd/mm/yy", "mmm", "[$-409]d\\-mmm\\-yy;@", "m/d/yyyy"}) {
    EXPECT_EQ(shown_by_format(code), NumberShows::kDate) << code;
  }
  for (const char* code : {"yyyy-mm-dd hh:mm", "[$-409]m/d/yy h:mm AM/PM;@"}) {
    EXPECT_EQ(shown_by_format(code), NumberShows::kDatetime) << code;
  }
  for (const char* code : {"General", "0.00", "#,##0", "h:mm", "[h]:mm:ss", "0\" days\"",
                           "[Red]0.0", "0\\d", "#,##0.00 [$€-407]", "_-* #,##0"}) {
    EXPECT_EQ(shown_by_format(code), NumberShows::kNumber) << code;
  }
}

TEST_F(Workbook, ASheetIsChosenByName) {
  const std::string path = write("");
  TableReadOptions options;
  options.sheet = "Notes";
  EXPECT_EQ(read_table({path}, options).column("note"), (Cells{"5"}));
  options.sheet = "Note";
  expect_mentions(error_of(ErrorCode::kInvalidTable, [&] { read_table({path}, options); }),
                  {"a.xlsx", "no sheet 'Note'", "Notes"});
}

TEST_F(Workbook, RowsAboveTheHeaderAreSkipped) {
  const std::string path =
      write_zip(folder_.path("a.xlsx"),
                workbook_of(R"(<row r="1"><c r="A1"><f>1+1</f><v>2</v></c></row>
                     <row r="3"><c r="A3" t="s"><v>0</v></c><c r="B3" t="s"><v>2</v></c></row>
                     <row r="4"><c r="A4"><v>1</v></c><c r="B4"><v>2</v></c></row>)",
                            "", R"(<mergeCells><mergeCell ref="A1:C2"/></mergeCells>)"));
  TableReadOptions options;
  options.skip_lines = 2;
  EXPECT_EQ(read_table({path}, options).column("yes"), (Cells{"2"}));
}

TEST_F(Workbook, ASchemaReadsItAsItReadsCsv) {
  const std::string path = write(
      R"(<row r="2"><c r="A2" t="s"><v>2</v></c><c r="B2"><v>1234.5</v></c><c r="C2" s="1"><v>44196</v></c></row>
         <row r="3"><c r="A3" t="s"><v>3</v></c><c r="B3" t="inlineStr"><is><t>NA</t></is></c>
         <c r="C3" t="inlineStr"><is><t>01.02.2003</t></is></c></row>)");
  Dialect dialect;
  dialect.delimiter = ';';
  dialect.decimal = ',';
  dialect.thousands = ".";
  dialect.missing = {"NA"};
  dialect.encoding = TextEncoding::kUtf16;
  const Schema schema =
      Schema({column_of("name", ColumnKind::kBoolean), column_of("n", ColumnKind::kNumeric),
              column_of("d", ColumnKind::kDate)})
          .in_dialect(dialect, {{"name", {.true_words = {"yes"}, .false_words = {"no"}}},
                                {"d", {.format = "%d.%m.%Y"}}});
  const ReadTable table = read_table({path}, {}, &schema);
  EXPECT_EQ(table.column("name"), (Cells{"true", "false"}));
  EXPECT_EQ(table.column("n"), (Cells{"1234.5", std::nullopt}));
  EXPECT_EQ(table.column("d"), (Cells{"18627", "12084"}));
}

TEST_F(Workbook, FormsOfTextsAreRecognised) {
  const std::string path = write(
      R"(<row r="2"><c r="A2" t="s"><v>2</v></c><c r="B2"><v>1.5</v></c></row>
         <row r="3"><c r="A3" t="s"><v>3</v></c><c r="B3"><v>2</v></c></row>)");
  const SniffedDialect sniffed = *sniff_dialect({path}, {});
  EXPECT_TRUE(sniffed.dialect_of_schema().is_plain());
  ASSERT_EQ(sniffed.columns.size(), 1U);
  EXPECT_EQ(sniffed.columns[0].kind, ColumnKind::kBoolean);
  EXPECT_EQ(read_table({path}, sniffed.reading({})).column("name"), (Cells{"true", "false"}));
}

TEST_F(Workbook, ManyRowsComeInPieces) {
  std::string rows;
  for (int i = 2; i < 30000; ++i) {
    rows += fmt::format(
        R"(<row r="{0}"><c r="A{0}"><v>{0}</v></c><c r="B{0}"><v>0.5</v></c></row>)", i);
  }
  const ReadTable table = read_table({write(rows)});
  EXPECT_EQ(table.rows(), 29998U);
  EXPECT_EQ(table.column("name").back(), "29999");
}

TEST_F(Workbook, WhatIsNotCertainIsRefusedByItsAddress) {
  const std::string formula =
      complaint(R"(<row r="2"><c r="AB2"><f>SUM(secret)</f><v>7.25</v></c></row>)");
  expect_mentions(formula, {"a.xlsx", "cell AB2", "formula", "values"});
  expect_hides(formula, {"secret", "7.25"});
  expect_mentions(complaint(R"(<row r="12"><c r="B12" t="e"><v>#N/A!</v></c></row>)"),
                  {"cell B12", "error value"});
  expect_mentions(complaint(R"(<row r="2"><c r="A2"><v>1</v></c></row>)",
                            R"(<mergeCells><mergeCell ref="A2:B3"/></mergeCells>)"),
                  {"merged cells", "A2:B3", "unmerge"});
  expect_mentions(complaint(R"(<row r="2"><c r="C2" s="1"><v>-5</v></c></row>)"),
                  {"cell C2", "date"});
  expect_mentions(complaint(R"(<row r="2"><c r="C2" t="s"><v>99</v></c></row>)"),
                  {"cell C2", "text"});
  expect_mentions(complaint(R"(<row r="2"><c r="C2"><v>secret</v></c></row>)"),
                  {"cell C2", "number"});
}

TEST_F(Workbook, DamageIsAnError) {
  const std::string whole = file_bytes(write(R"(<row r="2"><c r="A2"><v>1</v></c></row>)"));
  for (std::size_t size = 4; size < whole.size(); size += 37) {
    expect_mentions(
        error_of(ErrorCode::kInvalidTable,
                 [&] { read_table({folder_.write("cut.xlsx", whole.substr(0, size))}); }),
        {"cut.xlsx", "damaged"});
  }
  for (const Documents& documents :
       std::vector<Documents>{{{"a.txt", "x"}},
                              {{"xl/workbook.xml", "<workbook><sheets>"}},
                              {{"xl/workbook.xml", "<!DOCTYPE a [<!ENTITY b 'c'>]><workbook/>"}}}) {
    expect_mentions(error_of(ErrorCode::kInvalidTable,
                             [&] { read_table({write_zip(folder_.path("b.xlsx"), documents)}); }),
                    {"b.xlsx", "damaged"});
  }
}

TEST_F(Workbook, OptionsOfCsvAreRefusedAndASheetIsForWorkbooks) {
  const std::string path = write("");
  TableReadOptions options;
  options.delimiter = ';';
  expect_mentions(error_of(ErrorCode::kInvalidArgument, [&] { read_table({path}, options); }),
                  {"delimiter", "Excel workbook"});
  options = {};
  options.format = TableFormat::kParquet;
  expect_mentions(error_of(ErrorCode::kInvalidTable, [&] { read_table({path}, options); }),
                  {"Parquet", "Excel workbook"});
  options = {};
  options.sheet = "Notes";
  expect_mentions(error_of(ErrorCode::kInvalidArgument,
                           [&] { read_table({folder_.write("a.csv", "a\n1\n")}, options); }),
                  {"sheet", ".xlsx"});
}

}  // namespace workbook_test
}  // namespace mehler
