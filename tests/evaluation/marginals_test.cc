#include "mehler/evaluation/tables/marginals.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "mehler/core/seeded_random.h"
#include "mehler/demo/people.h"
#include "mehler/evaluation/tables/cell_counts.h"
#include "tests/support/errors.h"
#include "tests/support/table_stream.h"

namespace mehler {
namespace marginals_test {

/// Codes drawn at random: `codes` per column, the later ones rarer.
CodedTable random_table(std::size_t rows, const std::vector<std::size_t>& codes,
                        std::uint64_t seed) {
  SeededRandom random(seed);
  CodedTable table;
  table.rows = rows;
  for (const std::size_t count : codes) {
    CodedColumn column;
    for (std::size_t row = 0; row < rows; ++row) {
      const double u = random.uniform();
      column.codes.push_back(static_cast<std::uint16_t>(static_cast<double>(count) * u * u));
    }
    table.columns.push_back(std::move(column));
  }
  return table;
}

/// The definition, with a map from cells to shares.
double reference_distance(const CodedTable& a, const CodedTable& b,
                          const std::vector<std::size_t>& columns) {
  std::map<std::vector<std::uint16_t>, double> shares;
  const auto add = [&](const CodedTable& table, double sign) {
    for (std::size_t row = 0; row < table.rows; ++row) {
      std::vector<std::uint16_t> cell;
      for (const std::size_t column : columns) {
        cell.push_back(table.columns[column].codes[row]);
      }
      shares[cell] += sign / static_cast<double>(table.rows);
    }
  };
  add(a, 1.0);
  add(b, -1.0);
  double sum = 0.0;
  for (const auto& [cell, share] : shares) {
    sum += std::fabs(share);
  }
  return sum / 2.0;
}

TEST(Marginals, AreWhatTheirDefinitionSays) {
  const std::vector<std::size_t> codes = {2, 7, 3, 30, 5};
  const CodedTable a = random_table(700, codes, 1);
  const CodedTable b = random_table(450, codes, 2);
  for (std::size_t ways = 1; ways <= codes.size(); ++ways) {
    const MarginalDistances found = compare_marginals(a, b, {ways, 1000, 1}, Context{});
    EXPECT_EQ(found.subsets.size(), count_subsets(codes.size(), ways));
    EXPECT_FALSE(found.is_sample());
    double mean = 0.0;
    for (const SubsetDistance& subset : found.subsets) {
      const double expected = reference_distance(a, b, subset.columns);
      EXPECT_NEAR(subset.total_variation, expected, 1e-12);
      mean += expected / static_cast<double>(found.subsets.size());
    }
    EXPECT_NEAR(found.mean, mean, 1e-12);
    EXPECT_NEAR(found.nist_score(), 1000 * (1 - mean), 1e-9);
  }
}

TEST(Marginals, AreTheSameWhereCellsAreHashed) {
  // 1000^2 prefixes and 10^9 cells of three columns: far more than an array would hold.
  const std::vector<std::size_t> codes = {1000, 1000, 1000, 1000};
  const CodedTable a = random_table(3000, codes, 3);
  const CodedTable b = random_table(2000, codes, 4);
  for (const std::size_t ways : {2, 3, 4}) {
    for (const SubsetDistance& subset :
         compare_marginals(a, b, {ways, 1000, 1}, Context{}).subsets) {
      EXPECT_NEAR(subset.total_variation, reference_distance(a, b, subset.columns), 1e-12);
    }
  }
}

TEST(Marginals, AreTheSameWhereColumnsAreCountedTogether) {
  // Few codes and many records: neighbouring columns are counted as one. 60 is in no bundle.
  const std::vector<std::size_t> codes = {2, 3, 2, 60, 2, 2, 4, 1, 5};
  const CodedTable a = random_table(4000, codes, 11);
  const CodedTable b = random_table(3000, codes, 12);
  const JoinedTables tables(a, b);
  ASSERT_NE(tables.bundle_of(0), nullptr);
  EXPECT_EQ(tables.bundle_of(0), tables.bundle_of(2));
  EXPECT_EQ(tables.bundle_of(3), nullptr);
  for (const std::size_t ways : {1, 2, 3, 4}) {
    for (const SubsetDistance& subset :
         compare_marginals(a, b, {ways, 1000, 1}, Context{}).subsets) {
      EXPECT_NEAR(subset.total_variation, reference_distance(a, b, subset.columns), 1e-12);
    }
  }
}

TEST(Marginals, AreZeroForEqualTablesAndOneForDisjointOnes) {
  const CodedTable a = random_table(500, {4, 5, 6}, 5);
  CodedTable b = a;
  EXPECT_EQ(compare_marginals(a, b, {3, 10, 1}, Context{}).mean, 0.0);
  for (std::uint16_t& code : b.columns[1].codes) {
    code = static_cast<std::uint16_t>(code + 100);
  }
  const MarginalDistances one_way = compare_marginals(a, b, {1, 10, 1}, Context{});
  EXPECT_EQ(one_way.subsets[0].total_variation, 0.0);
  EXPECT_EQ(one_way.subsets[1].total_variation, 1.0);
  EXPECT_EQ(compare_marginals(a, b, {3, 10, 1}, Context{}).nist_score(), 0.0);
}

TEST(Marginals, AreTheSameForAnyNumberOfThreads) {
  const std::vector<std::size_t> codes = {9, 8, 7, 6, 5, 400, 300};
  const CodedTable a = random_table(900, codes, 6);
  const CodedTable b = random_table(901, codes, 7);
  const MarginalDistances one = compare_marginals(a, b, {3, 1000, 1}, Context{});
  for (const std::size_t threads : {2, 5}) {
    EXPECT_EQ(one.mean,
              compare_marginals(a, b, {3, 1000, 1}, Context{threads, nullptr, nullptr}).mean);
  }
}

TEST(Marginals, OfASampleSaySoAndComeNearTheMeanOfAll) {
  const std::vector<std::size_t> codes = {2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  const CodedTable a = random_table(400, codes, 8);
  const CodedTable b = random_table(400, codes, 9);
  const MarginalDistances all = compare_marginals(a, b, {3, 120, 1}, Context{});
  EXPECT_FALSE(all.is_sample());
  EXPECT_EQ(all.standard_error, 0.0);
  for (const std::size_t drawn : {30, 100}) {  // both ways of drawing
    const MarginalDistances some = compare_marginals(a, b, {3, drawn, 1}, Context{});
    EXPECT_TRUE(some.is_sample());
    EXPECT_EQ(some.all_subsets, 120U);
    EXPECT_EQ(some.subsets.size(), drawn);
    EXPECT_GT(some.standard_error, 0.0);
    EXPECT_NEAR(some.mean, all.mean, 5 * some.standard_error);  // seeded: no chance to fail
    EXPECT_NE(some.mean, compare_marginals(a, b, {3, drawn, 2}, Context{}).mean);
  }
}

TEST(ChooseSubsets, DrawsEachAboutEquallyOften) {
  // 20 subsets of 3 out of 6; 4 drawn in each of 2000 rounds, so each is expected 400 times with a
  // standard deviation of 18.
  std::map<std::vector<std::size_t>, int> seen;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const auto subsets = choose_subsets(6, {3, 4, seed});
    EXPECT_EQ(std::set(subsets.begin(), subsets.end()).size(), 4U);
    for (const auto& subset : subsets) {
      ++seen[subset];
    }
  }
  EXPECT_EQ(seen.size(), 20U);
  for (const auto& [subset, times] : seen) {
    EXPECT_NEAR(times, 400, 6 * 18);
  }
}

TEST(ChooseSubsets, CountsWithoutOverflow) {
  EXPECT_EQ(count_subsets(15, 4), 1365U);
  EXPECT_EQ(count_subsets(5, 5), 1U);
  EXPECT_EQ(count_subsets(618, 3), 39'147'416U);
  EXPECT_EQ(count_subsets(1000, 500), UINT64_MAX);
}

TEST(Marginals, RefuseWhatCannotBeCompared) {
  const CodedTable a = random_table(10, {2, 2}, 10);
  expect_mentions(message_of(ErrorCode::kInvalidArgument,
                             [&] {
                               compare_marginals(a, a, {3, 10, 1}, Context{});
                             }),
                  {"3-way", "2 columns", "from 1 to 2"});
  message_of(ErrorCode::kInvalidArgument, [&] { compare_marginals(a, a, {0, 10, 1}, Context{}); });
  message_of(ErrorCode::kInvalidArgument, [&] { compare_marginals(a, a, {1, 0, 1}, Context{}); });
  const std::atomic<bool> cancelled{true};
  message_of(ErrorCode::kCancelled, [&] {
    compare_marginals(a, a, {1, 10, 1}, Context{1, nullptr, &cancelled});
  });
}

}  // namespace marginals_test
}  // namespace mehler
