// Tables of more records than are fitted.

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "mehler/generator/fitted_table/table_generator.h"
#include "mehler/release/checked_file.h"
#include "mehler/synthesis/marginals/release_marginals.h"
#include "mehler/table/table_stream.h"
#include "tests/support/counted_table.h"
#include "tests/support/errors.h"
#include "tests/support/sampled_table.h"

namespace mehler {
namespace large_table_test {

constexpr std::size_t kBatch = 60'000;
constexpr std::size_t kBatches = 5;
constexpr std::size_t kRecords = kBatch * kBatches;
static_assert(kRecords > FitSize::kAllRows);

/// Records of three columns: the second follows from the first for most of them, code 4 of the
/// third has one record in 15,000, and never that with code 0 of the first.
std::vector<std::int64_t> record(std::size_t row) {
  const auto first = static_cast<std::int64_t>(row * row % 3);
  const auto second = row % 10 < 8 ? 2 * first : static_cast<std::int64_t>(row / 7 % 6);
  const auto third = static_cast<std::int64_t>(row % 11 % 4);
  return row % 15'000 == 1 ? std::vector<std::int64_t>{1, second, 4}
                           : std::vector<std::int64_t>{first, second, third};
}

const TableGenerator& large_generator() {
  static const TableGenerator generator = [] {
    const Schema schema = schema_of_categories(
        {3, 6, 5}, R"("relation": "replace-one", "never": [{"c0": "0", "c2": "4"}], )");
    std::vector<std::vector<std::int64_t>> rows;
    for (std::size_t row = 0; row < kBatch; ++row) {
      rows.push_back(record(row));
    }
    ArrowArrayStream stream = arrow_stream_of(std::vector<Table>(kBatches, table_of(schema, rows)));
    Accountant accountant({5.0, 1e-7});
    return TableGenerator(
        release_marginals(PrivateTable(&stream, schema), {}, accountant, Context{}),
        TableFitOptions{}, Context{});
  }();
  return generator;
}

/// As many records as the release counts.
const Table& whole_sample() {
  static const Table table = sample(large_generator(), {.rows = kRecords});
  return table;
}

/// How many records of a sample have each combination of codes.
using Counts = std::map<std::vector<std::string>, std::size_t>;
Counts count(const Table& table) {
  Counts counts;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    std::vector<std::string> values;
    for (const TableColumn& column : table.columns) {
      values.push_back(std::get<std::vector<std::string>>(column.values)[row]);
    }
    ++counts[values];
  }
  return counts;
}

void expect_equal(const Table& one, const Table& other) {
  ASSERT_EQ(one.columns.size(), other.columns.size());
  for (std::size_t c = 0; c < one.columns.size(); ++c) {
    EXPECT_TRUE(one.columns[c].values == other.columns[c].values) << c;
  }
}

TEST(LargeTable, FitsFewerRowsThanThereAreRecords) {
  const TableFit& fit = large_generator().fit();
  EXPECT_EQ(fit.polished.rows, FitSize::kRows);
  EXPECT_EQ(fit.chain.rows, FitSize::kRows);
  EXPECT_GE(fit.averaged_sweeps, FitSize::kFewestSweeps);
  EXPECT_FALSE(fit.slow_mixing);
}

TEST(LargeTable, ASampleOfAllRecordsHasTheirCounts) {
  const Table& table = whole_sample();
  ASSERT_EQ(table.rows(), kRecords);
  Counts truth;
  for (std::size_t row = 0; row < kBatch; ++row) {
    std::vector<std::string> values;
    for (const std::int64_t code : record(row)) {
      values.push_back(std::to_string(code));
    }
    truth[values] += kBatches;
  }
  // Half the L1 distance of each pair of columns.
  for (const auto& [a, b] : {std::pair{0, 1}, std::pair{0, 2}, std::pair{1, 2}}) {
    std::map<std::pair<std::string, std::string>, double> difference;
    for (const auto& [values, number] : count(table)) {
      difference[{values[a], values[b]}] += static_cast<double>(number) / kRecords;
    }
    for (const auto& [values, number] : truth) {
      difference[{values[a], values[b]}] -= static_cast<double>(number) / kRecords;
    }
    double distance = 0.0;
    for (const auto& [cell, part] : difference) {
      distance += 0.5 * std::abs(part);
    }
    // Records drawn again would be about .4 sqrt(cells / records) away: .003 to .004.
    EXPECT_LT(distance, 0.003) << a << b;
  }
}

TEST(LargeTable, NoRecordHasACombinationThatNeverOccurs) {
  for (const auto& [values, number] : count(whole_sample())) {
    EXPECT_FALSE(values[0] == "0" && values[2] == "4") << number;
  }
}

TEST(LargeTable, SamplesOfAnySizeAreThoseOfTheirSeedWhateverTheThreads) {
  expect_equal(whole_sample(), sample(large_generator(), {.rows = kRecords}, 3));
  for (const std::uint64_t rows : {std::uint64_t{1000}, std::uint64_t{FitSize::kRows + 1}}) {
    const Table one = sample(large_generator(), {.rows = rows, .seed = 3}, 1);
    EXPECT_EQ(one.rows(), rows);
    expect_equal(one, sample(large_generator(), {.rows = rows, .seed = 3}, 3));
  }
}

TEST(LargeTable, ComesBackFromItsBytesWithItsPotentials) {
  const std::string bytes = large_generator().to_bytes();
  // Two tables of codes of two bytes, and little else.
  EXPECT_LT(bytes.size(), 4 * FitSize::kRows * 3 + 20'000);
  const std::unique_ptr<Generator> back = Generator::from_bytes(bytes, "m");
  EXPECT_EQ(back->to_bytes(), bytes);
  bool has_waited = false;
  Table drawn;
  back->sample({.rows = kRecords},
               Context{2, [&](const Progress& now) { has_waited |= now.rows == 0; }, {}},
               [&](const Table& table) { drawn.append(table); });
  EXPECT_FALSE(has_waited);
  expect_equal(drawn, whole_sample());
}

TEST(LargeTable, AFileOfMoreRowsThanTheReleaseCountsIsRefused) {
  CheckedFile file = parse_checked_file(large_generator().to_bytes(), CheckedFileKind::kModel,
                                        Generator::kVersion, "m");
  const std::string rows = "\"rows\":" + std::to_string(FitSize::kRows);
  ASSERT_NE(file.header.find(rows), std::string::npos);
  for (const std::string other : {"\"rows\":300001", "\"rows\":0", "\"rows\":131071"}) {
    CheckedFile changed = file;
    changed.header.replace(changed.header.find(rows), rows.size(), other);
    const std::string made =
        serialize_checked_file(CheckedFileKind::kModel, Generator::kVersion, changed);
    expect_mentions(
        message_of(ErrorCode::kInvalidRelease, [&] { Generator::from_bytes(made, "m"); }),
        {"another size"});
  }
}

TEST(LargeTable, MeetsConditionsBeyondTheFittedRows) {
  // Of 100,000 records or so 43,700 are among the fitted rows; the others are drawn.
  const Table many = sample(large_generator(), {.rows = 100'000, .where = {{"c0", "2"}}}, 2);
  ASSERT_EQ(many.rows(), 100'000U);
  for (const auto& [values, number] : count(many)) {
    EXPECT_EQ(values[0], "2") << number;
  }
  // Of this one the fitted rows have about nine.
  const Table rare = sample(large_generator(), {.rows = 500, .where = {{"c2", "4"}}});
  ASSERT_EQ(rare.rows(), 500U);
  for (const auto& [values, number] : count(rare)) {
    EXPECT_EQ(values[2], "4");
    EXPECT_NE(values[0], "0") << number;
  }
}

}  // namespace large_table_test
}  // namespace mehler
