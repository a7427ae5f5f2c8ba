#include "mehler/simd/hermite_batch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "mehler/core/error.h"
#include "mehler/core/seeded_random.h"
#include "mehler/features/hermite_features.h"

namespace mehler {
namespace hermite_batch_test {

// What hermite_batch.h promises.
constexpr double kSumError = 4e-6;
constexpr double kSeriesError = 6e-6;
constexpr double kGradientError = 6e-6;

constexpr HermiteRoute kRoutes[] = {HermiteRoute::kRecursion, HermiteRoute::kChebyshev};

std::string name_of(HermiteRoute route) {
  return route == HermiteRoute::kChebyshev ? "Chebyshev" : "recursion";
}

/// Forces an instruction set and a route for as long as it lives.
class Forced {
 public:
  Forced(const std::string& set, HermiteRoute route) {
    EXPECT_TRUE(force_instruction_set(set));
    EXPECT_TRUE(set.empty() || active_instruction_set() == set);
    force_hermite_route(route);
  }
  ~Forced() {
    force_instruction_set("");
    force_hermite_route(std::nullopt);
  }
  Forced(const Forced&) = delete;
  Forced& operator=(const Forced&) = delete;
};

/// phi_0 .. phi_{order + 1} from the definition; the exponents of long double hold any phi_0 here.
std::vector<long double> reference_features(const HermiteFeatures& map, long double x) {
  const auto rho = static_cast<long double>(map.rho());
  const long double z = static_cast<long double>(map.scale()) * x;
  std::vector<long double> phi = {std::pow((1 - rho) * (1 + rho), 0.25L) *
                                  std::exp(-rho / (1 + rho) * z * z)};
  for (std::size_t k = 0; k <= map.order(); ++k) {
    const auto next = static_cast<long double>(k + 1);
    const long double before = k == 0 ? 0.0L : phi[k - 1];
    phi.push_back(std::sqrt(2 * rho / next) * z * phi[k] -
                  rho * std::sqrt(static_cast<long double>(k) / next) * before);
  }
  return phi;
}

struct Reference {
  std::vector<long double> sums;
  std::vector<long double> series;
  std::vector<long double> gradient;
};

/// The gradient from phi_k' = sqrt(2 k rho) phi_{k-1} - 2 rho / (1 + rho) z phi_k, which is not the
/// formula of the kernel.
Reference reference_of(const HermiteFeatures& map, const std::vector<float>& values,
                       const std::vector<float>& presence, const std::vector<float>& weights) {
  const auto rho = static_cast<long double>(map.rho());
  const auto scale = static_cast<long double>(map.scale());
  Reference reference;
  reference.sums.assign(map.dimension(), 0.0L);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto x = static_cast<long double>(values[i]);
    const std::vector<long double> phi = reference_features(map, x);
    long double series = 0.0L;
    long double gradient = 0.0L;
    for (std::size_t k = 0; k < map.dimension(); ++k) {
      reference.sums[k] += phi[k] * static_cast<long double>(presence.empty() ? 1.0F : presence[i]);
      const auto weight = static_cast<long double>(weights[k]);
      series += weight * phi[k];
      const long double below = k == 0 ? 0.0L : phi[k - 1];
      gradient += weight * scale *
                  (std::sqrt(2 * static_cast<long double>(k) * rho) * below -
                   2 * rho / (1 + rho) * scale * x * phi[k]);
    }
    reference.series.push_back(series);
    reference.gradient.push_back(gradient);
  }
  return reference;
}

std::vector<float> random_numbers(std::size_t count, double low, double high, std::uint64_t seed) {
  SeededRandom random(seed);
  std::vector<float> values(count);
  for (float& value : values) {
    value = static_cast<float>(low + (high - low) * random.uniform());
  }
  return values;
}

double norm_of(const std::vector<float>& weights) {
  double sum = 0.0;
  for (const float weight : weights) {
    sum += static_cast<double>(weight) * static_cast<double>(weight);
  }
  return std::sqrt(sum);
}

/// Compares one call of each function with the reference; gives the route that ran.
HermiteRoute expect_agreement(const HermiteBatchKernel& kernel, const HermiteFeatures& map,
                              const std::vector<float>& values, const std::vector<float>& presence,
                              const std::vector<float>& weights, const Reference& reference) {
  std::vector<float> sums(map.dimension(), 0.0F);
  const HermiteRoute route = kernel.add_feature_sums(values, presence, sums);
  double present = presence.empty() ? static_cast<double>(values.size()) : 0.0;
  for (const float share : presence) {
    present += static_cast<double>(share);
  }
  for (std::size_t k = 0; k < sums.size(); ++k) {
    EXPECT_NEAR(static_cast<double>(sums[k]), static_cast<double>(reference.sums[k]),
                kSumError * present)
        << "sum " << k;
  }
  std::vector<float> series(values.size());
  std::vector<float> gradient(values.size());
  EXPECT_EQ(kernel.evaluate_series(values, weights, series, gradient), route);
  const double size = norm_of(weights);
  const double steepest = std::sqrt(2.0 * static_cast<double>(map.order()) + 1.0) * map.scale();
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(series[i]), static_cast<double>(reference.series[i]),
                kSeriesError * size)
        << "series at " << values[i];
    EXPECT_NEAR(static_cast<double>(gradient[i]), static_cast<double>(reference.gradient[i]),
                kGradientError * size * steepest)
        << "gradient at " << values[i];
  }
  std::vector<float> gradient_alone(values.size());
  EXPECT_EQ(kernel.evaluate_series(values, weights, {}, gradient_alone), route);
  EXPECT_EQ(gradient_alone, gradient);
  return route;
}

