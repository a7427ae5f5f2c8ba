// The guarantee of the default method as a whole, through the code that is shipped: every number
// that leaves it has the noise that is stated, no test between neighbouring tables beats (epsilon,
// delta), and what is measured follows from what was released before.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "mehler/estimation/marginal_estimates.h"
#include "mehler/synthesis/marginals/joint_cells.h"
#include "mehler/synthesis/marginals/release_marginals.h"
#include "tests/support/counted_table.h"
#include "tests/support/distinguisher.h"
#include "tests/support/private_counter_test_peer.h"

namespace mehler {
namespace default_method_privacy_test {

using Rows = std::vector<std::vector<std::int64_t>>;

/// A number that is halved within its ranges, two categories, and who it is of.
Schema small_schema(const std::string& head) {
  return Schema::from_json(R"({"mehler_schema": 1, )" + head + R"("columns": [
      {"name": "x", "kind": "integer", "bounds": [0, 63]},
      {"name": "c", "kind": "categorical", "categories": ["0", "1", "2"]},
      {"name": "t", "kind": "categorical", "categories": ["0", "1"]}]})");
}

Rows forty_records() {
  Rows rows;
  for (std::int64_t i = 0; i < 40; ++i) {
    rows.push_back({21, i % 3, i % 2});
  }
  return rows;
}

Release release_of(const Schema& schema, const Table& table, PrivacyBudget budget) {
  MarginalsOptions options;
  options.triples = Triples::kAlways;
  Accountant accountant(budget);
  return release_marginals(PrivateTable({part_of({table})}, schema), options, accountant,
                           Context{});
}

/// The exact sums of a release's blocks over a table, those of records that are used.
std::vector<std::vector<std::int64_t>> exact_sums(const Schema& schema, const Table& table,
                                                  const Release& release) {
  const Encoder encoder(schema);
  PrivateCounter codes(PrivateTable({part_of({table})}, schema), encoder, Context{});
  return PrivateCounterTestPeer::sums(codes, release.counts().counts.blocks());
}

/// Calls work(block, sigma in steps of the grid, place) for every released number.
void for_numbers(const Release& release, const auto& work) {
  for (std::size_t b = 0; b < release.counts().blocks.size(); ++b) {
    const CountBlock& block = release.counts().counts.blocks()[b];
    const std::vector<double> scales = block.noise_scales();
    for (std::size_t i = 0; i < scales.size(); ++i) {
      work(b, std::ldexp(release.statement().noise_of(b).sigma * scales[i], block.grid_exponent()),
           i);
    }
  }
}

/// "(round 1)", "(first look)" ...: what a block's name says of the step that measured it.
std::string step_of(const std::string& name) {
  const std::size_t place = name.find(" (");
  return place == std::string::npos ? name : name.substr(place + 1);
}

TEST(DefaultMethod, AddsTheStatedNoiseToEveryNumberOfEveryStep) {
  const Schema schema = small_schema(R"("target": "t", )");
  const Table table = table_of(schema, forty_records());
  struct Sum {
    double squares = 0.0;
    double count = 0.0;
  };
  std::map<std::string, Sum> steps;
  std::size_t exact = 0;
  for (int run = 0; run < 1200; ++run) {
    const Release release = release_of(schema, table, {5.0, 1e-3});
    const auto sums = exact_sums(schema, table, release);
    std::vector<bool> is_noisy(sums.size(), false);
    for_numbers(release, [&](std::size_t b, double sigma, std::size_t i) {
      const std::int64_t noise = release.counts().blocks[b].grid_sums[i] - sums[b][i];
      const double z = static_cast<double>(noise) / sigma;
      Sum& step = steps[step_of(release.counts().counts.blocks()[b].name)];
      step.squares += z * z;
      step.count += 1.0;
      is_noisy[b] = is_noisy[b] || noise != 0;
    });
    exact += static_cast<std::size_t>(std::count(is_noisy.begin(), is_noisy.end(), false));
  }
  // About 1200 releases of 20 blocks; noise of hundreds of steps of the grid is 0 in a block of one
  // number once in some hundred times.
  EXPECT_LT(exact, 600U) << "blocks without any noise";
  // Noisy results decide whether there is a first look: in most releases there is none, and in 400
  // it has about 300 numbers.
  for (const char* step : {"count", "(round 1)", "(values, level 1)", "(values, level 2)",
                           "(first look)", "(round 2)"}) {
    ASSERT_GE(steps[step].count, 300.0) << step;
  }
  for (const auto& [step, sum] : steps) {
    // The mean square of n standard normal numbers is 1 with a standard deviation of sqrt(2 / n):
    // seven of them are exceeded with a probability below 1e-10.
    EXPECT_NEAR(sum.squares / sum.count, 1.0, 7.0 * std::sqrt(2.0 / sum.count)) << step;
  }
}

