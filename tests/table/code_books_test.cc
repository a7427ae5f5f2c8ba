#include "mehler/table/code_books.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "mehler/table/schema.h"
#include "tests/support/errors.h"

namespace mehler {
namespace code_books_test {

namespace fs = std::filesystem;

/// A folder of its own for each test, with a schema in it.
class CodeBooks : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) /
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }

  /// The schema whose only column has these categories.
  Schema schema_with(const std::string& categories) const {
    write(
        "schema.json",
        R"({"mehler_schema": 1, "columns": [{"name": "x", "kind": "categorical", "categories": )" +
            categories + "}]}");
    return Schema::from_file(folder_ / "schema.json");
  }

  std::vector<std::string> categories(const std::string& categories) const {
    return *schema_with(categories).columns()[0].categories;
  }

  void expect_refused(const std::string& categories,
                      std::initializer_list<const char*> words) const {
    expect_mentions(message_of(ErrorCode::kInvalidSchema, [&] { schema_with(categories); }), words);
  }

  fs::path folder_;
};

using Codes = std::vector<std::string>;

constexpr const char* kTwoColumns = R"("columns": [
    {"name": "a", "kind": "categorical", "categories": {"list": "drug"}, "other": "Down"},
    {"name": "b", "kind": "ordinal", "categories": {"list": "drug"}, "missing": true},
    {"name": "c", "kind": "categorical", "categories": {"list": "grade"}}]})";

TEST_F(CodeBooks, AListIsSharedByColumnsAndWrittenOut) {
  const Schema schema = Schema::from_json(
      std::string(R"({"mehler_schema": 1, "lists": {"drug": ["No", "Steady", "Up"],
                      "grade": [1, 2, 3]}, )") +
      kTwoColumns);
  EXPECT_EQ(schema.find("a")->categories, (Codes{"No", "Steady", "Up"}));
  EXPECT_EQ(schema.find("b")->categories, (Codes{"No", "Steady", "Up"}));
  EXPECT_EQ(schema.find("c")->type, StoredType::kInt64) << "numbers of a list stay numbers";
  EXPECT_EQ(Schema::from_json(schema.to_json()), schema);
  EXPECT_EQ(schema.to_json().find("list"), std::string::npos) << "it needs nothing beside it";
}

TEST_F(CodeBooks, AnUnknownListIsRefusedWithTheNearName) {
  const auto refused = [](const std::string& lists) {
    return message_of(ErrorCode::kInvalidSchema,
                      [&] { Schema::from_json(R"({"mehler_schema": 1, )" + lists + kTwoColumns); });
  };
  expect_mentions(refused(R"("lists": {"drugs": ["No"], "grade": [1]}, )"),
                  {"column 'a'", "the list 'drug'", "did you mean 'drugs'?"});
  expect_mentions(refused(""), {"column 'a'", "the list 'drug'", "\"lists\": {\"drug\": [...]}"});
}

TEST_F(CodeBooks, ListsThatAreNoneAreRefused) {
  for (const char* lists : {"[]", "7", "\"drug\""}) {
    expect_mentions(
        message_of(ErrorCode::kInvalidSchema,
                   [&] {
                     Schema::from_json(std::string(R"({"mehler_schema": 1, "lists": )") + lists +
                                       ", " + kTwoColumns);
                   }),
        {"the schema has lists", "not an object", "\"lists\": {"});
  }
  for (const char* list : {"7", "{}", "\"a\"", "[]"}) {
    expect_mentions(
        message_of(ErrorCode::kInvalidSchema,
                   [&] {
                     Schema::from_json(std::string(R"({"mehler_schema": 1, "lists": {"drug": )") +
                                       list + "}, " + kTwoColumns);
                   }),
        {"the list 'drug'", "no list of categories"});
  }
}

TEST_F(CodeBooks, CategoriesNameOneSource) {
  write("book.txt", "a\nb\n");
  expect_refused("{}", {"column 'x'", "{\"list\": \"NAME\"} or {\"file\": \"PATH\"}"});
  expect_refused(R"({"list": "l", "file": "book.txt"})", {"column 'x'", "must name a list or"});
  expect_refused(R"({"list": 7})", {"column 'x'", "'list'"});
  expect_refused(R"({"file": 7})", {"column 'x'", "'file'"});
  expect_refused(R"({"file": "book.txt", "column": 1})", {"column 'x'", "'column'"});
  expect_refused(R"({"file": "book.txt", "header": "yes"})", {"column 'x'", "'header'"});
  expect_refused(R"({"file": "book.txt", "colum": "a"})", {"column 'x'", "'colum'", "'column'"});
}

TEST_F(CodeBooks, ATextFileHasOneCodeALine) {
  write("book.txt",
        "\xef\xbb\xbf"
        "007\r\nSmith, John; Jr.\r\n\r\n\"quoted\"");
  EXPECT_EQ(categories(R"({"file": "book.txt"})"),
            (Codes{"007", "Smith, John; Jr.", "\"quoted\""}));
}

TEST_F(CodeBooks, TheFirstFieldsOfATableAreTheCodes) {
  write("book.csv", "001,Cholera\n\"002\",\"Typhoid, all \"\"forms\"\"\"\n\n003,\"two\nlines\"\n");
  EXPECT_EQ(categories(R"({"file": "book.csv"})"), (Codes{"001", "002", "003"}));
}

