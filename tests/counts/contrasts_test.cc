#include "mehler/counts/contrasts.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mehler/core/seeded_random.h"

namespace mehler {
namespace contrasts_test {

using Shape = std::vector<std::size_t>;

std::size_t cells_of(const Shape& shape) {
  std::size_t cells = 1;
  for (const std::size_t size : shape) {
    cells *= size;
  }
  return cells;
}

/// The orthonormal contrasts of a table that has one record.
std::vector<double> record_contrasts(const Shape& shape, std::size_t cell) {
  std::vector<std::int64_t> counts(cells_of(shape), 0);
  counts[cell] = 1;
  const std::vector<std::int64_t> sums = contrasts_of_counts(counts, shape);
  const std::vector<double> scales = contrast_scales(shape);
  std::vector<double> result;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    result.push_back(static_cast<double>(sums[i]) / scales[i]);
  }
  return result;
}

const std::vector<Shape> kShapes = {{2}, {3}, {7}, {2, 2}, {3, 5}, {8, 2}, {2, 3, 4}};

TEST(Contrasts, EveryRecordHasTheSameNormAndNoPairIsFartherApartThanTheBound) {
  for (const Shape& shape : kShapes) {
    const double norm = squared_contrast_norm(shape);
    const double bound = squared_contrast_difference(shape);
    double farthest = 0.0;
    for (std::size_t a = 0; a < cells_of(shape); ++a) {
      const std::vector<double> of_a = record_contrasts(shape, a);
      double squared = 0.0;
      for (const double entry : of_a) {
        squared += entry * entry;
      }
      EXPECT_NEAR(squared, norm, 1e-13);
      EXPECT_LE(squared, norm * (1.0 + 1e-15));
      for (std::size_t b = 0; b < cells_of(shape); ++b) {
        const std::vector<double> of_b = record_contrasts(shape, b);
        double distance = 0.0;
        for (std::size_t i = 0; i < of_a.size(); ++i) {
          distance += (of_a[i] - of_b[i]) * (of_a[i] - of_b[i]);
        }
        farthest = std::max(farthest, distance);
      }
    }
    EXPECT_LE(farthest, bound * (1.0 + 1e-14));
    EXPECT_NEAR(farthest, bound, 1e-12) << "the bound is attained";
  }
}

TEST(Contrasts, ExchangesCostWhatTheMethodSays) {
  EXPECT_DOUBLE_EQ(squared_contrast_difference(Shape{4}), 2.0);
  EXPECT_DOUBLE_EQ(squared_contrast_difference(Shape{4, 10}), 2.0 * (1.0 - 1.0 / 10.0));
  EXPECT_DOUBLE_EQ(squared_contrast_norm(Shape{2, 2}), 0.25);
}

TEST(Contrasts, TheTableOfContrastsIsTheCentredTable) {
  SeededRandom random(3);
  for (const Shape& shape : kShapes) {
    std::vector<std::int64_t> counts(cells_of(shape));
    for (std::int64_t& count : counts) {
      count = static_cast<std::int64_t>(random.next_word() % 1000);
    }
    const std::vector<std::int64_t> sums = contrasts_of_counts(counts, shape);
    ASSERT_EQ(sums.size(), contrast_count(shape));
    const std::vector<double> cells =
        cells_of_contrasts(std::vector<double>(sums.begin(), sums.end()), shape);
    // Centred along every column: subtract means axis by axis.
    std::vector<double> centred(counts.begin(), counts.end());
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      std::size_t inner = 1;
      for (std::size_t i = axis + 1; i < shape.size(); ++i) {
        inner *= shape[i];
      }
      for (std::size_t place = 0; place < centred.size(); ++place) {
        if (place / inner % shape[axis] != 0) {
          continue;
        }
        double mean = 0.0;
        for (std::size_t k = 0; k < shape[axis]; ++k) {
          mean += centred[place + k * inner] / static_cast<double>(shape[axis]);
        }
        for (std::size_t k = 0; k < shape[axis]; ++k) {
          centred[place + k * inner] -= mean;
        }
      }
    }
    for (std::size_t i = 0; i < cells.size(); ++i) {
      EXPECT_NEAR(cells[i], centred[i], 1e-9);
    }
  }
}

TEST(Contrasts, SquaresAreThoseOfTheRecords) {
  SeededRandom random(4);
  for (const Shape& shape : kShapes) {
    std::vector<std::int64_t> counts(cells_of(shape));
    std::vector<double> expected(contrast_count(shape), 0.0);
    for (std::size_t cell = 0; cell < counts.size(); ++cell) {
      counts[cell] = static_cast<std::int64_t>(random.next_word() % 1000);
      std::vector<std::int64_t> record(counts.size(), 0);
      record[cell] = 1;
      const std::vector<std::int64_t> contrasts = contrasts_of_counts(record, shape);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        expected[i] += static_cast<double>(counts[cell] * contrasts[i] * contrasts[i]);
      }
    }
    EXPECT_EQ(squared_contrasts_of_counts(counts, shape), expected);  // integers: exact
  }
}

TEST(Contrasts, ScalesAreNeverBelowTheRoot) {
  for (std::size_t k = 1; k < 100'000; ++k) {
    const auto exact = static_cast<long double>(k) * static_cast<long double>(k + 1);
    ASSERT_GE(static_cast<long double>(contrast_scale(k)), std::sqrt(exact)) << k;
  }
}

TEST(Contrasts, AColumnOfOneCellHasNone) {
  EXPECT_EQ(contrast_count(Shape{1}), 0U);
  EXPECT_TRUE(contrasts_of_counts({5}, Shape{1}).empty());
}

}  // namespace contrasts_test
}  // namespace mehler
