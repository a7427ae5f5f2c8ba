#include "mehler/estimation/sparse_counts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "mehler/core/error.h"

namespace mehler {
namespace {

constexpr double kLeastFilled = 1.0 / (1 << 20);

constexpr double kFar = -30.0;  ///< in sigmas; erfc underflows beyond

/// log of exp(z^2 / 2) Phi(z), with Phi the normal distribution function.
double log_scaled_cdf(double z) {
  const double log_root = 0.5 * std::log(2.0 * std::numbers::pi);
  if (z < kFar) {
    return -log_root - std::log(-z) - 1.0 / (z * z);
  }
  return 0.5 * z * z + std::log(0.5 * std::erfc(-z / std::numbers::sqrt2));
}

/// A cell's noisy count under the prior, in units of sigma.
struct CellPosterior {
  double log_likelihood = 0.0;  ///< over that of an empty cell
  double mean = 0.0;
  double probability = 1.0;  ///< that it is filled
};

CellPosterior posterior_of(double noisy, double expected, double filled) {
  // Given that the cell is filled, a normal distribution around noisy - filled / expected, cut at
  // 0.
  const double rate = filled / expected;
  const double z = noisy - rate;
  const double log_cdf = log_scaled_cdf(z);
  // Over the likelihood of an empty cell: rate exp(z^2 / 2) Phi(z) sqrt(2 pi).
  const double log_odds = std::log(rate) + log_cdf + 0.5 * std::log(2.0 * std::numbers::pi);
  // Far below 0 the two terms cancel.
  const double mean =
      z < kFar ? -1.0 / z : z + std::exp(-log_cdf) / std::sqrt(2.0 * std::numbers::pi);
  if (filled == 1.0) {
    return {log_odds, mean};
  }
  const double log_filled = std::log(filled) + log_odds;
  const double log_empty = std::log1p(-filled);
  const double larger = std::max(log_filled, log_empty);
  const double log_sum =
      larger + std::log(std::exp(log_filled - larger) + std::exp(log_empty - larger));
  return {log_sum, std::exp(log_filled - log_sum) * mean, std::exp(log_filled - log_sum)};
}

}  // namespace

std::vector<double> estimate_sparse_counts(std::span<const double> noisy,
                                           std::span<const double> expected, double sigma) {
  MEHLER_ASSERT(noisy.size() == expected.size() && sigma > 0.0);
  const auto posterior = [&](std::size_t i, double filled) {
    return posterior_of(noisy[i] / sigma, expected[i] / sigma, filled);
  };
  double best = 0.0;  // as expected, over all empty: x^2 - (x - e)^2 = e (2 x - e)
  for (std::size_t i = 0; i < noisy.size(); ++i) {
    best += 0.5 * expected[i] * (2.0 * noisy[i] - expected[i]) / (sigma * sigma);
  }
  double best_filled = 0.0;
  double last = -std::numeric_limits<double>::infinity();
  for (double filled = 1.0; filled >= kLeastFilled; filled /= 2.0) {
    double sum = 0.0;
    for (std::size_t i = 0; i < noisy.size(); ++i) {
      sum += posterior(i, filled).log_likelihood;
    }
    if (sum > best) {
      best = sum;
      best_filled = filled;
    }
    if (sum < last) {
      break;  // less and less likely from here
    }
    last = sum;
  }
  std::vector<double> result(expected.begin(), expected.end());
  for (std::size_t i = 0; i < noisy.size() && best_filled > 0.0; ++i) {
    const CellPosterior cell = posterior(i, best_filled);
    result[i] = cell.probability < 0.5 ? 0.0 : sigma * cell.mean;
  }
  return result;
}

}  // namespace mehler
