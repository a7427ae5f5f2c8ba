#include "mehler/simd/product_batch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "mehler/core/seeded_random.h"
#include "mehler/features/hermite_features.h"
#include "mehler/features/length_scale.h"
#include "tests/support/instruction_set.h"

namespace mehler {
namespace product_batch_test {

/// phi_0 .. phi_order and their derivatives by x, in long double.
struct Reference {
  std::vector<long double> phi;
  std::vector<long double> slope;
};

Reference reference_at(const HermiteFeatures& features, float x) {
  const auto rho = static_cast<long double>(features.rho());
  const auto scale = static_cast<long double>(features.scale());
  const long double z = scale * static_cast<long double>(x);
  Reference result;
  result.phi.push_back(std::pow(1.0L - rho * rho, 0.25L) * std::exp(-rho * z * z / (1.0L + rho)));
  for (std::size_t k = 0; k < features.order(); ++k) {
    const auto next = static_cast<long double>(k + 1);
    long double phi = std::sqrt(2.0L * rho / next) * z * result.phi[k];
    if (k > 0) {
      phi -= rho * std::sqrt((next - 1.0L) / next) * result.phi[k - 1];
    }
    result.phi.push_back(phi);
  }
  for (std::size_t k = 0; k <= features.order(); ++k) {
    long double slope = -2.0L * rho / (1.0L + rho) * z * result.phi[k];
    if (k > 0) {
      slope += std::sqrt(2.0L * rho * static_cast<long double>(k)) * result.phi[k - 1];
    }
    result.slope.push_back(scale * slope);
  }
  return result;
}

/// The largest |z| is the scale.
struct Case {
  std::size_t order;
  double rho;
  double largest_z;
};

void expect_agrees_with_long_double(const Case& test, std::size_t count) {
  const HermiteFeatures features(test.order, length_scale_of_rho(test.rho) / test.largest_z,
                                 test.rho);
  ASSERT_NEAR(features.scale(), test.largest_z, 1e-9);
  SeededRandom random(count);
  std::vector<float> values(count);
  std::vector<float> presence(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = static_cast<float>(2.0 * random.uniform() - 1.0);
    presence[i] = static_cast<float>(random.uniform());
  }
  values[0] = -1.0F;
  const std::size_t entries = test.order + 1;
  std::vector<float> rows(entries * count);
  fill_soft_hermite_rows(features.recursion(), values, presence, rows.data(), count);
  std::vector<float> gradient(entries * count);
  random.fill_normal(gradient);
  std::vector<float> slopes(count);
  contract_hermite_slopes(features.recursion(), values, rows.data(), gradient.data(), count,
                          slopes);
  for (std::size_t i = 0; i < count; ++i) {
    const Reference reference = reference_at(features, values[i]);
    const auto factor = static_cast<long double>(presence[i]);
    long double slope = 0.0L;
    long double norm = 0.0L;
    for (std::size_t k = 0; k < entries; ++k) {
      ASSERT_NEAR(static_cast<double>(rows[k * count + i]),
                  static_cast<double>(factor * reference.phi[k]), 1e-7)
          << test.order << ' ' << k;
      const auto weight = static_cast<long double>(gradient[k * count + i]);
      slope += factor * weight * reference.slope[k];
      norm += weight * weight;
    }
    const double allowed = 1e-6 * static_cast<double>(std::sqrt(norm)) *
                           std::sqrt(2.0 * static_cast<double>(test.order) + 1.0) *
                           features.scale();
    ASSERT_NEAR(static_cast<double>(slopes[i]), static_cast<double>(slope), allowed);
  }
}

TEST(ProductBatch, FeaturesAndSlopesAgreeWithLongDouble) {
  const InstructionSetRestorer restorer;
  for (const std::string& name : available_instruction_sets()) {
    ASSERT_TRUE(force_instruction_set(name));
    for (const Case& test : {Case{5, 0.5, 2.0}, Case{150, 0.9, 12.0}, Case{150, 0.99998, 4.4},
                             Case{150, 0.9997, 16.0}, Case{40, 0.3, 16.0}}) {
      for (const std::size_t count : {1, 7, 16, 33}) {
        expect_agrees_with_long_double(test, count);
      }
    }
  }
}

TEST(ProductBatch, GradientOfAProductIsSplit) {
  const InstructionSetRestorer restorer;
  for (const std::string& name : available_instruction_sets()) {
    ASSERT_TRUE(force_instruction_set(name));
    for (const std::size_t stride : {1, 16, 19}) {
      constexpr std::size_t kOuter = 3;
      constexpr std::size_t kInner = 5;
      SeededRandom random(stride);
      const auto draw = [&](std::size_t count) {
        std::vector<float> values(count * stride);
        random.fill_normal(values);
        return values;
      };
      const std::vector<float> outer = draw(kOuter);
      const std::vector<float> inner = draw(kInner);
      const std::vector<float> above = draw(kOuter * kInner);
      std::vector<float> product(kOuter * kInner * stride);
      multiply_soft_rows(outer.data(), kOuter, inner.data(), kInner, stride, product.data());
      std::vector<float> outer_gradient(kOuter * stride);
      std::vector<float> inner_gradient(kInner * stride);
      split_product_gradient(above.data(), outer.data(), kOuter, inner.data(), kInner, stride,
                             outer_gradient.data(), inner_gradient.data());
      for (std::size_t r = 0; r < stride; ++r) {
        std::vector<double> by_inner(kInner, 0.0);
        for (std::size_t i = 0; i < kOuter; ++i) {
          double by_outer = 0.0;
          for (std::size_t j = 0; j < kInner; ++j) {
            const std::size_t place = (i * kInner + j) * stride + r;
            ASSERT_EQ(product[place], outer[i * stride + r] * inner[j * stride + r]);
            by_outer += static_cast<double>(above[place] * inner[j * stride + r]);
            by_inner[j] += static_cast<double>(above[place] * outer[i * stride + r]);
          }
          ASSERT_NEAR(static_cast<double>(outer_gradient[i * stride + r]), by_outer, 1e-5);
        }
        for (std::size_t j = 0; j < kInner; ++j) {
          ASSERT_NEAR(static_cast<double>(inner_gradient[j * stride + r]), by_inner[j], 1e-5);
        }
      }
    }
  }
}

TEST(ProductBatch, ResidualsAndTheirProductsAreRightForEveryInstructionSetAndSize) {
  const InstructionSetRestorer restorer;
  constexpr float kFactor = 3.5F;
  constexpr float kWeight = -0.25F;
  for (const std::string& name : available_instruction_sets()) {
    ASSERT_TRUE(force_instruction_set(name));
    for (const std::size_t groups : {1, 4}) {
      for (const std::size_t count : {1, 7, 16, 61}) {
        const std::size_t stride = count + 3;  // the kernel may be given a part of the sums
        SeededRandom random(count);
        const auto draw = [&](std::size_t size) {
          std::vector<float> values(size);
          for (float& value : values) {
            value = static_cast<float>(random.normal());
          }
          return values;
        };
        const std::vector<float> target = draw(count);
        const std::vector<float> before = draw(2 * groups * stride);
        std::vector<float> sums = before;
        float* const halves[2] = {sums.data(), &sums[groups * stride]};
        const double loss =
            weigh_residuals(target.data(), kFactor, kWeight, halves, groups, stride, count);
        double expected = 0.0;
        for (std::size_t k = 0; k < stride; ++k) {
          double residuals[2];
          for (std::size_t half = 0; half < 2; ++half) {
            const std::size_t place = half * groups * stride + k;
            if (k >= count) {
              ASSERT_EQ(sums[place], before[place]) << "behind the last one";
              continue;
            }
            double sum = 0.0;
            for (std::size_t group = 0; group < groups; ++group) {
              sum += static_cast<double>(before[place + group * stride]);
            }
            residuals[half] = static_cast<double>(target[k]) - static_cast<double>(kFactor) * sum;
            ASSERT_NEAR(sums[place], kWeight * residuals[half], 1e-5) << name;
          }
          expected += k < count ? residuals[0] * residuals[1] : 0.0;
        }
        ASSERT_NEAR(loss, expected, 1e-4 * static_cast<double>(count)) << name;
      }
    }
  }
}

}  // namespace product_batch_test
}  // namespace mehler
