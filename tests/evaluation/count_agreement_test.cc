#include "mehler/evaluation/release/count_agreement.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "mehler/core/seeded_random.h"
#include "mehler/demo/people.h"
#include "mehler/evaluation/release/release_agreement.h"
#include "mehler/synthesis/marginals/release_marginals.h"
#include "tests/support/schema_of.h"
#include "tests/support/table_stream.h"

namespace mehler {
namespace count_agreement_test {

Release release_of(const Table& table, const Schema& schema, double epsilon) {
  ArrowArrayStream stream = arrow_stream_of({table});
  Accountant accountant({.epsilon = epsilon, .delta = 1e-6});
  return release_marginals(PrivateTable(&stream, schema), MarginalsOptions{}, accountant,
                           Context{});
}

Release release_of(const Table& table, double epsilon) {
  return release_of(table, people_schema(), epsilon);
}

const PartAgreement& named(const std::vector<PartAgreement>& parts, const std::string& name) {
  for (const PartAgreement& part : parts) {
    if (part.name == name) {
      return part;
    }
  }
  ADD_FAILURE() << "there is no part " << name;
  return parts.front();
}

/// Every column in an order of its own: the same counts of columns, nothing between them.
Table with_independent_columns(const Table& table, std::uint64_t seed) {
  SeededRandom random(seed);
  Table result;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    std::vector<std::size_t> order(table.rows());
    for (std::size_t i = 0; i < order.size(); ++i) {
      order[i] = i;
    }
    for (std::size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[random.next_word() % i]);
    }
    result.columns.push_back(rows_of(table, order).columns[c]);
  }
  return result;
}

TEST(CountAgreement, OfTheCountedTableItselfIsTheNoise) {
  // In units of what D independent residuals give, sqrt(1 / 2D) and sqrt(.044 / D), the root mean
  // square and the share within 2 sigma spread by 1.08 and 1.06 in 150 releases (the noise of the
  // count is shared); the ratios of total variations by .083 and .014. The limits are 7 of them:
  // failure probability below 1e-10.
  const Table table = simulate_people(3000, 1);
  const Release release = release_of(table, 1.0);
  const ReleaseAgreement found = compare_with_release(release, {part_of({table})}, Context{});
  const auto count = static_cast<double>(found.all.sums);
  ASSERT_GT(count, 1000);
  EXPECT_NEAR(found.all.root_mean_square, 1.0, 7.6 * std::sqrt(0.5 / count));
  EXPECT_NEAR(found.all.within_two, 0.9545, 7.6 * std::sqrt(0.044 / count));
  EXPECT_LT(found.all.root_mean_square_of_draws, found.all.root_mean_square);
  ASSERT_EQ(found.counts.size(), 2U);
  EXPECT_EQ(found.counts[0].columns, 1U);
  EXPECT_EQ(found.counts[0].tables, 9U);
  EXPECT_EQ(found.counts[1].columns, 2U);
  EXPECT_EQ(found.counts[1].tables, 36U);
  EXPECT_NEAR(found.counts[0].error / found.counts[0].noise, 1.0, 0.6);
  EXPECT_NEAR(found.counts[1].error / found.counts[1].noise, 1.0, 0.1);
}