/// Releases of a table with and without what a guarantee hides, and what an attacker gains by them.
double gain_of(const Schema& schema, const Table& with_mine, const Table& without,
               PrivacyBudget budget, int runs) {
  const auto ratios = [&](const Table& table) {
    std::vector<double> result;
    for (int run = 0; run < runs; ++run) {
      const Release release = release_of(schema, table, budget);
      // Later rounds follow from earlier results, so that the ratio is the product over all blocks.
      const auto mine = exact_sums(schema, with_mine, release);
      const auto other = exact_sums(schema, without, release);
      double sum = 0.0;
      for_numbers(release, [&](std::size_t b, double sigma, std::size_t i) {
        sum += log_ratio(static_cast<double>(release.counts().blocks[b].grid_sums[i]),
                         static_cast<double>(mine[b][i]), static_cast<double>(other[b][i]), sigma);
      });
      result.push_back(sum);
    }
    return result;
  };
  return gain_of_distinguisher(ratios(with_mine), ratios(without), budget.epsilon);
}

// With delta = .1 the two probabilities are .26 and .06, so the standard error over half of 8,000
// runs is sqrt(.26 .74 + e^2 .06 .94) / sqrt(4,000) = .0124; six of them: a failure probability of
// 2e-9. Half the noise would gain .45.
constexpr PrivacyBudget kBudget{1.0, 0.1};
constexpr int kRuns = 8000;
constexpr double kTolerance = 6 * 0.0124;

TEST(DefaultMethod, SurvivesTheOptimalDistinguisherOfOneRecord) {
  const Schema schema = small_schema("");
  Rows rows = forty_records();
  const Table without = table_of(schema, rows);
  rows.push_back({21, 2, 1});
  const double gained = gain_of(schema, table_of(schema, rows), without, kBudget, kRuns);
  EXPECT_LT(gained, kBudget.delta + kTolerance);
  // Every record moves counts by what they are charged for; halves of ranges alone may be of
  // others.
  EXPECT_GT(gained, kBudget.delta - kTolerance) << "far more noise than was asked for";
}

TEST(DefaultMethod, SurvivesTheOptimalDistinguisherOfAnExchangedRecord) {
  const Schema schema = small_schema(R"("relation": "replace-one", )");
  Rows rows = forty_records();
  rows.push_back({21, 2, 1});
  const Table mine = table_of(schema, rows);
  rows.back() = {60, 0, 0};
  const double gained = gain_of(schema, mine, table_of(schema, rows), kBudget, kRuns);
  EXPECT_LT(gained, kBudget.delta + kTolerance);
  EXPECT_GT(gained, 0.0);
}

