#include "mehler/features/hermite_features.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "mehler/core/seeded_random.h"
#include "mehler/features/hermite_bounds.h"
#include "tests/support/errors.h"

namespace mehler {
namespace hermite_features_test {

/// The recursion in long double.
std::vector<long double> reference(const HermiteFeatures& features, double x) {
  const auto rho = static_cast<long double>(features.rho());
  const auto z = static_cast<long double>(features.scale()) * static_cast<long double>(x);
  std::vector<long double> phi = {std::pow((1 - rho) * (1 + rho), 0.25L) *
                                  std::exp(-rho * z * z / (1 + rho))};
  long double previous = 0;
  for (std::size_t k = 0; k < features.order(); ++k) {
    const auto n = static_cast<long double>(k + 1);
    const long double next =
        std::sqrt(2 * rho / n) * z * phi[k] - rho * std::sqrt((n - 1) / n) * previous;
    previous = phi[k];
    phi.push_back(next);
  }
  return phi;
}

struct Setting {
  std::size_t order;
  double length_scale;
};

const std::vector<Setting> kSettings = {{1, 0.15},   {5, 0.05},    {20, 0.15},
                                        {20, 1.0},   {50, 0.05},   {100, 0.02},
                                        {150, 0.01}, {400, 0.005}, {1000, 0.001}};

TEST(HermiteFeatures, AgreeWithLongDouble) {
  for (const Setting& setting : kSettings) {
    const auto features = HermiteFeatures::with_best_rho(setting.order, setting.length_scale);
    std::vector<double> phi(features.dimension());
    for (double x = -1.0; x <= 1.0; x += 0.013) {
      features.evaluate(x, phi.data());
      const std::vector<long double> exact = reference(features, x);
      for (std::size_t k = 0; k < phi.size(); ++k) {
        ASSERT_NEAR(phi[k], static_cast<double>(exact[k]), 1e-13)
            << setting.order << " " << x << " " << k;
      }
    }
  }
}

TEST(HermiteFeatures, InnerProductsTendToTheGaussianKernel) {
  const auto features = HermiteFeatures::with_best_rho(60, 0.15);
  std::vector<double> a(features.dimension());
  std::vector<double> b(features.dimension());
  for (double x = -1.0; x <= 1.0; x += 0.1) {
    for (double y = -1.0; y <= 1.0; y += 0.1) {
      features.evaluate(x, a.data());
      features.evaluate(y, b.data());
      double product = 0.0;
      for (std::size_t k = 0; k < a.size(); ++k) {
        product += a[k] * b[k];
      }
      EXPECT_NEAR(product, std::exp(-(x - y) * (x - y) / (2 * 0.15 * 0.15)), 1e-12);
    }
  }
}

TEST(HermiteFeatures, TheDefaultLosesLittleOfTheNorm) {
  const auto features = HermiteFeatures::with_best_rho(20, 0.15);
  for (double x = -1.0; x <= 1.0; x += 1e-3) {
    EXPECT_GT(features.squared_norm(x), 1.0 - 0.0013);
  }
}

TEST(HermiteFeatures, TheBestRhoBeatsItsNeighbours) {
  const auto worst_loss = [](const HermiteFeatures& features) {
    double loss = 0.0;
    for (double x = 0.0; x <= 1.0; x += 1e-3) {
      loss = std::max(loss, 1.0 - features.squared_norm(x));
    }
    return loss;
  };
  for (const Setting& setting : {Setting{5, 0.1}, Setting{20, 0.1}, Setting{50, 0.05}}) {
    const auto best = HermiteFeatures::with_best_rho(setting.order, setting.length_scale);
    for (const double factor : {0.9, 0.97, 1.03}) {
      const double rho = std::min(0.9999, best.rho() * factor);
      EXPECT_LE(worst_loss(best),
                worst_loss(HermiteFeatures(setting.order, setting.length_scale, rho)) + 1e-6);
    }
  }
}

TEST(HermiteFeatures, NormNeverExceedsItsBound) {
  SeededRandom random(5);
  for (const Setting& setting : kSettings) {
    const auto features = HermiteFeatures::with_best_rho(setting.order, setting.length_scale);
    const CertifiedBound bound = certify_squared_norm(features);
    double largest = 0.0;
    for (int i = 0; i < 20'000; ++i) {
      largest = std::max(largest, features.squared_norm(2.0 * random.uniform() - 1.0));
    }
    EXPECT_LE(largest, bound.value) << setting.order;
    EXPECT_GE(largest, 0.999 * bound.value) << setting.order << ": the bound is loose";
  }
}

TEST(HermiteFeatures, DifferenceNeverExceedsItsBound) {
  SeededRandom random(6);
  for (const Setting& setting : {Setting{1, 0.15}, Setting{5, 0.05}, Setting{10, 0.3},
                                 Setting{20, 0.15}, Setting{20, 3.0}, Setting{100, 0.02}}) {
    const auto features = HermiteFeatures::with_best_rho(setting.order, setting.length_scale);
    const double bound = certify_squared_difference(features).value;
    std::vector<double> a(features.dimension());
    std::vector<double> b(features.dimension());
    double largest = 0.0;
    for (int i = 0; i < 200'000; ++i) {
      features.evaluate(2.0 * random.uniform() - 1.0, a.data());
      features.evaluate(
          i % 2 == 0 ? 2.0 * random.uniform() - 1.0 : std::copysign(1.0, random.uniform() - 0.5),
          b.data());
      double distance = 0.0;
      for (std::size_t k = 0; k < a.size(); ++k) {
        distance += (a[k] - b[k]) * (a[k] - b[k]);
      }
      largest = std::max(largest, distance);
    }
    EXPECT_LE(largest, bound) << setting.order;
    EXPECT_GE(largest, 0.98 * bound) << setting.order << ": the bound is loose";
  }
}

TEST(HermiteFeatures, RefuseWhatIsOutsideTheirLimits) {
  const auto refuses = [](std::size_t order, double length_scale, double rho) {
    message_of(ErrorCode::kInvalidArgument, [&] { HermiteFeatures(order, length_scale, rho); });
  };
  refuses(0, 0.1, 0.5);
  refuses(HermiteFeatures::kMaxOrder + 1, 0.1, 0.5);
  for (const double bad : {0.0, -1.0, 1e-9, 1e9, double{NAN}, double{INFINITY}}) {
    refuses(5, bad, 0.5);
  }
  for (const double bad : {0.0, 1.0, -0.5, 2.0, double{NAN}}) {
    refuses(5, 0.1, bad);
  }
}

TEST(HermiteFeatures, BoundsTakeBoundedWorkWhateverAFileSays) {
  for (const auto& [order, length_scale, rho] :
       {std::tuple(1000, 1e-3, 1e-6), std::tuple(1, 1e-3, 1e-9), std::tuple(30, 1e-3, 1e-12)}) {
    const HermiteFeatures features(static_cast<std::size_t>(order), length_scale, rho);
    const CertifiedBound bound = certify_squared_norm(features);
    const auto work = static_cast<double>(bound.grid_points * features.dimension());
    EXPECT_LE(work, max_grid_work(features.dimension()));
    EXPECT_EQ(bound.grid_step, 0.0);  // analytic
    EXPECT_GE(bound.value, 1.0);
    EXPECT_LE(bound.value, 1.0 + 1e-11);
  }
}

TEST(HermiteFeatures, TheBestRhoOfUsualOrdersIsCertifiedOnAGrid) {
  for (const std::size_t order : {1, 2, 5, 20, 100, 300}) {
    for (const double length_scale : {1e-3, 0.15, 1.0, 100.0}) {
      const auto features = HermiteFeatures::with_best_rho(order, length_scale);
      EXPECT_GT(certify_squared_norm(features).grid_points, 0u) << order << " " << length_scale;
    }
  }
}

}  // namespace hermite_features_test
}  // namespace mehler
