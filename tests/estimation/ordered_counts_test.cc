#include "mehler/estimation/ordered_counts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "mehler/core/seeded_random.h"

namespace mehler {
namespace ordered_counts_test {

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// A column of one run.
NoisyColumn noisy(std::vector<double> truth, double sigma, SeededRandom& random) {
  NoisyColumn column{std::move(truth), sigma, {}};
  column.runs = {{0, column.counts.size()}};
  for (double& count : column.counts) {
    count += sigma * random.normal();
  }
  return column;
}

/// Falls by a factor from cell to cell, down to nothing; 10,000 records.
std::vector<double> falling(std::size_t cells, double factor) {
  std::vector<double> counts;
  for (std::size_t i = 0; i < cells; ++i) {
    counts.push_back(std::pow(factor, static_cast<double>(i)));
  }
  const double sum = sum_of(counts);
  for (double& count : counts) {
    count *= 1e4 / sum;
  }
  return counts;
}

TEST(OrderedCounts, AreCountsOfAllRecords) {
  SeededRandom random(1);
  for (const double sigma : {0.01, 1.0, 30.0, 1000.0, 1e5}) {
    std::vector<NoisyColumn> columns;
    for (const std::size_t cells : {3U, 16U, 40U}) {
      columns.push_back(noisy(falling(cells, 0.8), sigma, random));
    }
    for (const std::vector<double>& counts : estimate_ordered_counts(columns, 1e4)) {
      EXPECT_NEAR(sum_of(counts), 1e4, 1e-3) << sigma;
      for (const double count : counts) {
        EXPECT_GE(count, 0.0) << sigma;
        EXPECT_TRUE(std::isfinite(count)) << sigma;
      }
    }
  }
}

TEST(OrderedCounts, AreTheMeasuredOnesWithoutNoise) {
  SeededRandom random(2);
  for (const double sigma : {1e-3, 0.1}) {
    const std::vector<double> truth = falling(16, 0.7);
    const NoisyColumn column = noisy(truth, sigma, random);
    const std::vector<double> counts = estimate_ordered_counts(std::span(&column, 1), 1e4)[0];
    for (std::size_t i = 0; i < truth.size(); ++i) {
      EXPECT_NEAR(counts[i], truth[i], 8.0 * sigma) << i;
    }
  }
}

TEST(OrderedCounts, LowerTheErrorOfNoisyColumns) {
  // Of 20 skewed columns the error falls to about a half of the noise's, with a spread of a few
  // per cent: the chance of a failure is below 1e-9.
  SeededRandom random(3);
  constexpr double kSigma = 150.0;
  std::vector<NoisyColumn> columns;
  std::vector<std::vector<double>> truth;
  for (int i = 0; i < 20; ++i) {
    truth.push_back(falling(16, 0.6 + 0.02 * i));
    columns.push_back(noisy(truth.back(), kSigma, random));
  }
  const auto estimates = estimate_ordered_counts(columns, 1e4);
  double before = 0.0;
  double after = 0.0;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    for (std::size_t i = 0; i < truth[c].size(); ++i) {
      before += std::fabs(columns[c].counts[i] - truth[c][i]);
      after += std::fabs(estimates[c][i] - truth[c][i]);
    }
  }
  EXPECT_LT(after, 0.75 * before);
}

TEST(OrderedCounts, HaveNoTailThatOnlyNoiseMakes) {
  // Everything lies in the first four of 64 cells. The chance that noise passes for records in one
  // of the last 32 cells of a draw is far below 1e-3; the seed is fixed.
  SeededRandom random(4);
  std::vector<double> truth(64, 0.0);
  std::fill(truth.begin(), truth.begin() + 4, 2500.0);
  const NoisyColumn column = noisy(truth, 40.0, random);
  const std::vector<double> counts = estimate_ordered_counts(std::span(&column, 1), 1e4)[0];
  for (std::size_t i = 32; i < counts.size(); ++i) {
    EXPECT_EQ(counts[i], 0.0) << i;
  }
}

TEST(OrderedCounts, HaveNoFrequentValueThatOnlyNoiseMakes) {
  // A bound far from all values, at 1.5 sigma; one at 10 sigma stays.
  const NoisyColumn column{{200.0, 4800.0, 4970.0, 0.0, 0.0, 30.0}, 20.0, {{1, 5}}};
  const std::vector<double> counts = estimate_ordered_counts(std::span(&column, 1), 1e4)[0];
  EXPECT_NEAR(counts[0], 200.0, 40.0);
  EXPECT_EQ(counts[5], 0.0);
}

TEST(OrderedCounts, OfPureNoiseAreStillCounts) {
  SeededRandom random(5);
  const NoisyColumn column = noisy(std::vector<double>(16, 0.0625), 1e4, random);
  const std::vector<double> counts = estimate_ordered_counts(std::span(&column, 1), 1.0)[0];
  EXPECT_NEAR(sum_of(counts), 1.0, 1e-6);
}

TEST(OrderedCounts, CellsOutsideRunsStandForThemselves) {
  NoisyColumn column{{5000.0, 10.0, 10.0, 10.0, 4970.0}, 5.0, {{1, 4}}};
  const std::vector<double> counts = estimate_ordered_counts(std::span(&column, 1), 1e4)[0];
  EXPECT_NEAR(counts[0], 5000.0, 10.0);
  EXPECT_NEAR(counts[4], 4970.0, 10.0);
  EXPECT_LT(counts[2], 20.0);
}

TEST(OrderedCounts, OfNoColumnsAreNone) { EXPECT_TRUE(estimate_ordered_counts({}, 10.0).empty()); }

}  // namespace ordered_counts_test
}  // namespace mehler
