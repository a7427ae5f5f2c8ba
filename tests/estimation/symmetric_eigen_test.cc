#include "mehler/estimation/symmetric_eigen.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mehler/core/seeded_random.h"

namespace mehler {
namespace symmetric_eigen_test {

std::vector<double> random_matrix(std::size_t size, std::uint64_t seed) {
  SeededRandom random(seed);
  std::vector<double> matrix(size * size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      matrix[i * size + j] = matrix[j * size + i] = random.normal();
    }
  }
  return matrix;
}

/// A v = value v and V V^T = I for the first vectors.
void expect_pairs_of(const std::vector<double>& matrix, std::size_t size, const EigenPairs& pairs,
                     std::size_t count) {
  ASSERT_EQ(pairs.values.size(), size);
  ASSERT_EQ(pairs.vectors.size(), count * size);
  for (std::size_t d = 0; d < count; ++d) {
    EXPECT_TRUE(d == 0 || pairs.values[d] <= pairs.values[d - 1]);
    for (std::size_t i = 0; i < size; ++i) {
      double sum = -pairs.values[d] * pairs.vector(d)[i];
      for (std::size_t j = 0; j < size; ++j) {
        sum += matrix[i * size + j] * pairs.vector(d)[j];
      }
      EXPECT_NEAR(sum, 0.0, 1e-11);
    }
    for (std::size_t other = 0; other <= d; ++other) {
      double product = 0.0;
      for (std::size_t j = 0; j < size; ++j) {
        product += pairs.vector(d)[j] * pairs.vector(other)[j];
      }
      EXPECT_NEAR(product, d == other ? 1.0 : 0.0, 1e-12);
    }
  }
}

void expect_eigenpairs(const std::vector<double>& matrix, std::size_t size) {
  const EigenPairs all = symmetric_eigen(matrix, size);
  expect_pairs_of(matrix, size, all, size);
  for (const std::size_t count : {std::size_t{0}, size / 3, size}) {
    const EigenPairs leading = leading_eigen(matrix, size, count);
    expect_pairs_of(matrix, size, leading, count);
    for (std::size_t d = 0; d < size; ++d) {
      EXPECT_NEAR(leading.values[d], all.values[d], 1e-12);
    }
  }
}

TEST(SymmetricEigen, GivesEigenvaluesAndOrthonormalEigenvectors) {
  for (const std::size_t size : {1, 2, 3, 10, 61, 100}) {
    expect_eigenpairs(random_matrix(size, size), size);
  }
}

TEST(SymmetricEigen, TakesDiagonalSingularAndZeroMatrices) {
  expect_eigenpairs(std::vector<double>(25, 0.0), 5);
  expect_eigenpairs(std::vector<double>(25, 1.0), 5);
  std::vector<double> diagonal(25, 0.0);
  for (std::size_t i = 0; i < 5; ++i) {
    diagonal[6 * i] = static_cast<double>(i % 2);
  }
  expect_eigenpairs(diagonal, 5);
}

TEST(SymmetricEigen, TakesValuesThatAreEqualOrNearlySo) {
  constexpr std::size_t kSize = 60;
  std::vector<double> low_rank(kSize * kSize, 0.0);  // 55 values of 0
  const std::vector<double> factors = random_matrix(kSize, 2);
  for (std::size_t i = 0; i < kSize; ++i) {
    for (std::size_t j = 0; j < kSize; ++j) {
      for (std::size_t k = 0; k < 5; ++k) {
        low_rank[i * kSize + j] += factors[k * kSize + i] * factors[k * kSize + j] / kSize;
      }
    }
  }
  expect_eigenpairs(low_rank, kSize);
  // Wilkinson's: pairs of values that differ by less than any rounding.
  std::vector<double> pairs(kSize * kSize, 0.0);
  for (std::size_t i = 0; i < kSize; ++i) {
    pairs[i * kSize + i] = std::fabs(29.5 - static_cast<double>(i)) / 30.0;
    if (i > 0) {
      pairs[i * kSize + i - 1] = pairs[(i - 1) * kSize + i] = 1.0 / 30.0;
    }
  }
  expect_eigenpairs(pairs, kSize);
}

TEST(SymmetricEigen, NoiseHasTheEdgeThatStrengthsAreCorrectedBy) {
  constexpr std::size_t kSize = 300;
  std::vector<double> matrix = random_matrix(kSize, 1);
  // Noise of variance 1/2 beside the diagonal, as on a scatter: the edge is sqrt(2 size).
  for (double& entry : matrix) {
    entry *= std::sqrt(0.5);
  }
  const EigenPairs pairs = symmetric_eigen(std::move(matrix), kSize);
  EXPECT_NEAR(pairs.values.front() / std::sqrt(2.0 * kSize), 1.0, 0.06);
}

}  // namespace symmetric_eigen_test
}  // namespace mehler
