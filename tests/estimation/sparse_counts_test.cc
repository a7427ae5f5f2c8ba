#include "mehler/estimation/sparse_counts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "mehler/core/seeded_random.h"

namespace mehler {
namespace sparse_counts_test {

constexpr std::size_t kCells = 10'000;

/// Cells that all are expected to have 1 record, of which every `apart`-th one has all of them.
struct Cells {
  explicit Cells(std::size_t apart) : counts(kCells, 0.0), expected(kCells, 1.0) {
    for (std::size_t i = 0; i < kCells; i += apart) {
      counts[i] = static_cast<double>(apart);
    }
  }

  std::vector<double> estimate(double sigma) const {
    SeededRandom random(1);
    std::vector<double> noisy;
    for (const double count : counts) {
      noisy.push_back(count + sigma * random.normal());
    }
    return estimate_sparse_counts(noisy, expected, sigma);
  }
  double distance(std::span<const double> estimate) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < kCells; ++i) {
      sum += std::fabs(counts[i] - estimate[i]);
    }
    return 0.5 * sum / static_cast<double>(kCells);
  }

  std::vector<double> counts;
  std::vector<double> expected;
};

TEST(SparseCounts, FindsTheFewCellsThatAreFilled) {
  // 100 cells of 100 records among 9,900 empty ones, which stand out by 20 sigma. As they are, the
  // noisy counts are wrong by .4 * 5 a cell, twice as much as there are records.
  const Cells cells(100);
  EXPECT_LT(cells.distance(cells.estimate(5.0)), 0.03);
}

TEST(SparseCounts, ExpectsWhatItIsToldWhereNoiseHidesEverything) {
  const Cells cells(1);
  for (const double count : cells.estimate(1000.0)) {
    EXPECT_EQ(count, 1.0);
  }
}

TEST(SparseCounts, TakesPreciseCountsAsTheyAre) {
  for (const std::size_t apart : {1U, 2U, 10U, 1000U}) {
    const Cells cells(apart);
    EXPECT_LT(cells.distance(cells.estimate(1e-3)), 1e-3) << apart;
  }
}

TEST(SparseCounts, AreFiniteAndNotNegativeWhateverTheNoise) {
  const std::vector<double> noisy = {-1e12, -1e3, -1.0, 0.0, 1e-300, 1.0, 1e3, 1e12};
  for (const double expected : {1e-9, 1.0, 1e9}) {
    for (const double sigma : {1e-6, 1.0, 1e6}) {
      const std::vector<double> all(noisy.size(), expected);
      for (const double count : estimate_sparse_counts(noisy, all, sigma)) {
        EXPECT_TRUE(std::isfinite(count) && count >= 0.0) << expected << ' ' << sigma;
      }
    }
  }
}

}  // namespace sparse_counts_test
}  // namespace mehler