TEST(CountAgreement, TellsIndependentColumnsApartInPairs) {
  // The counts of columns are the private table's own, so that their residuals are the noise again:
  // 1 with spreads of .074 and .024 (columns, values), and .082 for the total variation; pairs are
  // at 8.03, 4.62 and 4.10 with spreads below .1. Failure probability below 1e-15.
  const Table table = simulate_people(20'000, 2);
  const ReleaseAgreement found = compare_with_release(
      release_of(table, 2.0), {part_of({with_independent_columns(table, 3)})}, Context{});
  EXPECT_LT(named(found.parts, "columns").agreement.root_mean_square, 1.7);
  EXPECT_LT(named(found.parts, "values within ranges").agreement.root_mean_square, 1.3);
  EXPECT_GT(named(found.parts, "pairs of columns").agreement.root_mean_square, 5.0);
  EXPECT_GT(named(found.parts, "pairs of columns").agreement.root_mean_square_of_draws, 3.0);
  EXPECT_GT(named(found.joint, "smoker x diagnosis").agreement.root_mean_square, 20.0);
  EXPECT_LT(found.counts[0].error, 2.0 * found.counts[0].noise);
  EXPECT_GT(found.counts[1].error, 2.0 * found.counts[1].noise);
}

TEST(CountAgreement, OfDrawnRecordsIsTheSpreadOfDraws) {
  const Table table = simulate_people(20'000, 4);
  SeededRandom random(5);
  std::vector<std::size_t> drawn(20'000);
  for (std::size_t& row : drawn) {
    row = static_cast<std::size_t>(20'000 * random.uniform());
  }
  const Table sample = rows_of(table, drawn);
  const Release release = release_of(table, 50.0);
  const ReleaseAgreement found = compare_with_release(release, {part_of({sample})}, Context{});
  for (const char* part : {"columns", "values within ranges", "pairs of columns"}) {
    const NoiseAgreement& agreement = named(found.parts, part).agreement;
    EXPECT_GT(agreement.root_mean_square, 1.3) << part;
    // The draw is seeded, and the noise moves this by .014 at most.
    EXPECT_NEAR(agreement.root_mean_square_of_draws, 1.0, 0.15) << part;
    EXPECT_GT(agreement.within_two_of_draws, 0.9) << part;
  }
  EXPECT_GT(named(found.parts, "columns").agreement.root_mean_square, 5.0);
  EXPECT_GT(found.counts[0].error, 3.0 * found.counts[0].noise);
}

TEST(CountAgreement, OneNameHasAllRoundsOfATable) {
  const Table table = simulate_people(3000, 6);
  const Release release = release_of(table, 1.0);
  const ReleaseAgreement found = compare_with_release(release, {part_of({table})}, Context{});
  std::map<std::string, std::size_t> joint_sums;
  std::size_t columns = 0;
  for (const CountBlock& block : release.counts().counts.blocks()) {
    const std::size_t together = block.marginal() ? block.marginal()->columns.size() : 0;
    if (together == 2) {
      joint_sums[block.name.substr(0, block.name.find(" (round"))] += block.dimension();
    }
    columns += together == 1 ? block.dimension() : 0;
  }
  ASSERT_EQ(found.joint.size(), 36U);
  std::size_t sums = 0;
  for (const PartAgreement& pair : found.joint) {
    EXPECT_EQ(pair.agreement.sums, joint_sums.at(pair.name)) << pair.name;
    sums += pair.agreement.sums;
  }
  EXPECT_EQ(named(found.parts, "pairs of columns").agreement.sums, sums);
  EXPECT_EQ(named(found.parts, "columns").agreement.sums, columns);
  EXPECT_EQ(named(found.parts, "number of records").agreement.sums, 1U);
  EXPECT_EQ(found.columns.size(), 9U);
}

TEST(CountAgreement, DoesNotDependOnThreadsPartsOrBatches) {
  const Table table = simulate_people(2000, 7);
  const Release release = release_of(table, 1.0);
  std::vector<std::size_t> first(500);
  std::vector<std::size_t> second(1500);
  for (std::size_t i = 0; i < 2000; ++i) {
    (i < 500 ? first[i] : second[i - 500]) = i;
  }
  const ReleaseAgreement whole = compare_with_release(release, {part_of({table})}, Context{});
  const ReleaseAgreement cut = compare_with_release(
      release, {part_of({rows_of(table, second)}), part_of({rows_of(table, first)})},
      Context{3, nullptr, nullptr});
  EXPECT_EQ(whole.all.root_mean_square, cut.all.root_mean_square);
  EXPECT_EQ(whole.all.root_mean_square_of_draws, cut.all.root_mean_square_of_draws);
  EXPECT_EQ(whole.counts[1].error, cut.counts[1].error);
}

/// Many categories, a transform, missing values, a number without a grid, a constant.
Schema odd_schema() {
  std::string towns;
  for (int i = 0; i < 150; ++i) {
    towns += fmt::format("{}\"t{}\"", i > 0 ? ", " : "", i);
  }
  return schema_of(fmt::format(
      R"({{"name": "town", "kind": "categorical", "categories": [{}]}},
         {{"name": "wage", "kind": "numeric", "bounds": [0, 100000], "transform": "log", "missing": true}},
         {{"name": "age", "kind": "integer", "bounds": [0, 99]}},
         {{"name": "same", "kind": "categorical", "categories": ["only"]}})",
      towns));
}

Table odd_table(std::size_t rows, std::uint64_t seed) {
  SeededRandom random(seed);
  std::vector<std::string> town(rows);
  std::vector<double> wage(rows);
  std::vector<std::int64_t> age(rows);
  std::vector<bool> no_wage(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    const double u = random.uniform();
    town[i] = fmt::format("t{}", static_cast<int>(150 * u * u * u * u));
    wage[i] = random.uniform() < 0.3 ? 0.0 : 100'000 * random.uniform() * u;
    age[i] = static_cast<std::int64_t>(100 * random.uniform());
    no_wage[i] = random.uniform() < 0.2;
  }
  Table table;
  table.columns.push_back({"town", ColumnKind::kCategorical, town, {}});
  table.columns.push_back({"wage", ColumnKind::kNumeric, wage, no_wage});
  table.columns.push_back({"age", ColumnKind::kInteger, age, {}});
  table.columns.push_back(
      {"same", ColumnKind::kCategorical, std::vector<std::string>(rows, "only"), {}});
  return table;
}

TEST(CountAgreement, SumsAreThoseOfTheFeatures) {
  const Table table = odd_table(3000, 8);
  const Release release = release_of(table, odd_schema(), 3.0);
  const MarginalMeasurements measurements(release);
  CellTables tables(release, measurements);
  WorkerPool pool(1);
  const RecordStreamFactory open = part_of({table});
  RecordStream stream = open();
  RecordBatch batch;
  ASSERT_TRUE(stream.next(batch));
  EncodedBatch encoded;
  release.encoder().encode(release.encoder().bind(stream.schema()), stream.schema(), batch.value(),
                           encoded);
  tables.add(encoded, pool);
  bool is_grouped = false;
  for (std::size_t b = 0; b < release.counts().blocks.size(); ++b) {
    const CountBlock& block = release.counts().counts.blocks()[b];
    if (const Marginal* marginal = block.marginal()) {
      for (const CountedColumn& counted : marginal->columns) {
        is_grouped = is_grouped || !counted.cells->rare().empty();
      }
    }
    std::vector<double> features(block.dimension());
    BlockSums expected{features, features};
    for (std::size_t row = 0; row < encoded.rows; ++row) {
      block.evaluate(encoded, row, features.data());
      const std::vector<double> scales = block.noise_scales();
      for (std::size_t i = 0; i < scales.size(); ++i) {
        expected.sums[i] += features[i] * scales[i];
        expected.squares[i] += features[i] * features[i] * scales[i] * scales[i];
      }
    }
    const BlockSums found = tables.of_block(b);
    ASSERT_EQ(found.sums.size(), features.size()) << block.name;
    for (std::size_t i = 0; i < features.size(); ++i) {
      ASSERT_NEAR(found.sums[i], expected.sums[i], 1e-6) << block.name;
      ASSERT_NEAR(found.squares[i] / expected.squares[i], 1.0, 1e-9) << block.name;
    }
  }
  EXPECT_TRUE(is_grouped) << "rare categories share a cell";
  const ReleaseAgreement found = compare_with_release(release, {part_of({table})}, Context{});
  EXPECT_EQ(found.counts[0].tables, 4U);  // the constant among them, without an error
  EXPECT_EQ(found.columns.size(), 3U);
}

}  // namespace count_agreement_test
}  // namespace mehler
