#include "mehler/evaluation/kernels/kernel_comparison.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mehler/features/length_scale.h"
#include "tests/support/errors.h"

namespace mehler {
namespace kernel_comparison_test {

KernelComparison small_comparison() {
  KernelComparison comparison;
  comparison.points = 30;
  comparison.draws = 5;
  comparison.orders = {0, 2, 7};
  comparison.entries = {2, 40};
  return comparison;
}

TEST(KernelComparison, IsTheErrorOfTheFeaturesOnItsPoints) {
  const KernelComparison comparison = small_comparison();
  const double rho = 0.4;
  const std::vector<ComparisonRow> rows = compare_kernel_features(comparison, rho, Context{});
  ASSERT_EQ(rows.size(), 5U);
  const SimulatedPoints points = simulate_points(comparison);
  // By Mehler's formula as the paper writes it, with Hermite polynomials, at order 2.
  const auto phi = [&](double x) {
    const double front = std::sqrt(1 - rho) * std::pow((1 + rho) / (1 - rho), 0.25) *
                         std::exp(-rho / (1 + rho) * x * x);
    return std::vector<double>{front, front * std::sqrt(rho / 2) * 2 * x,
                               front * rho / std::sqrt(8.0) * (4 * x * x - 2)};
  };
  double mean = 0.0;
  for (const double x : points.x) {
    for (const double y : points.y) {
      const std::vector<double> a = phi(x);
      const std::vector<double> b = phi(y);
      mean += std::fabs(std::exp(-rho / (1 - rho * rho) * (x - y) * (x - y)) - a[0] * b[0] -
                        a[1] * b[1] - a[2] * b[2]) /
              900.0;
    }
  }
  EXPECT_EQ(rows[1].order, 2U);
  EXPECT_EQ(rows[1].entries, 3U);
  EXPECT_NEAR(rows[1].error.mean, mean, 1e-13);
  EXPECT_FALSE(rows[3].order.has_value());
  EXPECT_EQ(rows[4].entries, 40U);
  EXPECT_LT(rows[4].error.mean, rows[3].error.mean);
}

TEST(KernelComparison, IsTheSameForAnyNumberOfThreads) {
  const std::vector<ComparisonRow> one =
      compare_kernel_features(small_comparison(), 0.3, Context{});
  const std::vector<ComparisonRow> many =
      compare_kernel_features(small_comparison(), 0.3, Context{4, nullptr, nullptr});
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].error.mean, many[i].error.mean);
    EXPECT_EQ(one[i].spread, many[i].spread);
  }
}

TEST(KernelComparison, MayHaveOneKindOfFeaturesOnly) {
  KernelComparison comparison = small_comparison();
  comparison.orders.clear();
  EXPECT_EQ(compare_kernel_features(comparison, 0.3, Context{}).size(), 2U);
  comparison = small_comparison();
  comparison.orders = {0};
  comparison.entries.clear();
  EXPECT_EQ(compare_kernel_features(comparison, 0.3, Context{}).size(), 1U);
}

TEST(KernelComparison, HasBoundsOnlyWhereTheyAreProven) {
  KernelComparison comparison = small_comparison();
  comparison.shift = 0.0;
  for (const ComparisonRow& row : compare_kernel_features(comparison, 1.0 / 3.0, Context{})) {
    EXPECT_EQ(row.upper_bound.has_value(), row.order.has_value());
    EXPECT_EQ(row.lower_bound.has_value(), !row.order.has_value());
  }
  comparison.shift = 0.1;
  EXPECT_FALSE(compare_kernel_features(comparison, 1.0 / 3.0, Context{})[0].upper_bound);
  comparison.shift = 0.0;
  EXPECT_FALSE(compare_kernel_features(comparison, 0.34, Context{})[0].upper_bound);
}

TEST(KernelComparison, RefusesWhatIsOutsideItsLimits) {
  const auto refuses = [](const std::function<void(KernelComparison&)>& change, double rho = 0.3) {
    KernelComparison comparison = small_comparison();
    change(comparison);
    return message_of(ErrorCode::kInvalidArgument,
                      [&] { compare_kernel_features(comparison, rho, Context{}); });
  };
  expect_mentions(refuses([](auto& c) { c.points = 0; }), {"points", "is 0"});
  expect_mentions(refuses([](auto& c) { c.points = 2'001; }), {"points", "2001"});
  expect_mentions(refuses([](auto& c) { c.draws = 0; }), {"draws", "is 0"});
  expect_mentions(refuses([](auto& c) { c.shift = NAN; }), {"shift", "nan"});
  expect_mentions(refuses([](auto& c) { c.shift = 11.0; }), {"shift", "11"});
  expect_mentions(refuses([](auto& c) { c.orders = {3, 1}; }), {"orders", "1 follows 3"});
  expect_mentions(refuses([](auto& c) { c.orders = {1001}; }), {"order", "1001"});
  expect_mentions(refuses([](auto& c) { c.entries = {4, 4}; }), {"random", "4 follows 4"});
  expect_mentions(refuses([](auto& c) { c.entries = {5}; }), {"even", "is 5"});
  expect_mentions(refuses([](auto& c) { c.entries = {0}; }), {"random features", "is 0"});
  for (const double bad : {0.0, 1.0, double{NAN}}) {
    expect_mentions(refuses([](auto&) {}, bad), {"rho", "(0, 1)"});
  }
}

}  // namespace kernel_comparison_test
}  // namespace mehler
