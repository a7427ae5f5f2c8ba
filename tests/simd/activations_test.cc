#include "mehler/simd/activations.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "mehler/simd/hermite_sums.h"

namespace mehler {
namespace activations_test {

void expect_function(const std::function<void(std::span<float>)>& in_place,
                     const std::function<double(double)>& exact, double largest) {
  std::vector<float> values;
  for (double x = -largest; x <= largest; x += largest / 511.5) {
    values.push_back(static_cast<float>(x));
  }
  for (const std::string& set : available_instruction_sets()) {
    ASSERT_TRUE(force_instruction_set(set));
    std::vector<float> results = values;
    in_place(results);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double expected = exact(static_cast<double>(values[i]));
      ASSERT_NEAR(static_cast<double>(results[i]), expected, 1e-5 * std::fabs(expected) + 1e-37)
          << set << " " << values[i];
    }
  }
  force_instruction_set("");
}

TEST(Activations, AgreeWithDoubleOnEveryInstructionSet) {
  expect_function(
      exponential_in_place, [](double x) { return std::exp(x); }, 80.0);
  expect_function(
      tanh_in_place, [](double x) { return std::tanh(x); }, 20.0);
  expect_function(
      logistic_in_place, [](double x) { return 1.0 / (1.0 + std::exp(-x)); }, 60.0);
}

TEST(Activations, RectifyKeepsNotANumberAndWorksInPlace) {
  const float nothing = std::numeric_limits<float>::quiet_NaN();
  for (const std::string& set : available_instruction_sets()) {
    ASSERT_TRUE(force_instruction_set(set));
    std::vector<float> values(37, -1.0F);
    values[3] = 2.0F;
    values[20] = nothing;
    values[36] = 0.5F;
    rectify(values, values.data());
    std::vector<float> slopes(37, 7.0F);
    rectifier_gradient(values, slopes.data(), slopes.data());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool is_above = i == 3 || i == 36;
      EXPECT_EQ(slopes[i], is_above ? 7.0F : 0.0F) << set << " " << i;
      EXPECT_TRUE(is_above || (i == 20 ? std::isnan(values[i]) : values[i] == 0.0F)) << set << i;
    }
  }
  force_instruction_set("");
}

TEST(Activations, LeakyRectifiersAreThoseOfEachNumberAloneAndWorkInPlace) {
  const float nothing = std::numeric_limits<float>::quiet_NaN();
  for (const std::string& set : available_instruction_sets()) {
    ASSERT_TRUE(force_instruction_set(set));
    std::vector<float> values(37, -1.5F);
    values[3] = 2.0F;
    values[20] = nothing;
    values[36] = 0.5F;
    const std::vector<float> given = values;
    rectify_leaky(values, 0.2F, values.data());
    std::vector<float> slopes(37, 7.0F);
    leaky_gradient(given, slopes.data(), 0.2F, slopes.data());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool is_above = i == 3 || i == 36;
      EXPECT_EQ(slopes[i], is_above ? 7.0F : 0.2F * 7.0F) << set << " " << i;
      EXPECT_TRUE(i == 20 ? std::isnan(values[i])
                          : values[i] == (is_above ? given[i] : 0.2F * given[i]))
          << set << " " << i;
    }
  }
  force_instruction_set("");
}

TEST(Activations, StayFiniteFarOut) {
  std::vector<float> values = {-1e30F, 1e30F, -100.0F, 100.0F};
  logistic_in_place(values);
  EXPECT_NEAR(values[0], 0.0F, 1e-30F);
  EXPECT_EQ(values[1], 1.0F);
  std::vector<float> far = {-1e30F, 1e30F};
  tanh_in_place(far);
  EXPECT_EQ(far[0], -1.0F);
  EXPECT_EQ(far[1], 1.0F);
}

}  // namespace activations_test
}  // namespace mehler