/// Weights that make a series as sensitive to the value at x as it can be: the slopes of the
/// features there.
std::vector<float> slopes_at(const HermiteFeatures& map, float x) {
  std::vector<float> slopes;
  for (std::size_t k = 0; k < map.dimension(); ++k) {
    std::vector<float> weights(map.dimension(), 0.0F);
    weights[k] = 1.0F;
    slopes.push_back(static_cast<float>(reference_of(map, {x}, {}, weights).gradient[0]));
  }
  return slopes;
}

/// On every instruction set and route. Values beyond 1 leave only the recursion.
void expect_agreement_everywhere(const HermiteFeatures& map, std::size_t count, double reach) {
  const HermiteBatchKernel kernel(map.recursion());
  std::vector<float> values = random_numbers(count, -reach, reach, count);
  values[0] = static_cast<float>(reach);  // the end of the range is the hardest
  values[count / 2] = static_cast<float>(-reach);
  for (const bool with_presence : {false, true}) {
    const std::vector<float> presence =
        with_presence ? random_numbers(count, 0.0, 1.0, 8) : std::vector<float>();
    const std::vector<float> weights = with_presence
                                           ? slopes_at(map, values.back())
                                           : random_numbers(map.dimension(), -3.0, 3.0, 7);
    const Reference reference = reference_of(map, values, presence, weights);
    for (const std::string& set : available_instruction_sets()) {
      for (const HermiteRoute route : kRoutes) {
        const bool possible = route == HermiteRoute::kRecursion ||
                              (kernel.chebyshev_degree().has_value() && reach <= 1.0);
        const Forced forced(set, route);
        SCOPED_TRACE(set + ", " + name_of(route) + ", order " + std::to_string(map.order()) +
                     ", rho " + std::to_string(map.rho()) + ", values " + std::to_string(count) +
                     (with_presence ? ", with presence" : ""));
        EXPECT_EQ(expect_agreement(kernel, map, values, presence, weights, reference),
                  possible ? route : HermiteRoute::kRecursion);
        if (testing::Test::HasFailure()) {
          return;  // one account of it is enough
        }
      }
    }
  }
}

