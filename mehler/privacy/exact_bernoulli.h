#pragma once

#include <cstdint>

#include "mehler/core/error.h"
#include "mehler/core/integer_math.h"
#include "mehler/privacy/rounded_gaussian.h"

namespace mehler {

/// Exact decisions with probabilities that are rational, or exp(-x) of a rational x (Canonne,
/// Kamath and Steinke, The Discrete Gaussian for Differential Privacy, 2020, algorithm 1): integers
/// and fair bits alone, no floating point.
template <RandomWords Words>
class ExactBernoulli {
 public:
  /// `words` must outlive it.
  explicit ExactBernoulli(Words& words) : words_(words) {}

  /// Uniform in {0, .., bound - 1}; bound >= 1.
  uint128 uniform_below(uint128 bound) {
    if (bound >> 64 == 0) {
      const auto small = static_cast<std::uint64_t>(bound);
      const std::uint64_t beyond = (0 - small) % small;  // 2^64 modulo the bound
      std::uint64_t word = words_.next_word();
      while (word < beyond) {
        word = words_.next_word();
      }
      return word % small;
    }
    const uint128 beyond = (uint128{0} - bound) % bound;
    uint128 word = two_words();
    while (word < beyond) {
      word = two_words();
    }
    return word % bound;
  }

  /// True with probability exp(-numerator / denominator); denominator in [1, 2^120].
  bool with_probability_exp(uint128 numerator, uint128 denominator) {
    // exp(-x) = exp(-1) .. exp(-1) exp(-fraction): the first that fails settles it.
    for (; numerator > denominator; numerator -= denominator) {
      if (!with_fraction(1, 1)) {
        return false;
      }
    }
    return with_fraction(numerator, denominator);
  }

 private:
  uint128 two_words() {
    const uint128 high = words_.next_word();
    return (high << 64) | words_.next_word();
  }

  /// The same for numerator <= denominator. Of a chain of decisions with probabilities x / 1, x /
  /// 2, .. the first that fails is an odd one with probability 1 - x + x^2 / 2! - .. = exp(-x).
  bool with_fraction(uint128 numerator, uint128 denominator) {
    for (std::uint64_t k = 1;; ++k) {
      MEHLER_ASSERT(k < 256);  // more has a probability of 1 / 255!
      if (uniform_below(denominator * k) >= numerator) {
        return k % 2 == 1;
      }
    }
  }

  Words& words_;
};

/// Exact samples of the discrete Laplace distribution: k with probability proportional to
/// exp(-abs(k) numerator / 2^exponent) (the same article, algorithm 2).
template <RandomWords Words>
class DiscreteLaplace {
 public:
  /// `words` must outlive it. 1 <= numerator, exponent <= 52.
  DiscreteLaplace(Words& words, std::uint64_t numerator, int exponent)
      : words_(words), bernoulli_(words), numerator_(numerator), exponent_(exponent) {
    MEHLER_ASSERT(numerator >= 1 && exponent >= 0 && exponent <= 52);
  }

  std::int64_t sample() {
    const std::uint64_t unit = std::uint64_t{1} << exponent_;
    while (true) {
      const std::uint64_t fraction = words_.next_word() & (unit - 1);
      if (!bernoulli_.with_probability_exp(fraction, unit)) {
        continue;
      }
      std::uint64_t whole = 0;
      while (bernoulli_.with_probability_exp(1, 1)) {
        ++whole;
      }
      MEHLER_ASSERT(whole < 1024);  // more has a probability of exp(-1024)
      const auto magnitude = static_cast<std::int64_t>((fraction + unit * whole) / numerator_);
      const bool negative = (words_.next_word() & 1) != 0;
      if (!(negative && magnitude == 0)) {  // zero has one sign
        return negative ? -magnitude : magnitude;
      }
    }
  }

 private:
  Words& words_;
  ExactBernoulli<Words> bernoulli_;
  std::uint64_t numerator_;
  int exponent_;
};

}  // namespace mehler
