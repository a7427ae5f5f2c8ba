#pragma once

#include <cmath>
#include <limits>

#include "mehler/accounting/gaussian_privacy.h"
#include "mehler/accounting/privacy_loss_distribution.h"

namespace mehler {

/// The probability that N(mean, deviation^2) is above x.
inline double normal_above(double x, double mean, double deviation) {
  return 0.5 * std::erfc((x - mean) / (std::sqrt(2.0) * deviation));
}

/// The output whose loss is this: z^2 log((e^loss - 1 + q) / q) + 1/2.
inline double output_with_loss(const SampledNoisePair& pair, double loss) {
  const double ratio = (std::expm1(loss) + pair.sampling_rate) / pair.sampling_rate;
  const double z = pair.noise_multiplier;
  return ratio <= 0.0 ? -std::numeric_limits<double>::infinity() : z * z * std::log(ratio) + 0.5;
}

/// delta of one sampled step at any epsilon, also below 0, in closed form: what the first
/// distribution gives to losses above epsilon, less e^epsilon times what the second gives.
inline double exact_delta(const SampledNoisePair& pair, LossDirection direction, double epsilon) {
  const double z = pair.noise_multiplier;
  const double q = pair.sampling_rate;
  if (direction == LossDirection::kRemoved) {
    const double x = output_with_loss(pair, epsilon);
    const double null = normal_above(x, 0.0, z);
    return (1.0 - q) * null + q * normal_above(x, 1.0, z) - std::exp(epsilon) * null;
  }
  const double x = output_with_loss(pair, -epsilon);
  const double null = normal_above(-x, 0.0, z);
  return null - std::exp(epsilon) * ((1.0 - q) * null + q * normal_above(-x, -1.0, z));
}

/// delta of a Gaussian mechanism at any epsilon: it is symmetric, so that below 0
/// delta(epsilon) = 1 - e^epsilon + e^epsilon delta(-epsilon).
inline double exact_delta_of_gaussian(double mu, double epsilon) {
  return epsilon >= 0.0
             ? delta_of_gaussian(mu, epsilon)
             : -std::expm1(epsilon) + std::exp(epsilon) * delta_of_gaussian(mu, -epsilon);
}

/// delta of a Gaussian mechanism and `count` mechanisms of pure epsilon: over the number of truths
/// among the answers of randomised response, each of which moves epsilon. With mu = 0 of the pure
/// ones alone: Kairouz, Oh and Viswanath 2015, theorem 3.3.
inline double exact_delta_with_pure(double mu, double pure_epsilon, int count, double epsilon) {
  const double truth = 1.0 / (1.0 + std::exp(-pure_epsilon));
  double sum = 0.0;
  double binomial = 1.0;
  for (int truths = 0; truths <= count; ++truths) {
    const double probability =
        binomial * std::pow(truth, truths) * std::pow(1.0 - truth, count - truths);
    const double left = epsilon - (2 * truths - count) * pure_epsilon;
    sum += probability *
           (mu > 0.0 ? exact_delta_of_gaussian(mu, left) : std::max(-std::expm1(left), 0.0));
    binomial *= static_cast<double>(count - truths) / (truths + 1);
  }
  return sum;
}

}  // namespace mehler
