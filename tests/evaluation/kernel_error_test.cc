#include "mehler/evaluation/kernels/kernel_error.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mehler/core/seeded_random.h"
#include "mehler/features/length_scale.h"
#include "tests/support/errors.h"

namespace mehler {
namespace kernel_error_test {

std::vector<double> normal_points(std::size_t count, std::uint64_t seed, double scale) {
  SeededRandom random(seed);
  std::vector<double> points(count);
  for (double& point : points) {
    point = random.normal() * scale;
  }
  return points;
}

template <typename Features>
KernelError error_by_definition(const Features& features, const std::vector<double>& x,
                                const std::vector<double>& y,
                                const std::function<void(double, double*)>& evaluate) {
  KernelError error;
  std::vector<double> a(features.dimension());
  std::vector<double> b(features.dimension());
  for (const double u : x) {
    for (const double v : y) {
      evaluate(u, a.data());
      evaluate(v, b.data());
      double product = 0.0;
      for (std::size_t k = 0; k < a.size(); ++k) {
        product += a[k] * b[k];
      }
      const double l = features.length_scale();
      const double difference = std::fabs(std::exp(-(u - v) * (u - v) / (2 * l * l)) - product);
      error.mean += difference / static_cast<double>(x.size() * y.size());
      error.largest = std::max(error.largest, difference);
    }
  }
  return error;
}

TEST(HermiteKernelErrors, AreThoseOfEveryOrder) {
  const std::vector<double> x = normal_points(23, 1, 0.2);
  const std::vector<double> y = normal_points(31, 2, 0.2);
  const double rho = rho_of_length_scale(0.3, 2.0);
  const std::vector<KernelError> errors = hermite_kernel_errors(HermiteFeatures(9, 0.3, rho), x, y);
  ASSERT_EQ(errors.size(), 10U);
  for (std::size_t order = 1; order < errors.size(); ++order) {
    const HermiteFeatures features(order, 0.3, rho);
    const KernelError expected = error_by_definition(
        features, x, y, [&](double u, double* out) { features.evaluate(u, out); });
    EXPECT_NEAR(errors[order].mean, expected.mean, 1e-14);
    EXPECT_NEAR(errors[order].largest, expected.largest, 1e-14);
  }
}

TEST(RandomFourierKernelErrors, AreThoseOfEveryCount) {
  const std::vector<double> x = normal_points(13, 1, 1.0);
  const std::vector<double> y = normal_points(17, 2, 1.0);
  const std::vector<std::size_t> counts = {1, 5, 40};
  const std::vector<KernelError> errors =
      random_fourier_kernel_errors(RandomFourierFeatures(1, 50, 0.8, 3), x, y, counts);
  ASSERT_EQ(errors.size(), counts.size());
  for (std::size_t c = 0; c < counts.size(); ++c) {
    const RandomFourierFeatures features(1, counts[c], 0.8, 3);
    const KernelError expected = error_by_definition(
        features, x, y, [&](double u, double* out) { features.evaluate(&u, out); });
    EXPECT_NEAR(errors[c].mean, expected.mean, 1e-14);
    EXPECT_NEAR(errors[c].largest, expected.largest, 1e-14);
  }
}

TEST(RandomFourierKernelErrors, TakePointsOfSeveralNumbers) {
  const RandomFourierFeatures features(2, 30, 0.8, 3);
  const std::vector<double> x = {0.1, 0.2};
  const std::vector<double> y = {0.4, -0.2, 0.1, 0.2};
  const std::vector<std::size_t> counts = {30};
  const std::vector<KernelError> errors = random_fourier_kernel_errors(features, x, y, counts);
  double angles = 0.0;
  for (std::size_t j = 0; j < 30; ++j) {
    angles += std::cos(-0.3 * features.frequency(j)[0] + 0.4 * features.frequency(j)[1]) / 30;
  }
  // The second pair are equal points, whose kernel is 1 on both sides.
  EXPECT_NEAR(errors[0].largest, std::fabs(std::exp(-0.25 / (2 * 0.64)) - angles), 1e-14);
  EXPECT_NEAR(errors[0].mean, errors[0].largest / 2, 1e-14);
}

/// The mean squared error over standard normal pairs is exactly the square of the bound; 4,000,000
/// pairs of 2,000 + 2,000 points bring it to a few percent. The seed is fixed.
TEST(HermiteErrorBound, IsTheRootMeanSquareForStandardNormalPoints) {
  constexpr double kLargest = 10.0;  // bounds that no point leaves
  const std::vector<double> x = normal_points(2000, 5, 1 / kLargest);
  const std::vector<double> y = normal_points(2000, 6, 1 / kLargest);
  const HermiteFeatures features(4, length_scale_of_rho(1.0 / 3.0) / kLargest, 1.0 / 3.0);
  const std::vector<KernelError> errors = hermite_kernel_errors(features, x, y);
  std::vector<double> a(5);
  std::vector<double> b(5);
  double squares = 0.0;
  for (const double u : x) {
    features.evaluate(u, a.data());
    for (const double v : y) {
      features.evaluate(v, b.data());
      const double l = features.length_scale();
      const double error =
          std::exp(-(u - v) * (u - v) / (2 * l * l)) - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
      squares += error * error / 4e6;
    }
  }
  EXPECT_NEAR(std::sqrt(squares) / hermite_error_bound(2), 1.0, 0.1);
  for (std::size_t order = 0; order <= 4; ++order) {
    EXPECT_LT(errors[order].mean, hermite_error_bound(order));
    EXPECT_GT(errors[order].mean, 0.2 * hermite_error_bound(order));
  }
  EXPECT_DOUBLE_EQ(hermite_error_bound(0), 1 / (3 * std::sqrt(2.0)));
  EXPECT_DOUBLE_EQ(hermite_error_bound(2), 1 / (27 * std::sqrt(2.0)));
  EXPECT_DOUBLE_EQ(random_feature_error_bound(500), 1.0 / 4000);
}

TEST(KernelErrors, RefuseWhatTheyCannotMeasure) {
  const HermiteFeatures hermite(3, 0.5, 0.4);
  const RandomFourierFeatures random(2, 10, 0.5, 1);
  const std::vector<double> good = {0.5, 0.25};
  for (const std::vector<double>& bad :
       {std::vector<double>{}, {0.5, 1.5}, {double{NAN}, 0.0}, {double{INFINITY}, 0.0}}) {
    message_of(ErrorCode::kInvalidArgument, [&] { hermite_kernel_errors(hermite, bad, good); });
    message_of(ErrorCode::kInvalidArgument, [&] { hermite_kernel_errors(hermite, good, bad); });
  }
  using Counts = std::vector<std::size_t>;
  for (const std::vector<double>& bad :
       {std::vector<double>{}, {0.5}, {double{NAN}, 0.0}, {double{INFINITY}, 0.0}}) {
    message_of(ErrorCode::kInvalidArgument,
               [&] { random_fourier_kernel_errors(random, bad, good, Counts{1}); });
  }
  for (const Counts& bad : {Counts{0}, {11}, {3, 3}, {5, 2}}) {
    expect_mentions(message_of(ErrorCode::kInvalidArgument,
                               [&] { random_fourier_kernel_errors(random, good, good, bad); }),
                    {"at most 10"});
  }
}

}  // namespace kernel_error_test
}  // namespace mehler
