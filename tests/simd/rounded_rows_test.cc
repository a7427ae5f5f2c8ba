#include "mehler/simd/rounded_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "mehler/core/seeded_random.h"
#include "mehler/simd/double_rows.h"
#include "mehler/simd/hermite_sums.h"
#include "mehler/simd/integer_products.h"
#include "tests/support/instruction_set.h"

namespace mehler {
namespace rounded_rows_test {

constexpr std::size_t kClasses = 2 * kRoundedClasses;
constexpr std::size_t kStride = 3 * kRoundedPadding;

/// Whole numbers in [-most, most].
template <class Number>
std::vector<Number> whole_numbers(std::size_t count, double most, std::uint64_t seed) {
  SeededRandom random(seed);
  std::vector<Number> values(count);
  for (Number& value : values) {
    value = static_cast<Number>(std::round(most * (2.0 * random.uniform() - 1.0)));
  }
  return values;
}

TEST(RoundedRows, ProductsWithWeightsDependOnTheRowAlone) {
  const InstructionSetRestorer restorer;
  constexpr std::size_t kRows = 7;
  const auto values = whole_numbers<std::int16_t>(kRows * kStride, 24'576.0, 1);
  SeededRandom random(2);
  std::vector<float> weights(kClasses * kStride);
  random.fill_normal(weights);
  for (const std::string& set : available_instruction_sets()) {
    ASSERT_TRUE(force_instruction_set(set));
    std::vector<float> found(kRows * kClasses + 1, 7.0F);
    multiply_rounded_rows({values.data(), kRows, kStride}, weights.data(), kClasses, found.data());
    EXPECT_EQ(found.back(), 7.0F) << "writes behind the results";
    for (std::size_t r = 0; r < kRows; ++r) {
      std::vector<float> alone(kClasses);
      multiply_rounded_rows({&values[r * kStride], 1, kStride}, weights.data(), kClasses,
                            alone.data());
      for (std::size_t k = 0; k < kClasses; ++k) {
        double expected = 0.0;
        double size = 0.0;
        for (std::size_t i = 0; i < kStride; ++i) {
          const double term = static_cast<double>(values[r * kStride + i]) *
                              static_cast<double>(weights[k * kStride + i]);
          expected += term;
          size += std::fabs(term);
        }
        EXPECT_NEAR(found[r * kClasses + k], expected, 1e-6 * size) << set;
        EXPECT_EQ(found[r * kClasses + k], alone[k]) << set;
      }
    }
  }
}

TEST(RoundedRows, SumsOfProductsAreExactOnEveryInstructionSet) {
  const InstructionSetRestorer restorer;
  for (const std::size_t rows : {std::size_t{0}, std::size_t{1}, std::size_t{64}}) {
    auto values = whole_numbers<std::int16_t>(rows * kStride, 24'576.0, 3);
    const auto factors = whole_numbers<double>(rows * kClasses, 16'384.0, 4);
    std::fill(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(rows),
              std::int16_t{-24'576});
    for (const std::string& set : available_instruction_sets()) {
      ASSERT_TRUE(force_instruction_set(set));
      std::vector<double> sums(kClasses * kStride, 5.0);
      add_rounded_products({values.data(), rows, kStride}, factors.data(), kClasses, sums.data());
      for (std::size_t k = 0; k < kClasses; ++k) {
        for (std::size_t i = 0; i < kStride; ++i) {
          std::int64_t expected = 5;
          for (std::size_t r = 0; r < rows; ++r) {
            expected += std::int64_t{values[r * kStride + i]} *
                        static_cast<std::int64_t>(factors[r * kClasses + k]);
          }
          ASSERT_EQ(sums[k * kStride + i], static_cast<double>(expected)) << set;
        }
      }
    }
  }
}

TEST(IntegerProducts, AreExactUpToThirtyTwoBitsOnEveryInstructionSet) {
  const InstructionSetRestorer restorer;
  for (const std::size_t count :
       {std::size_t{1}, std::size_t{4}, std::size_t{7}, std::size_t{18}}) {
    for (const std::size_t records : {kIntegerPadding, 4 * kIntegerPadding}) {
      auto rows = whole_numbers<std::int32_t>(count * records, 268'500'000.0, 5);  // 2^28
      rows[0] = -268'500'000;
      for (const std::string& set : available_instruction_sets()) {
        ASSERT_TRUE(force_instruction_set(set));
        std::vector<std::int64_t> sums(count * (count + 1) / 2 + 1, -3);
        add_upper_products(rows.data(), count, records, sums.data());
        const std::int64_t* found = sums.data();
        for (std::size_t i = 0; i < count; ++i) {
          for (std::size_t j = i; j < count; ++j) {
            std::int64_t expected = -3;
            for (std::size_t r = 0; r < records; ++r) {
              expected += std::int64_t{rows[i * records + r]} * rows[j * records + r];
            }
            ASSERT_EQ(*found++, expected) << set << " " << i << " " << j;
          }
        }
        EXPECT_EQ(sums.back(), -3) << "writes behind the sums";
      }
    }
  }
}

TEST(DoubleRows, SumsAreTheSameBitsOnEveryInstructionSet) {
  const InstructionSetRestorer restorer;
  SeededRandom random(6);
  for (const std::size_t count : {0, 1, 7, 8, 9, 405, 1372}) {
    std::vector<double> a(count);
    std::vector<double> b(count);
    for (std::size_t i = 0; i < count; ++i) {
      a[i] = random.normal();
      b[i] = random.normal();
    }
    double sums[8] = {};
    double expected = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
      (i < count / 8 * 8 ? sums[i % 8] : expected) += a[i] * b[i];
    }
    for (const double sum : sums) {
      expected += sum;
    }
    std::vector<double> added(count);
    for (std::size_t i = 0; i < count; ++i) {
      added[i] = b[i] + 0.3 * a[i];
    }
    for (const std::string& set : available_instruction_sets()) {
      ASSERT_TRUE(force_instruction_set(set));
      EXPECT_EQ(dot_product(a.data(), b.data(), count), expected) << set << " " << count;
      std::vector<double> found = b;
      add_multiple(0.3, a.data(), found.data(), count);
      EXPECT_EQ(found, added) << set << " " << count;
    }
  }
}

}  // namespace rounded_rows_test
}  // namespace mehler
