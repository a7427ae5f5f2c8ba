#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <variant>

namespace mehler {

/// The output with and without one record, in the worst case: (1 - q) N(0, z^2) + q N(1, z^2)
/// against N(0, z^2), with q the sampling rate and z the noise multiplier. It dominates a step of
/// Poisson sampling under add-remove-one (Zhu, Dong and Wang 2022); at q = 1 it is the Gaussian
/// mechanism with mu = 1/z.
struct SampledNoisePair {
  double noise_multiplier = 0.0;
  double sampling_rate = 0.0;

  auto operator<=>(const SampledNoisePair&) const = default;
};

/// The same where the record's part of the answer is replaced by another instead of left out: its
/// delta is that of the pair above at epsilon >= 0 and in both directions, which bounds every
/// mechanism that shows one of several parts, drawn with probability q each, of which one differs
/// (Balle, Barthe and Gaboardi 2018: advanced joint convexity). Losses above 0 are those of
/// SampledNoisePair, at -l stands e^-l times what is at l, and the rest at 0
/// (docs/design/0014-charges-and-composition.md).
struct ReplacedNoisePair {
  double noise_multiplier = 0.0;
  double sampling_rate = 0.0;

  auto operator<=>(const ReplacedNoisePair&) const = default;
};

/// Randomised response: a truth told with probability e^epsilon / (1 + e^epsilon) against a lie
/// told so. It dominates every mechanism of pure epsilon, each of which is a function of its answer
/// (Kairouz, Oh and Viswanath 2015).
struct RandomisedResponsePair {
  double epsilon = 0.0;

  auto operator<=>(const RandomisedResponsePair&) const = default;
};

/// Two distributions that are at least as far apart, at every epsilon, as the outputs of a
/// mechanism on neighbouring tables: a dominating pair.
using LossPair = std::variant<SampledNoisePair, RandomisedResponsePair, ReplacedNoisePair>;

/// How often each pair occurs; what is composed. The order of the charges is gone.
using LossPairCounts = std::map<LossPair, std::uint64_t>;

}  // namespace mehler
