#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>

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

/// exp(-1/2) to 512 binary places, 16 at a time.
inline constexpr std::array<std::uint16_t, 32> kExpMinusHalf = {
    0x9B45, 0x97E3, 0x7CB0, 0x4FF3, 0xD675, 0xA355, 0x30CD, 0xD767, 0xE347, 0xBF8A, 0xD0E8,
    0x0ABB, 0xCE4A, 0xE958, 0x6101, 0x4318, 0x7944, 0xCF10, 0x32E9, 0xA4B0, 0x9167, 0xA9A5,
    0x7024, 0x02AD, 0x0B36, 0xB800, 0x9DAA, 0xD52A, 0x21B5, 0xE185, 0xD8F9, 0x8E32};

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
/// 5 words a sample.
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
      LazyUniform fraction(*this);
      bool accepted = true;
      for (unsigned i = 0; accepted && i <= k; ++i) {
        accepted = accept_fraction(k, fraction);
      }
      if (accepted) {
        const std::int64_t magnitude = round_product(k, fraction);
        return (next_digit() & 1) != 0 ? magnitude : -magnitude;
      }
    }
  }

 private:
  /// Digits to the base 2^16, of which a word has four: nearly all decisions are settled by the
  /// first one, and words are what a sample costs most of.
  using Digit = std::uint16_t;
  static constexpr std::size_t kDigitBits = 16;
  static constexpr std::size_t kDigitsOfWord = 4;

  /// The next 16 random bits.
  Digit next_digit() {
    if (digits_left_ == 0) {
      word_ = words_.next_word();
      digits_left_ = kDigitsOfWord;
    }
    const auto digit = static_cast<Digit>(word_);
    word_ >>= kDigitBits;
    --digits_left_;
    return digit;
  }

  /// A uniform number in (0, 1) whose digits are drawn when they are asked for.
  class LazyUniform {
   public:
    explicit LazyUniform(RoundedGaussian& source) : source_(&source) {
      digits_[0] = source.next_digit();
    }
    LazyUniform(const LazyUniform&) = delete;
    LazyUniform& operator=(const LazyUniform& other) {
      std::copy_n(other.digits_.begin(), other.count_, digits_.begin());
      count_ = other.count_;
      return *this;
    }

    Digit digit(std::size_t index) const {
      MEHLER_ASSERT(index < kMostDigits);
      for (; count_ <= index; ++count_) {
        digits_[count_] = source_->next_digit();
      }
      return digits_[index];
    }

    /// Digits 4 index to 4 index + 3, as a number.
    std::uint64_t word(std::size_t index) const {
      std::uint64_t value = 0;
      for (std::size_t i = 0; i < kDigitsOfWord; ++i) {
        value = (value << kDigitBits) | digit(kDigitsOfWord * index + i);
      }
      return value;
    }

    bool operator<(const LazyUniform& other) const {
      for (std::size_t index = 0;; ++index) {
        if (digit(index) != other.digit(index)) {
          return digit(index) < other.digit(index);
        }
      }
    }

   private:
    RoundedGaussian* source_;
    /// More than these are asked for with a probability of 2^-496.
    static constexpr std::size_t kMostDigits = 32;
    mutable std::array<Digit, kMostDigits> digits_;
    mutable std::size_t count_ = 1;
  };

  /// True with probability exp(-1/2): a uniform number is below it, of which a decision needs as
  /// many digits as agree. More than there are agree with a probability of 2^-512.
  bool with_probability_exp_minus_half() {
    for (const Digit wanted : kExpMinusHalf) {
      const Digit digit = next_digit();
      if (digit != wanted) {
        return digit < wanted;
      }
    }
    MEHLER_ASSERT(false && "512 digits of a random number are those of exp(-1/2)");
    return false;
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
    MEHLER_ASSERT(k < 256);  // larger has probability exp(-32768)
    const unsigned choices = 2 * k + 2;
    const unsigned limit = (1U << kDigitBits) - (1U << kDigitBits) % choices;
    unsigned digit = next_digit();
    while (digit >= limit) {
      digit = next_digit();
    }
    const unsigned choice = digit % choices;
    return choice < 2 * k || (choice == 2 * k && LazyUniform(*this) < x);
  }

  /// True with probability exp(-x (2k + x) / (2k + 2)): x > u1 > u2 > ..., each step also kept with
  /// probability (2k + x) / (2k + 2), goes on for an even number of steps.
  bool accept_fraction(unsigned k, const LazyUniform& x) {
    // The first comparison is with x itself, not with a copy: digits that it draws belong to x for
    // good.
    LazyUniform previous(*this);
    if (!(previous < x) || !with_probability_near_one(k, x)) {
      return true;
    }
    for (bool even = false;; even = !even) {
      LazyUniform next(*this);
      if (!(next < previous) || !with_probability_near_one(k, x)) {
        return even;
      }
      previous = next;
    }
  }

  /// round(sigma (k + x)), in units of 2^-(64 + shift).
  std::int64_t round_product(unsigned k, const LazyUniform& x) const {
    MEHLER_ASSERT(k < 256);
    const uint128 unit = uint128{1} << (64 + shift_);
    const uint128 low = multiplier_ * ((uint128{k} << 64) + x.word(0));
    const uint128 quotient = (low + unit / 2) >> (64 + shift_);
    const auto rounded = static_cast<std::int64_t>(quotient);
    // The unknown digits f of x add multiplier f, 0 <= f < 1. Do they reach the next rounding
    // boundary?
    uint128 gap = (quotient + 1) * unit - unit / 2 - low;
    for (std::size_t index = 1; gap < multiplier_; ++index) {
      const uint128 wanted = gap << 64;
      const uint128 reached = uint128{multiplier_} * x.word(index);
      if (reached >= wanted) {
        return rounded + 1;
      }
      gap = wanted - reached;
    }
    return rounded;
  }

  Words& words_;
  std::uint64_t word_ = 0;  ///< what is left of a word
  std::size_t digits_left_ = 0;
  std::uint64_t multiplier_ = 0;
  int shift_ = 0;
};

}  // namespace mehler
