#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mehler/core/error.h"
#include "mehler/core/integer_math.h"

namespace mehler {

/// Something that gives 64 independent fair bits at a time.
template <typename Words>
concept RandomWords = requires(Words& words) {
  { words.next_word() } -> std::same_as<std::uint64_t>;
};

/// The standard deviations that can be sampled, in units of the grid.
inline constexpr double kMinRoundedSigma = 1.0;
inline constexpr double kMaxRoundedSigma = 4503599627370496.0;  // 2^52

/// Exact samples of round(N(0, sigma^2)).
///
/// The Gaussian is Karney's (Sampling exactly from the normal distribution, ACM TOMS 42, 2016): an
/// integer part k and a uniform fraction x of which only the digits that a decision needs are
/// drawn. The product with sigma is rounded in integer arithmetic, with more digits wherever the
/// first 64 do not settle it. No floating-point operation touches a random number, so the
/// probability of each integer is exactly the Gaussian's probability of its interval.
///
/// Privacy: sums are integers, so sum + round(noise) = round(sum + noise), a function of the
/// continuous Gaussian mechanism's output: the analytic calibration holds without any slack. About
/// 10 words and 0.3 us a sample.
template <RandomWords Words>
class RoundedGaussian {
 public:
  /// `words` must outlive the sampler; kMinRoundedSigma <= sigma <= kMaxRoundedSigma.
  RoundedGaussian(Words& words, double sigma) : words_(words) {
    MEHLER_ASSERT(sigma >= kMinRoundedSigma && sigma <= kMaxRoundedSigma);
    int exponent = 0;
    const double mantissa = std::frexp(sigma, &exponent);  // sigma = mantissa 2^exponent, exactly
    multiplier_ = static_cast<std::uint64_t>(std::ldexp(mantissa, 53));
    shift_ = 53 - exponent;  // sigma = multiplier 2^-shift, 0 <= shift <= 52
  }

  std::int64_t sample() {
    while (true) {
      const unsigned k = sample_integer_part();
      LazyUniform fraction(words_);
      bool accepted = true;
      for (unsigned i = 0; accepted && i <= k; ++i) {
        accepted = accept_fraction(k, fraction);
      }
      if (accepted) {
        const std::int64_t magnitude = round_product(k, fraction);
        return (words_.next_word() & 1) != 0 ? magnitude : -magnitude;
      }
    }
  }

 private:
  /// A uniform number in (0, 1) whose binary digits are drawn when they are asked for, 64 at a
  /// time.
  class LazyUniform {
   public:
    explicit LazyUniform(Words& words) : words_(&words), first_(words.next_word()) {}

    std::uint64_t digits(std::size_t index) const {
      if (index == 0) {
        return first_;
      }
      while (more_.size() < index) {
        more_.push_back(words_->next_word());
      }
      return more_[index - 1];
    }

    bool operator<(const LazyUniform& other) const {
      for (std::size_t index = 0;; ++index) {
        if (digits(index) != other.digits(index)) {
          return digits(index) < other.digits(index);
        }
      }
    }

   private:
    Words* words_;
    std::uint64_t first_;
    mutable std::vector<std::uint64_t> more_;
  };

  /// True with probability exp(-1/2): 1/2 > u1 > u2 > ... goes on for an even number of steps (von
  /// Neumann).
  bool with_probability_exp_minus_half() {
    LazyUniform previous(words_);
    if (previous.digits(0) >> 63 != 0) {
      return true;
    }
    for (bool even = false;; even = !even) {
      LazyUniform next(words_);
      if (!(next < previous)) {
        return even;
      }
      previous = next;
    }
  }

  /// k with probability proportional to exp(-k^2 / 2): a geometric k, kept with probability exp(-k
  /// (k - 1) / 2).
  unsigned sample_integer_part() {
    while (true) {
      unsigned k = 0;
      while (with_probability_exp_minus_half()) {
        ++k;
      }
      bool kept = true;
      for (unsigned i = 0; kept && k >= 2 && i < k * (k - 1); ++i) {
        kept = with_probability_exp_minus_half();
      }
      if (kept) {
        return k;
      }
    }
  }

  /// True with probability (2k + x) / (2k + 2).
  bool with_probability_near_one(unsigned k, const LazyUniform& x) {
    const std::uint64_t choices = 2 * std::uint64_t{k} + 2;
    const std::uint64_t limit = UINT64_MAX - UINT64_MAX % choices;
    std::uint64_t word = words_.next_word();
    while (word >= limit) {
      word = words_.next_word();
    }
    const std::uint64_t choice = word % choices;
    return choice < 2 * std::uint64_t{k} ||
           (choice == 2 * std::uint64_t{k} && LazyUniform(words_) < x);
  }

  /// True with probability exp(-x (2k + x) / (2k + 2)): x > u1 > u2 > ..., each step also kept with
  /// probability (2k + x) / (2k + 2), goes on for an even number of steps.
  bool accept_fraction(unsigned k, const LazyUniform& x) {
    // The first comparison is with x itself, not with a copy: digits that it draws belong to x for
    // good.
    LazyUniform previous(words_);
    if (!(previous < x) || !with_probability_near_one(k, x)) {
      return true;
    }
    for (bool even = false;; even = !even) {
      LazyUniform next(words_);
      if (!(next < previous) || !with_probability_near_one(k, x)) {
        return even;
      }
      previous = next;
    }
  }

  /// round(sigma (k + x)), in units of 2^-(64 + shift).
  std::int64_t round_product(unsigned k, const LazyUniform& x) const {
    MEHLER_ASSERT(k < 256);  // larger has probability exp(-32768)
    const uint128 unit = uint128{1} << (64 + shift_);
    const uint128 low = multiplier_ * ((uint128{k} << 64) + x.digits(0));
    const uint128 quotient = (low + unit / 2) / unit;
    const auto rounded = static_cast<std::int64_t>(quotient);
    // The unknown digits f of x add multiplier f, 0 <= f < 1. Do they reach the next rounding
    // boundary?
    uint128 gap = (quotient + 1) * unit - unit / 2 - low;
    for (std::size_t index = 1; gap < multiplier_; ++index) {
      const uint128 wanted = gap << 64;
      const uint128 reached = uint128{multiplier_} * x.digits(index);
      if (reached >= wanted) {
        return rounded + 1;
      }
      gap = wanted - reached;
    }
    return rounded;
  }

  Words& words_;
  std::uint64_t multiplier_ = 0;
  int shift_ = 0;
};

}  // namespace mehler