TEST(HermiteBatch, AgreesWithLongDoubleForEverySizeInstructionSetAndRoute) {
  const auto map = HermiteFeatures::with_best_rho(30, 0.1);
  ASSERT_TRUE(HermiteBatchKernel(map.recursion()).chebyshev_degree().has_value());
  for (const std::size_t count : {1, 2, 15, 16, 17, 31, 100, 127, 128, 129, 1000}) {
    expect_agreement_everywhere(map, count, 1.0);
  }
}

TEST(HermiteBatch, AgreesWithLongDoubleForEveryOrderAndLengthScale) {
  for (const auto& [order, length_scale] :
       std::vector<std::pair<std::size_t, double>>{{1, 0.2},
                                                   {2, 0.5},
                                                   {20, 0.15},
                                                   {50, 0.05},
                                                   {100, 0.15},
                                                   {100, 0.02},
                                                   {100, 1000.0},
                                                   {150, 0.01},
                                                   {150, 0.001}}) {
    const auto map = HermiteFeatures::with_best_rho(order, length_scale);
    expect_agreement_everywhere(map, 333, 1.0);
    for (const double only : {0.003, 0.37, 0.9, 0.99, 0.9996, 1.0}) {  // errors of one feature
      expect_agreement_everywhere(map, 1, only);
    }
  }
}

TEST(HermiteBatch, AgreesWithLongDoubleFarOut) {
  // rho near 1, so that phi_0 = exp(-z^2 / 2) nearly; |z| up to 16, in and beyond [-1, 1].
  for (const std::size_t order : {10, 100, 127, 150}) {
    for (const double reach_of_z : {10.0, 12.0, 13.0, 14.5, 16.0}) {
      const HermiteFeatures nearly_one(order, 0.001, 0.99998);
      expect_agreement_everywhere(nearly_one, 200, reach_of_z / nearly_one.scale());
      const HermiteFeatures stretched(order, std::sqrt(0.999e-3) / reach_of_z, 0.999);
      EXPECT_NEAR(stretched.scale(), reach_of_z, 0.1 * reach_of_z);
      expect_agreement_everywhere(stretched, 200, 1.0);
      const HermiteFeatures wide(order, 0.05, 0.3);
      expect_agreement_everywhere(wide, 200, reach_of_z / wide.scale());
    }
  }
}

TEST(HermiteBatch, StaysFiniteForEveryFiniteValue) {
  for (const auto& map :
       {HermiteFeatures(150, 0.001, 0.99998), HermiteFeatures(100, 0.2, 0.5),
        HermiteFeatures::with_best_rho(1000, 0.001), HermiteFeatures::with_best_rho(20, 1000.0)}) {
    const HermiteBatchKernel kernel(map.recursion());
    std::vector<float> values = {0.0F, 1e-45F, 1e-30F, std::numeric_limits<float>::max()};
    for (float x = 1e-3F; x < 1e38F; x *= 1.1F) {
      values.push_back(x);
      values.push_back(-x);
    }
    const std::vector<float> weights = random_numbers(map.dimension(), -1.0, 1.0, 1);
    const Reference reference = reference_of(map, values, {}, weights);
    const double size = norm_of(weights);
    const double steepest = std::sqrt(2.0 * static_cast<double>(map.order()) + 1.0) * map.scale();
    for (const std::string& set : available_instruction_sets()) {
      const Forced forced(set, HermiteRoute::kChebyshev);
      std::vector<float> sums(map.dimension(), 0.0F);
      EXPECT_EQ(kernel.add_feature_sums(values, {}, sums), HermiteRoute::kRecursion);
      for (const float sum : sums) {
        ASSERT_LE(std::fabs(sum), static_cast<float>(values.size())) << set;
      }
      std::vector<float> series(values.size());
      std::vector<float> gradient(values.size());
      kernel.evaluate_series(values, weights, series, gradient);
      for (std::size_t i = 0; i < values.size(); ++i) {
        // Order 1000 is beyond what the header promises: ten times the error.
        ASSERT_NEAR(static_cast<double>(series[i]), static_cast<double>(reference.series[i]),
                    10 * kSeriesError * size)
            << set << " " << values[i];
        ASSERT_NEAR(static_cast<double>(gradient[i]), static_cast<double>(reference.gradient[i]),
                    10 * kGradientError * size * steepest)
            << set << " " << values[i];
      }
    }
  }
}

