#include "mehler/simd/exact_products.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "mehler/core/seeded_random.h"
#include "mehler/simd/hermite_sums.h"
#include "tests/support/instruction_set.h"

namespace mehler {
namespace exact_products_test {

/// Multiples of 2^-exponent within 1.
std::vector<double> grid_numbers(std::size_t count, int exponent, SeededRandom& random) {
  std::vector<double> numbers(count);
  for (double& number : numbers) {
    number = std::ldexp(std::rint(std::ldexp(2.0 * random.uniform() - 1.0, exponent)), -exponent);
  }
  return numbers;
}

/// In integers: units of 2^-38.
std::vector<double> sums_in_integers(const std::vector<double>& a, const std::vector<double>& b,
                                     std::size_t rows, std::size_t m, std::size_t n) {
  std::vector<double> result(m * n);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      std::int64_t sum = 0;
      for (std::size_t row = 0; row < rows; ++row) {
        sum += static_cast<std::int64_t>(std::ldexp(a[row * m + i], 14)) *
               static_cast<std::int64_t>(std::ldexp(b[row * n + j], 24));
      }
      result[i * n + j] = std::ldexp(static_cast<double>(sum), -38);
    }
  }
  return result;
}

TEST(ExactProducts, AreThoseOfIntegersOnEveryInstructionSet) {
  const InstructionSetRestorer restorer;
  SeededRandom random(1);
  for (const std::size_t rows : {1, 3, 128, 300}) {
    for (const std::size_t m : {1, 4, 7, 18}) {
      for (const std::size_t n : {1, 2, 5, 16, 35}) {
        const auto a = grid_numbers(rows * m, 14, random);
        const auto b = grid_numbers(rows * n, 24, random);
        const auto expected = sums_in_integers(a, b, rows, m, n);
        for (const std::string& name : available_instruction_sets()) {
          ASSERT_TRUE(force_instruction_set(name));
          std::vector<double> sums(m * n, 0.0);
          add_exact_products(rows, a.data(), m, m, b.data(), n, n, sums.data(), n);
          EXPECT_EQ(sums, expected) << name << " " << rows << " " << m << " " << n;
        }
      }
    }
  }
}

TEST(ExactProducts, OfPartsAddUpToTheWholeInAnyOrder) {
  SeededRandom random(2);
  const std::size_t rows = 200, m = 9, n = 21;
  const auto a = grid_numbers(rows * m, 14, random);
  const auto b = grid_numbers(rows * n, 24, random);
  std::vector<double> whole(m * n, 0.0);
  add_exact_products(rows, a.data(), m, m, b.data(), n, n, whole.data(), n);
  std::vector<double> parts(m * n, 0.0);
  // Rows from the end, and columns of the result in two parts.
  for (std::size_t last = rows; last > 0; last -= 40) {
    const double* of_a = &a[(last - 40) * m];
    const double* of_b = &b[(last - 40) * n];
    add_exact_products(40, of_a + 5, m, m - 5, of_b, n, n, &parts[5 * n], n);
    add_exact_products(40, of_a, m, 5, of_b + 8, n, n - 8, &parts[8], n);
    add_exact_products(40, of_a, m, 5, of_b, n, 8, parts.data(), n);
  }
  EXPECT_EQ(parts, whole);
}

}  // namespace exact_products_test
}  // namespace mehler
