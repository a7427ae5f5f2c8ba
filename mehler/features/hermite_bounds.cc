#include "mehler/features/hermite_bounds.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mehler {
namespace {

/// Covers the rounding of the grid values themselves, which is below 1e-13 a feature.
constexpr double kRoundingMargin = 1e-12;

struct Slopes {
  double largest_z;
  double b;
  double l;
};

Slopes slopes_of(const HermiteFeatures& features) {
  const double largest_z = features.scale();
  const double b = 2.0 * features.recursion().decay;
  const double l =
      std::sqrt(2.0 * static_cast<double>(features.order()) * features.rho()) + b * largest_z;
  return {largest_z, b, l};
}

}  // namespace

CertifiedBound certify_squared_norm(const HermiteFeatures& features) {
  const auto [largest_z, b, l] = slopes_of(features);
  const double curvature = 4.0 * l * l + 2.0 * b;
  // A margin of 1e-4 in S; noise grows by half of that.
  const double wanted_step = std::sqrt(8e-4 / curvature);
  // s is even, so the grid covers [0, max z] with both ends on it.
  const double intervals = std::ceil(largest_z / wanted_step);
  // Written so that NaN fails too.
  if (!((intervals + 1.0) * static_cast<double>(features.dimension()) <=
        max_grid_work(features.dimension()))) {
    return {1.0 + kRoundingMargin, 0.0, 0.0, 0};
  }
  const double step = largest_z / intervals;
  double maximum = 0.0;
  for (std::size_t i = 0; i <= static_cast<std::size_t>(intervals); ++i) {
    maximum = std::max(maximum, features.squared_norm(static_cast<double>(i) / intervals));
  }
  const double bound = maximum / (1.0 - step * step * curvature / 8.0) + kRoundingMargin;
  return {std::min(1.0 + kRoundingMargin, bound), step, maximum,
          static_cast<std::size_t>(intervals) + 1};
}

CertifiedBound certify_squared_difference(const HermiteFeatures& features) {
  const auto [largest_z, b, l] = slopes_of(features);
  const double length_scale = features.length_scale();
  const double analytic = 2.0 - 2.0 * std::exp(-2.0 / (length_scale * length_scale));

  // A margin of 2e-3 S if that takes no more than about 10^8 multiplications; else as fine as those
  // allow.
  const double factor = 2.0 * l * l + b;
  const double most_points =
      std::max(64.0, std::floor(std::sqrt(2e8 / static_cast<double>(features.dimension()))));
  const double intervals =
      std::min(most_points, std::ceil(2.0 * largest_z / std::sqrt(2e-3 / factor)));
  const auto points = static_cast<std::size_t>(intervals) + 1;
  const double step = 2.0 * largest_z / intervals;
  const std::size_t dimension = features.dimension();
  std::vector<double> values(points * dimension);
  for (std::size_t i = 0; i < points; ++i) {
    features.evaluate(-1.0 + 2.0 * static_cast<double>(i) / intervals, &values[i * dimension]);
  }
  double maximum = 0.0;
  // The distance is symmetric in its two points and under (x, y) -> (-x, -y): i <= j and i + j <=
  // last suffice.
  for (std::size_t i = 0; i < points; ++i) {
    for (std::size_t j = i + 1; i + j < points; ++j) {
      const double* x = &values[i * dimension];
      const double* y = &values[j * dimension];
      double distance = 0.0;
      for (std::size_t c = 0; c < dimension; ++c) {
        distance += (x[c] - y[c]) * (x[c] - y[c]);
      }
      maximum = std::max(maximum, distance);
    }
  }
  const double norm = certify_squared_norm(features).value;
  const double bound = maximum + step * step * factor * norm + kRoundingMargin;
  return {std::min(analytic + kRoundingMargin, bound), step, maximum, points};
}

}  // namespace mehler