TEST(HermiteBatch, NotANumberAndInfinityShow) {
  const auto map = HermiteFeatures::with_best_rho(30, 0.1);
  const HermiteBatchKernel kernel(map.recursion());
  const std::vector<float> weights = random_numbers(map.dimension(), -1.0, 1.0, 1);
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
        -std::numeric_limits<float>::infinity()}) {
    for (const std::string& set : available_instruction_sets()) {
      for (const HermiteRoute route : kRoutes) {
        const Forced forced(set, route);
        std::vector<float> values = random_numbers(200, -1.0, 1.0, 2);
        values[77] = bad;
        std::vector<float> sums(map.dimension(), 0.0F);
        EXPECT_EQ(kernel.add_feature_sums(values, {}, sums), HermiteRoute::kRecursion);
        EXPECT_TRUE(
            std::all_of(sums.begin(), sums.end(), [](float sum) { return std::isnan(sum); }))
            << set << " " << bad;
        std::vector<float> series(values.size());
        std::vector<float> gradient(values.size());
        EXPECT_EQ(kernel.evaluate_series(values, weights, series, gradient),
                  HermiteRoute::kRecursion);
        for (std::size_t i = 0; i < values.size(); ++i) {
          EXPECT_EQ(std::isnan(series[i]), i == 77) << set << " " << i;
          EXPECT_EQ(std::isnan(gradient[i]), i == 77) << set << " " << i;
        }
      }
    }
  }
}

