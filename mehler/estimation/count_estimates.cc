#include "mehler/estimation/count_estimates.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

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

void centre(std::vector<double>& table, std::span<const std::size_t> shape) {
  std::size_t stride = table.size();
  for (const std::size_t size : shape) {
    const std::size_t outer = stride;  // cells of one value of the columns before
    stride /= size;
    for (std::size_t first = 0; first < table.size(); first += outer) {
      for (std::size_t inner = 0; inner < stride; ++inner) {
        double* cells = &table[first + inner];
        double mean = 0.0;
        for (std::size_t k = 0; k < size; ++k) {
          mean += cells[k * stride] / static_cast<double>(size);
        }
        for (std::size_t k = 0; k < size; ++k) {
          cells[k * stride] -= mean;
        }
      }
    }
  }
}

namespace {

/// Strengths that are told apart: 0, and even steps of logarithms up to the number of records,
/// which columns have that determine one another. 1 is what chance gives independent columns.
constexpr std::size_t kStrengths = 64;
constexpr double kLeastLog = -6.0;

std::vector<double> strengths_up_to(double rows) {
  const double step = (std::log(std::max(rows, 2.0)) - kLeastLog) / (kStrengths - 2);
  std::vector<double> strengths = {0.0};
  while (strengths.size() < kStrengths) {
    strengths.push_back(std::exp(kLeastLog + step * static_cast<double>(strengths.size() - 1)));
  }
  return strengths;
}

/// What is believed before any table is seen, and so much as this many tables would say: half for
/// 0, half spread evenly over the logarithms.
constexpr double kTablesBefore = 2.0;

std::vector<double> first_prior() {
  std::vector<double> prior(kStrengths, 0.5 / static_cast<double>(kStrengths - 1));
  prior[0] = 0.5;
  return prior;
}

/// The probabilities of the strengths of a table.
std::vector<double> posterior(std::span<const double> prior, std::span<const double> likelihood) {
  std::vector<double> result(kStrengths);
  double sum = 0.0;
  for (std::size_t i = 0; i < kStrengths; ++i) {
    result[i] = prior[i] * likelihood[i];
    sum += result[i];
  }
  for (double& probability : result) {
    probability /= sum;
  }
  return result;
}

}  // namespace

std::vector<double> strength_likelihood(std::span<const double> deviations,
                                        std::span<const double> expected, double noise,
                                        double freedom, double rows) {
  MEHLER_ASSERT(deviations.size() == expected.size() && noise > 0.0);
  std::vector<double> ratios(expected.size());
  std::vector<double> squares(expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ratios[i] = expected[i] / noise;
    squares[i] = deviations[i] * deviations[i] / noise;
  }
  std::vector<double> result;
  for (const double tau : strengths_up_to(rows)) {
    // Relative to sum log(noise). One logarithm for the product of a few factors.
    double logs = 0.0;
    double product = 1.0;
    double quadratic = 0.0;
    for (std::size_t i = 0; i < ratios.size(); ++i) {
      const double variance = 1.0 + tau * ratios[i];
      product *= variance;
      quadratic += squares[i] / variance;
      if (i % 8 == 7) {
        logs += std::log(product);
        product = 1.0;
      }
    }
    result.push_back(-0.5 * freedom * (logs + std::log(product) + quadratic));
  }
  return result;
}

namespace {

/// The probabilities of the strengths of each table, under one prior for all.
std::vector<std::vector<double>> posteriors(std::span<const std::vector<double>> likelihoods) {
  std::vector<std::vector<double>> relative;  // to the largest of each table
  for (const std::vector<double>& logs : likelihoods) {
    MEHLER_ASSERT(logs.size() == kStrengths);
    const double top = *std::max_element(logs.begin(), logs.end());
    std::vector<double>& table = relative.emplace_back();
    for (const double log : logs) {
      // Not 0, so that every strength stays possible.
      table.push_back(std::max(std::exp(log - top), 1e-300));
    }
  }
  constexpr int kIterations = 50;
  const std::vector<double> before = first_prior();
  const double all = kTablesBefore + static_cast<double>(relative.size());
  std::vector<double> prior = before;
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    std::vector<double> next(kStrengths);
    for (std::size_t i = 0; i < kStrengths; ++i) {
      next[i] = before[i] * kTablesBefore / all;
    }
    for (const std::vector<double>& table : relative) {
      const std::vector<double> probabilities = posterior(prior, table);
      for (std::size_t i = 0; i < kStrengths; ++i) {
        next[i] += probabilities[i] / all;
      }
    }
    prior = std::move(next);
  }
  std::vector<std::vector<double>> result;
  for (const std::vector<double>& table : relative) {
    result.push_back(posterior(prior, table));
  }
  return result;
}

}  // namespace

std::vector<double> estimate_strengths(std::span<const std::vector<double>> likelihoods,
                                       double rows) {
  const std::vector<double> strengths = strengths_up_to(rows);
  std::vector<double> result;
  for (const std::vector<double>& probabilities : posteriors(likelihoods)) {
    result.push_back(
        std::inner_product(probabilities.begin(), probabilities.end(), strengths.begin(), 0.0));
  }
  return result;
}

std::vector<double> estimate_kept_shares(std::span<const std::vector<double>> likelihoods,
                                         std::span<const double> noises, double rows) {
  MEHLER_ASSERT(noises.size() == likelihoods.size());
  const std::vector<double> strengths = strengths_up_to(rows);
  const std::vector<std::vector<double>> probabilities = posteriors(likelihoods);
  std::vector<double> result(noises.size());
  for (std::size_t table = 0; table < result.size(); ++table) {
    for (std::size_t i = 0; i < kStrengths; ++i) {
      result[table] += probabilities[table][i] * strengths[i] / (strengths[i] + noises[table]);
    }
  }
  return result;
}

}  // namespace mehler
