// Model files of every version that was ever shipped stay readable. The files under tests/golden
// are never rewritten.

#include <gtest/gtest.h>

#include <sstream>

#include "mehler/core/atomic_file.h"
#include "mehler/generator/fitted_table/table_generator.h"
#include "mehler/release/checked_file.h"
#include "tests/support/sampled_table.h"

namespace mehler {
namespace golden_model_test {

TEST(GoldenModel, Version1WithoutAKindIsANetwork) {
  // Of the golden release; two hidden layers of 4 and 3, two noise inputs.
  const std::string path = std::string(MEHLER_GOLDEN) + "/people-1.mehler";
  const CheckedFile old = parse_checked_file(read_whole_file(path, "the model", 1 << 20),
                                             CheckedFileKind::kModel, 1, path);
  ASSERT_EQ(old.header.find("\"model\""), std::string::npos);
  const std::unique_ptr<Generator> generator = Generator::from_file(path);
  EXPECT_EQ(generator->release().statement().budget.epsilon, 1.0);
  EXPECT_EQ(generator->release().schema().target(), "diagnosis");
  std::size_t rows = 0;
  generator->sample({.rows = 100, .seed = 1, .where = {{"diagnosis", "treat"}}}, Context{},
                    [&](const Table& table) { rows += table.rows(); });
  EXPECT_EQ(rows, 100u);
  // Every number of the network is kept; what is written now says its kind.
  constexpr std::size_t kReleaseBytes = 4112;
  const CheckedFile now =
      parse_checked_file(generator->to_bytes(), CheckedFileKind::kModel, Generator::kVersion, "m");
  EXPECT_EQ(now.payload.substr(generator->release().to_bytes().size()),
            old.payload.substr(kReleaseBytes));
  EXPECT_NE(now.header.find("\"model\":\"network\""), std::string::npos);
}

std::string golden(const std::string& name) { return std::string(MEHLER_GOLDEN) + "/" + name; }

/// The fields of a CSV file without quotes, line by line, its header first.
std::vector<std::vector<std::string>> fields_of(const std::string& path) {
  std::istringstream text(read_whole_file(path, "the table", 1 << 20));
  std::vector<std::vector<std::string>> lines;
  for (std::string line; std::getline(text, line);) {
    lines.emplace_back();
    std::istringstream fields(line + ",");
    for (std::string field; std::getline(fields, field, ',');) {
      lines.back().push_back(field);
    }
  }
  return lines;
}

/// Whether a record's value is what a field says: nothing where it is missing.
bool is_value(const TableColumn& column, const Column& declared, std::size_t row,
              const std::string& field) {
  if (field.empty() || is_missing(column, row)) {
    return field.empty() && is_missing(column, row);
  }
  if (const auto* texts = std::get_if<std::vector<std::string>>(&column.values)) {
    return (*texts)[row] == field;
  }
  const auto* numbers = std::get_if<std::vector<double>>(&column.values);
  const double value =
      numbers != nullptr
          ? (*numbers)[row]
          : static_cast<double>(std::get<std::vector<std::int64_t>>(column.values)[row]);
  return declared.parse_value(field) == value;
}

TEST(GoldenModel, FittedTableGivesTheRecordsThatItGave) {
  const std::unique_ptr<Generator> generator = Generator::from_file(golden("counts-1.mehler"));
  const auto lines = fields_of(golden("counts-1.csv"));
  ASSERT_EQ(lines.size(), 1u + 114u);
  const Table table = sample(*generator, {.rows = 114, .seed = 1, .where = {}});
  ASSERT_EQ(table.rows(), 114u);
  ASSERT_EQ(table.columns.size(), 4u);
  std::size_t missing = 0;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const TableColumn& column = table.columns[c];
    EXPECT_EQ(column.name, lines[0][c]);
    const Column& declared = *generator->release().schema().find(column.name);
    for (std::size_t row = 0; row < table.rows(); ++row) {
      EXPECT_TRUE(is_value(column, declared, row, lines[row + 1][c]))
          << column.name << " of row " << row << " is no more " << lines[row + 1][c];
      missing += is_missing(column, row) ? 1 : 0;
    }
  }
  EXPECT_GT(missing, 0u);
}

TEST(GoldenModel, FittedTableDrawsOtherRecordsOfItsSchema) {
  const std::unique_ptr<Generator> generator = Generator::from_file(golden("counts-1.mehler"));
  const Schema& schema = generator->release().schema();
  for (const SampleOptions& options : {SampleOptions{40, 3, {}}, SampleOptions{500, 3, {}},
                                       SampleOptions{60, 3, {{"ward", "south"}}}}) {
    const Table table = sample(*generator, options);
    for (const TableColumn& column : table.columns) {
      ASSERT_EQ(column.rows(), options.rows);
      EXPECT_EQ(count_foreign_values(column, *schema.find(column.name)), 0u) << column.name;
    }
  }
}

TEST(GoldenModel, FittedTableHoldsTheGoldenRelease) {
  const std::unique_ptr<Generator> generator = Generator::from_file(golden("counts-1.mehler"));
  const Release release = Release::from_file(golden("counts-1.release"));
  EXPECT_EQ(generator->release().to_bytes(), release.to_bytes());
  EXPECT_EQ(generator->release().statement().budget.epsilon, 5.0);
  // Every number of the model is kept.
  const CheckedFile old = parse_checked_file(
      read_whole_file(golden("counts-1.mehler"), "m", 1 << 20), CheckedFileKind::kModel, 1, "m");
  const CheckedFile now =
      parse_checked_file(generator->to_bytes(), CheckedFileKind::kModel, Generator::kVersion, "m");
  const std::size_t inside =
      read_whole_file(golden("counts-1.release"), "the release", 1 << 20).size();
  EXPECT_EQ(now.payload.substr(release.to_bytes().size()), old.payload.substr(inside));
}

TEST(GoldenModel, HoldsAReleaseOfVersion2) {
  const std::unique_ptr<Generator> generator = Generator::from_file(golden("counts-2.mehler"));
  EXPECT_EQ(generator->release().to_bytes(),
            Release::from_file(golden("counts-2.release")).to_bytes());
  EXPECT_EQ(generator->sample(50).rows(), 50u);
}

TEST(GoldenModel, OfMomentsIsItsRelease) {
  const std::unique_ptr<Generator> generator = Generator::from_file(golden("wide-2.mehler"));
  EXPECT_EQ(generator->release().to_bytes(),
            Release::from_file(golden("wide-2.release")).to_bytes());
  EXPECT_EQ(generator->sample(100).rows(), 100U);
  const CheckedFile now =
      parse_checked_file(generator->to_bytes(), CheckedFileKind::kModel, Generator::kVersion, "m");
  EXPECT_NE(now.header.find("\"model\":\"moments\""), std::string::npos);
}

}  // namespace golden_model_test
}  // namespace mehler
