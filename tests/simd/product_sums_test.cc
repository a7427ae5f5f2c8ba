#include "mehler/simd/product_sums.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "mehler/core/seeded_random.h"
#include "mehler/features/hermite_features.h"
#include "tests/support/instruction_set.h"

namespace mehler {
namespace product_sums_test {

std::vector<double> random_integers(std::size_t count, SeededRandom& random) {
  std::vector<double> values(count);
  for (double& value : values) {
    value = std::round(131072.0 * (2.0 * random.uniform() - 1.0));
  }
  return values;
}

TEST(ProductSums, AreExactForEveryInstructionSetAndShape) {
  const InstructionSetRestorer restorer;
  for (const std::string& name : available_instruction_sets()) {
    ASSERT_TRUE(force_instruction_set(name));
    ASSERT_EQ(active_instruction_set(), name);
    for (const std::size_t first_rows : {1, 3, 4, 9}) {
      for (const std::size_t second_rows : {1, 2, 5, 6, 13}) {
        for (const std::size_t stride : {16, 48, 512}) {
          SeededRandom random(first_rows * 100 + second_rows);
          std::vector<double> first = random_integers(first_rows * stride, random);
          std::vector<double> second = random_integers(second_rows * stride, random);
          std::vector<std::size_t> first_places(first_rows);
          std::vector<std::size_t> second_places(second_rows);
          std::iota(second_places.begin(), second_places.end(), std::size_t{0});
          for (std::size_t i = 0; i < first_rows; ++i) {
            first_places[i] = i * second_rows;
          }
          std::vector<std::int64_t> sums(first_rows * second_rows, 7);
          std::vector<std::int64_t> expected = sums;
          for (std::size_t i = 0; i < first_rows; ++i) {
            for (std::size_t j = 0; j < second_rows; ++j) {
              for (std::size_t r = 0; r < stride; ++r) {
                expected[i * second_rows + j] += static_cast<std::int64_t>(first[i * stride + r]) *
                                                 static_cast<std::int64_t>(second[j * stride + r]);
              }
            }
          }
          first.resize((first_rows + kFirstRowPadding) * stride, 0.0);
          second.resize((second_rows + kSecondRowPadding) * stride, 0.0);
          add_row_products(first.data(), first_places, second.data(), second_places, stride,
                           sums.data());
          ASSERT_EQ(sums, expected) << name;
        }
      }
    }
  }
}

TEST(ProductSums, FeatureRowsHaveTheSameBitsForEveryInstructionSet) {
  const InstructionSetRestorer restorer;
  const auto features = HermiteFeatures::with_best_rho(30, 0.1);
  SeededRandom random(1);
  std::vector<double> values(75);
  for (double& value : values) {
    value = 2.0 * random.uniform() - 1.0;
  }
  values[5] = NAN;
  constexpr std::size_t kStride = 80;
  std::vector<std::vector<double>> made;
  for (const std::string& name : available_instruction_sets()) {
    ASSERT_TRUE(force_instruction_set(name));
    std::vector<double> rows(31 * kStride);
    fill_hermite_rows(features.recursion(), values, rows.data(), kStride);
    std::vector<double> squares(31 * 31 * kStride);
    multiply_rows(rows.data(), 31, rows.data(), 31, kStride, squares.data());
    std::vector<double> rounded(squares.size() + 2 * kStride, 7.0);
    const std::size_t part = 500;  // ends within a row of the outer factor
    multiply_and_round_rows(rows.data(), 31, rows.data(), 31, kStride, 17, 0, part, rounded.data());
    multiply_and_round_rows(rows.data(), 31, rows.data(), 31, kStride, 17, part, 31 * 31 + 2 - part,
                            &rounded[part * kStride]);
    for (std::size_t i = squares.size(); i < rounded.size(); ++i) {
      ASSERT_EQ(rounded[i], 0.0) << "behind the last row";
    }
    std::vector<double> phi(31);
    for (std::size_t r = 0; r < kStride; ++r) {
      const bool empty = r >= values.size() || std::isnan(values[r]);
      if (!empty) {
        features.evaluate(values[r], phi.data());
      }
      for (std::size_t i = 0; i < 31; ++i) {
        ASSERT_NEAR(rows[i * kStride + r], empty ? 0.0 : phi[i], 1e-13);
        for (std::size_t j = 0; j < 31; ++j) {
          const std::size_t place = (i * 31 + j) * kStride + r;
          ASSERT_EQ(squares[place], rows[i * kStride + r] * rows[j * kStride + r]);
          ASSERT_EQ(rounded[place], std::nearbyint(squares[place] * 131072.0));
        }
      }
    }
    made.push_back(rounded);
    EXPECT_EQ(made.back(), made.front()) << name;
  }
}

}  // namespace product_sums_test
}  // namespace mehler
