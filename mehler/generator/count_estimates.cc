#include "mehler/generator/count_estimates.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "mehler/core/error.h"

namespace mehler {

std::vector<double> project_to_counts(std::span<const double> values, double total) {
  MEHLER_ASSERT(!values.empty() && total >= 0.0);
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double sum = 0.0;
  double shift = 0.0;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    sum += sorted[k];
    const double candidate = (sum - total) / static_cast<double>(k + 1);
    if (sorted[k] > candidate || k == 0) {
      shift = candidate;
    }
  }
  std::vector<double> result;
  for (const double value : values) {
    result.push_back(std::max(value - shift, 0.0));
  }
  return result;
}

std::vector<double> smooth_ordered(std::span<const double> values, double variance) {
  const std::size_t size = values.size();
  const auto count = static_cast<double>(size);
  double mean = 0.0;
  for (const double value : values) {
    mean += value / count;
  }
  std::vector<double> result(size, mean);
  const auto basis = [&](std::size_t k, std::size_t j) {
    return std::cos(std::numbers::pi * static_cast<double>(k) * (static_cast<double>(j) + 0.5) /
                    count) *
           std::sqrt(2.0 / count);
  };
  for (std::size_t first = 1; first < size; first *= 2) {
    const std::size_t last = std::min(2 * first, size);
    std::vector<double> coefficients;
    double energy = 0.0;
    for (std::size_t k = first; k < last; ++k) {
      double coefficient = 0.0;
      for (std::size_t j = 0; j < size; ++j) {
        coefficient += basis(k, j) * values[j];
      }
      coefficients.push_back(coefficient);
      energy += coefficient * coefficient;
    }
    const double factor =
        std::max(0.0, 1.0 - static_cast<double>(last - first) * variance / std::max(energy, 1e-30));
    if (factor > 0.0) {
      for (std::size_t k = first; k < last; ++k) {
        for (std::size_t j = 0; j < size; ++j) {
          result[j] += factor * coefficients[k - first] * basis(k, j);
        }
      }
    }
  }
  return result;
}

PriorVariance::PriorVariance(std::span<const double> deviations, std::span<const double> expected,
                             double noise, double freedom) {
  MEHLER_ASSERT(deviations.size() == expected.size() && noise > 0.0);
  // tau = noise e^g / max(expected), g in steps of 1/4: a cell's variance is noise (1 + e^g share).
  constexpr double kFirst = -8.0;
  constexpr int kSteps = 89;
  const double largest = *std::max_element(expected.begin(), expected.end());
  std::vector<double> likelihood(kSteps, 0.0);
  double without = 0.0;  // of tau = 0; all are relative to sum log(noise)
  const double half = 0.5 * freedom;
  std::vector<double> shares(expected.size());
  std::vector<double> squares(expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    shares[i] = expected[i] / largest;
    squares[i] = deviations[i] * deviations[i] / noise;
    without -= half * squares[i];
  }
  for (int step = 0; step < kSteps; ++step) {
    const double ratio = std::exp(kFirst + 0.25 * step);
    // Logarithms of products of some factors: the factors are at most 1 + e^14.
    double logs = 0.0;
    double product = 1.0;
    double quadratic = 0.0;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const double variance = 1.0 + ratio * shares[i];
      product *= variance;
      quadratic += squares[i] / variance;
      if (i % 32 == 31) {
        logs += std::log(product);
        product = 1.0;
      }
    }
    logs += std::log(product);
    likelihood[static_cast<std::size_t>(step)] = -half * (logs + quadratic);
  }
  const auto best = std::max_element(likelihood.begin(), likelihood.end());
  const auto tau_of = [&](std::ptrdiff_t step) {
    return noise * std::exp(kFirst + 0.25 * static_cast<double>(step)) / largest;
  };
  if (*best > without) {
    most_likely_ = tau_of(best - likelihood.begin());
  }
  const double top = std::max(*best, without);
  double weights = std::exp(without - top);
  for (int step = 0; step < kSteps; ++step) {
    const double weight =
        std::exp(likelihood[static_cast<std::size_t>(step)] - top) / static_cast<double>(kSteps);
    weights += weight;
    mean_ += weight * tau_of(step);
  }
  mean_ /= weights;
}

}  // namespace mehler