TEST_F(CodeBooks, AHeaderIsThereIfTheSchemaSaysSo) {
  write("book.csv", "text;code\nCholera;001\nTyphoid;002\n");
  EXPECT_EQ(categories(R"({"file": "book.csv"})"), (Codes{"text", "Cholera", "Typhoid"}));
  EXPECT_EQ(categories(R"({"file": "book.csv", "header": true})"), (Codes{"Cholera", "Typhoid"}));
  EXPECT_EQ(categories(R"({"file": "book.csv", "column": "code"})"), (Codes{"001", "002"}));
  expect_refused(R"({"file": "book.csv", "column": "kode"})",
                 {"'book.csv'", "no column 'kode'", "did you mean 'code'?"});
}

TEST_F(CodeBooks, CodesAreTextsUnlessATypeIsDeclared) {
  write("book.csv", "1\n2\n");
  EXPECT_EQ(schema_with(R"({"file": "book.csv"})").columns()[0].type, StoredType::kUsual);
  const Schema typed = schema_with(R"({"file": "book.csv"}, "type": "int8")");
  EXPECT_EQ(typed.columns()[0].type, StoredType::kInt8);
  EXPECT_EQ(Schema::from_json(typed.to_json()), typed);
}

TEST_F(CodeBooks, ABookWithDuplicatesIsRefusedWithBothLines) {
  write("book.csv", "a,1\n\"b\nc\",2\na,3\n");
  expect_refused(R"({"file": "book.csv"})", {"'book.csv'", "'a' twice", "lines 1 and 4"});
}

TEST_F(CodeBooks, BooksWithoutCodesAreRefused) {
  for (const char* text : {"", "\n\n", "\xef\xbb\xbf"}) {
    write("book.csv", text);
    expect_refused(R"({"file": "book.csv"})", {"'book.csv'", "no codes"});
    expect_refused(R"({"file": "book.csv", "column": "code"})", {"'book.csv'", "no codes"});
  }
  write("book.csv", "code\n");
  expect_refused(R"({"file": "book.csv", "column": "code"})", {"'book.csv'", "no codes"});
  write("book.csv", "a,1\n,2\n");
  expect_refused(R"({"file": "book.csv"})", {"'book.csv'", "line 2", "no code"});
  write("book.csv", "text,code\nx,1\ny\n");
  expect_refused(R"({"file": "book.csv", "column": "code"})", {"'book.csv'", "line 3", "no code"});
}

TEST_F(CodeBooks, BooksThatAreNoTextAreRefusedWithTheLine) {
  write("book.csv", "a\nb\xff\n");
  expect_refused(R"({"file": "book.csv"})", {"'book.csv'", "line 2", "UTF-8"});
  write("book.csv",
        "\xff\xfe"
        "a");
  expect_refused(R"({"file": "book.csv"})", {"'book.csv'", "UTF-16"});
  write("book.csv", "a\n\"b\nc\n");
  expect_refused(R"({"file": "book.csv"})", {"'book.csv'", "line 2", "quote", "not closed"});
  write("book.csv", "a\n\"b\"c\n");
  expect_refused(R"({"file": "book.csv"})", {"'book.csv'", "line 2", "closing quote"});
}

TEST_F(CodeBooks, TooManyCodesAreRefused) {
  std::string text;
  for (int i = 0; i <= 1'000'000; ++i) {
    text += std::to_string(i) + "\n";
  }
  write("book.txt", text);
  expect_refused(R"({"file": "book.txt"})", {"'book.txt'", "more than 1000000", "line 1000001"});
}

TEST_F(CodeBooks, AShortSchemaCannotAskForAllMemory) {
  std::string list = "0";
  std::string columns = R"({"name": "n", "kind": "ignored"})";
  for (int i = 1; i < 20'000; ++i) {
    list += "," + std::to_string(i);
  }
  for (int i = 0; i < 501; ++i) {
    columns += R"(,{"name": "c)" + std::to_string(i) +
               R"(", "kind": "categorical", "categories": {"list": "l"}})";
  }
  expect_mentions(message_of(ErrorCode::kInvalidSchema,
                             [&] {
                               Schema::from_json(R"({"mehler_schema": 1, "lists": {"l": [)" + list +
                                                 R"(]}, "columns": [)" + columns + "]}");
                             }),
                  {"more than 10000000 categories"});
}

TEST_F(CodeBooks, AMissingBookIsNamed) {
  expect_mentions(message_of(ErrorCode::kFile, [&] { schema_with(R"({"file": "nowhere.csv"})"); }),
                  {"the code book", "nowhere.csv", "No such file"});
  expect_mentions(message_of(ErrorCode::kFile, [&] { schema_with(R"({"file": "."})"); }),
                  {"the code book", "folder"});
}

TEST_F(CodeBooks, WithoutAFolderFilesAreRefused) {
  expect_mentions(
      message_of(ErrorCode::kInvalidSchema,
                 [] {
                   Schema::from_json(
                       R"({"mehler_schema": 1, "columns": [
                       {"name": "x", "kind": "categorical", "categories": {"file": "icd9.csv"}}]})");
                 }),
      {"column 'x'", "'icd9.csv'", "does not come from a file", "write the categories out"});
}

TEST_F(CodeBooks, AColumnThatIsSetAsideNeedsNoBook) {
  EXPECT_NO_THROW(Schema::from_json(
      R"({"mehler_schema": 1, "columns": [
      {"name": "x", "kind": "ignored", "categories": {"file": "icd9.csv"}}]})"));
}

}  // namespace code_books_test
}  // namespace mehler
