#include "mehler/simd/chebyshev_columns.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "mehler/core/seeded_random.h"
#include "mehler/simd/hermite_sums.h"
#include "tests/support/instruction_set.h"

namespace mehler {
namespace chebyshev_columns_test {

double polynomial(std::size_t j, float x) {
  return std::cos(static_cast<double>(j) * std::acos(static_cast<double>(x)));
}

TEST(ChebyshevColumns, AgreeWithTheCosineOnEveryInstructionSet) {
  const InstructionSetRestorer restorer;
  SeededRandom random(1);
  constexpr std::size_t kStride = 41;
  for (const std::string& name : available_instruction_sets()) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(force_instruction_set(name));
    for (const std::size_t terms : {2, 3, 8, 61}) {
      for (const std::size_t columns : {1, 16, 37}) {
        constexpr std::size_t kRows = 9;
        std::vector<float> values(kRows * kStride);
        for (float& value : values) {
          value = static_cast<float>(2.0 * random.uniform() - 1.0);
        }
        values[0] = 1.0F;
        values[kStride] = -1.0F;
        std::vector<float> coefficients(terms * columns);
        for (float& coefficient : coefficients) {
          coefficient = static_cast<float>(random.normal());
        }
        std::vector<float> moments(terms * columns, 7.0F);
        std::vector<float> results(kRows * kStride, 7.0F);
        fill_chebyshev_moments(values.data(), kStride, kRows, columns, terms, moments.data());
        evaluate_chebyshev_columns(values.data(), kStride, kRows, columns, terms,
                                   coefficients.data(), results.data());
        for (std::size_t i = 0; i < columns; ++i) {
          for (std::size_t j = 0; j < terms; ++j) {
            double sum = 0.0;
            for (std::size_t row = 0; row < kRows; ++row) {
              sum += polynomial(j, values[row * kStride + i]);
            }
            EXPECT_NEAR(moments[chebyshev_row(j, terms) * columns + i], sum, 1e-3);
          }
          for (std::size_t row = 0; row < kRows; ++row) {
            double sum = 0.0;
            for (std::size_t j = 0; j < terms; ++j) {
              sum += polynomial(j, values[row * kStride + i]) *
                     static_cast<double>(coefficients[chebyshev_row(j, terms) * columns + i]);
            }
            EXPECT_NEAR(results[row * kStride + i], sum, 2e-3);
          }
        }
        EXPECT_EQ(results[columns], 7.0F) << "what lies between the rows is left alone";
      }
    }
  }
}

TEST(ChebyshevColumns, DegreesStandEvenOnesFirst) {
  for (const std::size_t terms : {2, 3, 8, 9}) {
    std::vector<std::size_t> rows;
    for (std::size_t j = 0; j < terms; j += 2) {
      rows.push_back(chebyshev_row(j, terms));
    }
    for (std::size_t j = 1; j < terms; j += 2) {
      rows.push_back(chebyshev_row(j, terms));
    }
    for (std::size_t i = 0; i < terms; ++i) {
      EXPECT_EQ(rows[i], i);
    }
  }
}

}  // namespace chebyshev_columns_test
}  // namespace mehler