TEST(DefaultMethod, SurvivesTheOptimalDistinguisherOfAllRecordsOfOnePerson) {
  // Of whom more records come than are used: two of five.
  const Schema schema = Schema::from_json(R"({"mehler_schema": 1,
      "privacy_unit": {"column": "id", "max_rows": 2}, "columns": [
      {"name": "id", "kind": "identifier"},
      {"name": "c", "kind": "categorical", "categories": ["0", "1", "2"]},
      {"name": "t", "kind": "categorical", "categories": ["0", "1"]}]})");
  std::vector<std::string> ids;
  std::vector<std::string> c;
  std::vector<std::string> t;
  const auto table = [&] {
    Table made;
    made.columns.push_back({"id", ColumnKind::kCategorical, ids, {}});
    made.columns.push_back({"c", ColumnKind::kCategorical, c, {}});
    made.columns.push_back({"t", ColumnKind::kCategorical, t, {}});
    return made;
  };
  const auto add = [&](const std::string& id, int category, int class_) {
    ids.push_back(id);
    c.push_back(std::to_string(category));
    t.push_back(std::to_string(class_));
  };
  for (int i = 0; i < 40; ++i) {
    add("person " + std::to_string(i), i % 3, i % 2);
  }
  const Table without = table();
  for (int i = 0; i < 5; ++i) {
    add("mine", 2, 1);
  }
  const double gained = gain_of(schema, table(), without, kBudget, kRuns);
  EXPECT_LT(gained, kBudget.delta + kTolerance);
  EXPECT_GT(gained, kBudget.delta - kTolerance) << "far more noise than was asked for";
}

TEST(DefaultMethod, ChoosesWhatItMeasuresByWhatWasReleasedBefore) {
  // A number whose ranges are halved, and 150 categories of which many are rare: which ranges and
  // which categories must follow from the release's own earlier numbers.
  std::string labels;
  for (int i = 0; i < 150; ++i) {
    labels += (i > 0 ? ", \"" : "\"") + std::to_string(i) + "\"";
  }
  const Schema schema = Schema::from_json(R"({"mehler_schema": 1, "columns": [
      {"name": "x", "kind": "integer", "bounds": [0, 1023]},
      {"name": "c", "kind": "categorical", "categories": [)" +
                                          labels + R"(]},
      {"name": "t", "kind": "categorical", "categories": ["0", "1"]}]})");
  Rows rows;
  for (std::int64_t i = 0; i < 20'000; ++i) {
    rows.push_back({(i * i) % 700, (i * i) % 97 + (i % 50 == 0 ? 50 : 0), i % 2});
  }
  Accountant accountant({1.0, 1e-6});
  const Release release = release_marginals(
      PrivateTable({part_of({table_of(schema, rows)})}, schema), {}, accountant, Context{});
  const auto spend = std::find_if(
      accountant.ledger().begin(), accountant.ledger().end(),
      [](const PrivacySpend& line) { return line.what == "counts of pairs, round 1"; });
  ASSERT_NE(spend, accountant.ledger().end());
  MarginalMeasurements before(release.encoder());
  std::size_t levels = 0;
  std::size_t pairs = 0;
  for (std::size_t b = 0; b < release.counts().blocks.size(); ++b) {
    const CountBlock& block = release.counts().counts.blocks()[b];
    const double sigma = release.statement().noise_of(b).sigma;
    if (const auto* ranges = std::get_if<HalvedRanges>(&block.counted)) {
      ++levels;
      EXPECT_EQ(*ranges->halves,
                estimate_columns(before)[ranges->column].values->next_splits(sigma));
    } else if (block.marginal() && block.marginal()->columns.size() == 2 && pairs == 0) {
      const std::vector<ColumnPair> all = {{0, 1}, {0, 2}, {1, 2}};
      const auto cells = choose_joint_cells(
          estimate_columns(before), all,
          {.rows = before.rows(), .sigma = 1.0 / std::sqrt(spend->mu_squared() / 3.0)});
      ++pairs;
      EXPECT_EQ(*block.marginal()->columns[0].cells, *cells[0]);
      EXPECT_EQ(*block.marginal()->columns[1].cells, *cells[1]);
      EXPECT_GT(cells[1]->rare().size(), 10U);
    }
    before.add(block, release.counts().blocks[b], sigma);
  }
  EXPECT_GE(levels, 1U);
  EXPECT_EQ(pairs, 1U);
}

}  // namespace default_method_privacy_test
}  // namespace mehler
