#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include "mehler/core/error.h"
#include "mehler/core/integer_math.h"
#include "mehler/privacy/gaussian_slices.h"

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
/// A slice of the Gaussian is chosen by its weight (gaussian_slices.h) and a uniform place in it,
/// which is kept with the probability that the density there has of the slice's highest: decided by
/// comparisons of uniform numbers, as in Karney's algorithm (Sampling exactly from the normal
/// distribution, ACM TOMS 42, 2016), of which only the digits that a decision needs are drawn. The
/// tail is that algorithm. The product with sigma is rounded in integer arithmetic, with more
/// digits wherever the first 64 do not settle it. No floating-point operation touches a random
/// number, so the probability of each integer is exactly the Gaussian's probability of its
/// interval.
///
/// Privacy: sums are integers, so sum + round(noise) = round(sum + noise), a function of the
/// continuous Gaussian mechanism's output: the analytic calibration holds without any slack. About
/// 1.6 words a sample.
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
      const std::size_t slice = choose_slice();
      const Digit digit = next_digit();  // its highest bit is the sign, the lowest a first choice
      LazyUniform x(words_);
      const bool is_positive = (digit >> (kDigitBits - 1)) != 0;
      if (slice < kGaussianSlices) {
        // y = (slice + x) / 16: exp(-y^2 / 2) is exp(-slice^2 / 512) exp(-x (2 slice + x) / 512).
        const auto whole = static_cast<unsigned>(slice);
        if (accept(digit % kSliceChoices, 2 * whole, kSliceChoices, x)) {
          const std::int64_t magnitude = round_product(whole, x, kGaussianSliceExponent);
          return is_positive ? magnitude : -magnitude;
        }
      } else if (slice == kGaussianSlices) {
        const unsigned k = choose_tail_part();
        if (accept_in_tail(k, x)) {
          const std::int64_t magnitude = round_product(k, x, 0);
          return is_positive ? magnitude : -magnitude;
        }
      }
    }
  }

 private:
  /// Digits to the base 2^16, of which a word has four: nearly all decisions are settled by the
  /// first one, and words are what a sample costs most of.
  using Digit = std::uint16_t;
  static constexpr std::size_t kDigitBits = 16;
  static constexpr std::size_t kDigitsOfWord = 4;
  static constexpr unsigned kSliceChoices = 2U << (2 * kGaussianSliceExponent);

  /// Of each boundary the first digit; nothing reaches the last.
  static constexpr auto kFirstDigits = [] {
    std::array<std::uint32_t, kGaussianSlices + 2> digits{};
    for (std::size_t i = 0; i <= kGaussianSlices; ++i) {
      digits[i] = static_cast<std::uint32_t>(kGaussianBoundaries[i][0] >> 48);
    }
    digits.back() = std::uint32_t{1} << kDigitBits;
    return digits;
  }();
  /// The first slice that a digit can be of, by its 12 highest bits.
  static constexpr std::size_t kGuideBits = 12;
  static constexpr auto kGuide = [] {
    std::array<std::uint8_t, std::size_t{1} << kGuideBits> guide{};
    std::size_t slice = 0;
    for (std::size_t i = 0; i < guide.size(); ++i) {
      while (kFirstDigits[slice] < i << (kDigitBits - kGuideBits)) {
        ++slice;
      }
      guide[i] = static_cast<std::uint8_t>(slice);
    }
    return guide;
  }();

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

  /// A uniform number in (0, 1) whose digits are drawn, 64 at a time, when they are asked for.
  class LazyUniform {
   public:
    explicit LazyUniform(Words& source) : source_(&source) { digits_[0] = source.next_word(); }
    LazyUniform(const LazyUniform&) = delete;
    LazyUniform& operator=(const LazyUniform& other) {
      std::copy_n(other.digits_.begin(), other.count_, digits_.begin());
      count_ = other.count_;
      return *this;
    }

    std::uint64_t word(std::size_t index) const {
      MEHLER_ASSERT(index < kMostWords);
      for (; count_ <= index; ++count_) {
        digits_[count_] = source_->next_word();
      }
      return digits_[index];
    }

    bool operator<(const LazyUniform& other) const {
      for (std::size_t index = 0;; ++index) {
        if (word(index) != other.word(index)) {
          return word(index) < other.word(index);
        }
      }
    }

   private:
    Words* source_;
    /// More than these are asked for with a probability of 2^-448.
    static constexpr std::size_t kMostWords = 8;
    mutable std::array<std::uint64_t, kMostWords> digits_;
    mutable std::size_t count_ = 1;
  };

  /// True if a uniform number, of which a decision needs as many digits as agree, is below one of
  /// `count` digits. More than there are agree with a probability of 2^-(16 count).
  bool is_below(const auto& digit_of, std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < count; ++i) {
      const Digit wanted = digit_of(i);
      const Digit digit = next_digit();
      if (digit != wanted) {
        return digit < wanted;
      }
    }
    MEHLER_ASSERT(false && "all digits of a random number are those of a boundary");
    return false;
  }

  bool with_probability_exp_minus_half() {
    return is_below([](std::size_t i) { return kExpMinusHalf[i]; }, 0, kExpMinusHalf.size());
  }

  /// A slice by its weight; kGaussianSlices is the tail, and what is more is nobody's.
  std::size_t choose_slice() {
    const Digit first = next_digit();
    std::size_t slice = kGuide[first >> (kDigitBits - kGuideBits)];
    while (first > kFirstDigits[slice]) {
      ++slice;
    }
    if (first == kFirstDigits[slice]) {
      const SliceBoundary& boundary = kGaussianBoundaries[slice];
      const auto digit_of = [&](std::size_t i) {
        return static_cast<Digit>(boundary[i / kDigitsOfWord] >>
                                  (kDigitBits * (kDigitsOfWord - 1 - i % kDigitsOfWord)));
      };
      slice += is_below(digit_of, 1, boundary.size() * kDigitsOfWord) ? 0 : 1;
    }
    return slice;
  }

  /// k >= 4 with probability proportional to exp(-k^2 / 2): with k = 4 + m, a run of m times exp(-9
  /// / 2), kept with probability exp(-m (m - 1) / 2).
  unsigned choose_tail_part() {
    const auto all_of = [&](unsigned count) {
      bool all = true;
      for (unsigned i = 0; all && i < count; ++i) {
        all = with_probability_exp_minus_half();
      }
      return all;
    };
    while (true) {
      unsigned m = 0;
      while (all_of(2 * kGaussianTail + 1)) {
        ++m;
      }
      if (m < 2 || all_of(m * (m - 1))) {
        return kGaussianTail + m;
      }
    }
  }

  unsigned uniform_below(unsigned choices) {
    const unsigned limit = (1U << kDigitBits) - (1U << kDigitBits) % choices;
    unsigned digit = next_digit();
    while (digit >= limit) {
      digit = next_digit();
    }
    return digit % choices;
  }

  /// True with probability exp(-x (twice + x) / choices): x > u1 > u2 > ..., each step also taken
  /// with probability (twice + x) / choices alone, goes on for an even number of steps. The first
  /// `choice` is given, uniform below `choices`.
  bool accept(unsigned choice, unsigned twice, unsigned choices, const LazyUniform& x) {
    const auto goes_on = [&](unsigned chosen) {
      return chosen < twice || (chosen == twice && LazyUniform(words_) < x);
    };
    if (!goes_on(choice)) {
      return true;
    }
    // The first comparison is with x itself, not with a copy: digits that it draws belong to x for
    // good.
    LazyUniform previous(words_);
    if (!(previous < x)) {
      return true;
    }
    for (bool even = false;; even = !even) {
      if (!goes_on(uniform_below(choices))) {
        return even;
      }
      LazyUniform next(words_);
      if (!(next < previous)) {
        return even;
      }
      previous = next;
    }
  }

  /// True with probability exp(-x (2 k + x) / 2), as k + 1 decisions.
  bool accept_in_tail(unsigned k, const LazyUniform& x) {
    MEHLER_ASSERT(k < 256);  // larger has probability exp(-32768)
    const unsigned choices = 2 * k + 2;
    bool accepted = true;
    for (unsigned i = 0; accepted && i <= k; ++i) {
      accepted = accept(uniform_below(choices), 2 * k, choices, x);
    }
    return accepted;
  }

  /// round(sigma (whole + x) / 2^exponent), in units of 2^-(64 + shift + exponent).
  std::int64_t round_product(unsigned whole, const LazyUniform& x, int exponent) const {
    const int places = 64 + shift_ + exponent;
    const uint128 unit = uint128{1} << places;
    const uint128 low = multiplier_ * ((uint128{whole} << 64) + x.word(0));
    const uint128 quotient = (low + unit / 2) >> places;
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