TEST(HermiteBatch, TakesTheRouteWithFewerMultiplications) {
  const auto map = HermiteFeatures::with_best_rho(100, 0.15);
  const HermiteBatchKernel kernel(map.recursion());
  ASSERT_TRUE(kernel.chebyshev_degree().has_value());
  EXPECT_LT(*kernel.chebyshev_degree(), 60u);
  std::vector<float> sums(map.dimension(), 0.0F);
  const std::vector<float> many = random_numbers(1000, -1.0, 1.0, 3);
  EXPECT_EQ(kernel.add_feature_sums(many, {}, sums), HermiteRoute::kChebyshev);
  EXPECT_EQ(kernel.add_feature_sums(std::span(many).first(5), {}, sums), HermiteRoute::kRecursion);
  std::vector<float> outside = many;
  outside.back() = -1.0001F;
  EXPECT_EQ(kernel.add_feature_sums(outside, {}, sums), HermiteRoute::kRecursion);
  // With the default order a Chebyshev series has more terms than the recursion multiplications.
  const auto small = HermiteFeatures::with_best_rho(20, 0.15);
  EXPECT_EQ(HermiteBatchKernel(small.recursion()).cheaper_route(100'000), HermiteRoute::kRecursion);
  const auto large = HermiteFeatures::with_best_rho(300, 0.1);
  EXPECT_FALSE(HermiteBatchKernel(large.recursion()).chebyshev_degree().has_value());
}

TEST(HermiteBatch, AddsToWhatIsThere) {
  const auto map = HermiteFeatures::with_best_rho(5, 0.5);
  const HermiteBatchKernel kernel(map.recursion());
  const std::vector<float> values = {0.5F, -0.25F};
  for (const HermiteRoute route : kRoutes) {
    const Forced forced("", route);
    std::vector<float> fresh(6, 0.0F);
    std::vector<float> added(6, 100.0F);
    EXPECT_EQ(kernel.add_feature_sums(values, {}, fresh), route);
    kernel.add_feature_sums(values, {}, added);
    for (std::size_t k = 0; k < 6; ++k) {
      EXPECT_EQ(added[k], fresh[k] + 100.0F);
    }
  }
}

TEST(HermiteBatch, ManyValuesLoseNoMoreThanFew) {
  const auto map = HermiteFeatures::with_best_rho(10, 0.3);
  const HermiteBatchKernel kernel(map.recursion());
  const std::vector<float> values(1'000'003, 0.3F);
  const std::vector<long double> phi = reference_features(map, static_cast<long double>(values[0]));
  for (const HermiteRoute route : kRoutes) {
    const Forced forced("", route);
    std::vector<float> sums(map.dimension(), 0.0F);
    EXPECT_EQ(kernel.add_feature_sums(values, {}, sums), route);
    for (std::size_t k = 0; k < sums.size(); ++k) {
      EXPECT_NEAR(static_cast<double>(sums[k]) / static_cast<double>(values.size()),
                  static_cast<double>(phi[k]), 3e-6);
    }
  }
}

TEST(HermiteBatch, LargeAndSmallWeightsKeepTheirScale) {
  const HermiteFeatures map(150, 0.002, 0.999);  // |z| up to 15.8
  const HermiteBatchKernel kernel(map.recursion());
  const std::vector<float> values = random_numbers(50, -1.0, 1.0, 4);
  const std::vector<float> weights = random_numbers(map.dimension(), -1.0, 1.0, 5);
  for (const HermiteRoute route : kRoutes) {
    const Forced forced("", route);
    std::vector<float> plain(values.size());
    EXPECT_EQ(kernel.evaluate_series(values, weights, {}, plain), route);
    for (const float factor : {0x1p-60F, 0x1p100F}) {  // powers of two change no rounding
      std::vector<float> scaled = weights;
      for (float& weight : scaled) {
        weight *= factor;
      }
      std::vector<float> gradient(values.size());
      kernel.evaluate_series(values, scaled, {}, gradient);
      for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_NEAR(gradient[i] / factor, plain[i], 1e-5F * std::fabs(plain[i]) + 1e-30F);
      }
    }
    std::vector<float> gradient(values.size(), 1.0F);
    kernel.evaluate_series(values, std::vector<float>(map.dimension(), 0.0F), {}, gradient);
    EXPECT_EQ(gradient, std::vector<float>(values.size(), 0.0F));
  }
}

TEST(HermiteBatch, LeavesTheTreatmentOfSubnormalNumbersAsItWas) {
  const auto map = HermiteFeatures::with_best_rho(20, 0.15);
  const HermiteBatchKernel kernel(map.recursion());
  std::vector<float> sums(map.dimension(), 0.0F);
  kernel.add_feature_sums(std::vector<float>{0.5F}, {}, sums);
  volatile float smallest_normal = std::numeric_limits<float>::min();
  volatile float half = 0.5F;
  EXPECT_GT(smallest_normal * half, 0.0F);
}

TEST(HermiteBatch, NoValuesAddNothing) {
  const auto map = HermiteFeatures::with_best_rho(20, 0.15);
  const HermiteBatchKernel kernel(map.recursion());
  for (const HermiteRoute route : kRoutes) {
    const Forced forced("", route);
    std::vector<float> sums(map.dimension(), 0.0F);
    kernel.add_feature_sums({}, {}, sums);
    EXPECT_EQ(sums, std::vector<float>(map.dimension(), 0.0F));
    kernel.evaluate_series({}, sums, {}, {});
  }
}

TEST(HermiteBatch, WrongLengthsAreRefused) {
  const auto map = HermiteFeatures::with_best_rho(20, 0.15);
  const HermiteBatchKernel kernel(map.recursion());
  std::vector<float> sums(map.dimension(), 0.0F);
  std::vector<float> two(2, 0.5F);
  EXPECT_THROW(kernel.add_feature_sums(two, {}, std::span(sums).first(20)), Error);
  EXPECT_THROW(kernel.add_feature_sums(two, std::span(two).first(1), sums), Error);
  EXPECT_THROW(kernel.evaluate_series(two, two, {}, two), Error);
  EXPECT_THROW(kernel.evaluate_series(two, sums, {}, std::span(two).first(1)), Error);
  EXPECT_THROW(kernel.evaluate_series(two, sums, std::span(two).first(1), two), Error);
}

}  // namespace hermite_batch_test
}  // namespace mehler
