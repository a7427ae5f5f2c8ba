#include "mehler/privacy/rounded_gaussian.h"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <map>
#include <vector>

#include "mehler/core/seeded_random.h"
#include "mehler/privacy/secure_random.h"
#include "tests/support/errors.h"

namespace mehler {
namespace rounded_gaussian_test {

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

/// Pearson's statistic of samples against the exact probabilities of the rounded Gaussian, and its
/// degrees of freedom.
template <typename Words>
std::pair<double, double> chi_square(Words& words, double sigma, int draws) {
  RoundedGaussian<Words> noise(words, sigma);
  std::map<std::int64_t, int> counts;
  // Cells a sixth of sigma wide (at least one integer), within 4 sigma; two tails.
  const auto width = static_cast<std::int64_t>(std::max(1.0, std::floor(sigma / 6.0)));
  const auto last = static_cast<std::int64_t>(std::floor(4.0 * sigma / static_cast<double>(width)));
  for (int i = 0; i < draws; ++i) {
    const std::int64_t value = noise.sample();
    std::int64_t cell = value >= 0 ? value / width : -((-value + width - 1) / width);
    cell = std::clamp(cell, -last, last);
    ++counts[cell];
  }
  double statistic = 0.0;
  for (std::int64_t cell = -last; cell <= last; ++cell) {
    const auto from = static_cast<double>(cell * width) - 0.5;
    const double low = cell == -last ? 0.0 : normal_cdf(from / sigma);
    const double high =
        cell == last ? 1.0 : normal_cdf((from + static_cast<double>(width)) / sigma);
    const double expected = (high - low) * draws;
    statistic += (counts[cell] - expected) * (counts[cell] - expected) / expected;
  }
  return {statistic, static_cast<double>(2 * last)};
}

TEST(RoundedGaussian, HasTheProbabilitiesOfTheRoundedNormal) {
  SecureRandom random;
  for (const double sigma : {1.0, 1.7, 3.730632, 25.0, 4e6, 2e13}) {
    const auto [statistic, freedom] = chi_square(random, sigma, 400'000);
    // Mean freedom, variance 2 freedom; 7 standard deviations: below 1e-7 for each of six settings.
    EXPECT_LT(statistic, freedom + 7.0 * std::sqrt(2.0 * freedom) + 10.0) << sigma;
  }
}

TEST(RoundedGaussian, HasItsVarianceAndNoBias) {
  SecureRandom random;
  const double sigma = 3.9e6;
  RoundedGaussian<SecureRandom> noise(random, sigma);
  constexpr int kDraws = 500'000;
  double sum = 0.0;
  double squares = 0.0;
  double fourth = 0.0;
  for (int i = 0; i < kDraws; ++i) {
    const double z = static_cast<double>(noise.sample()) / sigma;
    sum += z;
    squares += z * z;
    fourth += z * z * z * z;
  }
  // Six standard deviations each: a failure probability of 6e-9 in all.
  EXPECT_NEAR(sum / kDraws, 0.0, 6.0 / std::sqrt(kDraws));
  EXPECT_NEAR(squares / kDraws, 1.0, 6.0 * std::sqrt(2.0 / kDraws));
  EXPECT_NEAR(fourth / kDraws, 3.0, 6.0 * std::sqrt(96.0 / kDraws));
}

/// Words from a script, then a failure: the sampler must not draw more than the script says.
class ScriptedWords {
 public:
  explicit ScriptedWords(std::deque<std::uint64_t> words) : words_(std::move(words)) {}
  std::uint64_t next_word() {
    if (words_.empty()) {
      throw Error(ErrorCode::kInternal, "the script is over");
    }
    const std::uint64_t word = words_.front();
    words_.pop_front();
    return word;
  }
  bool done() const { return words_.empty(); }

 private:
  std::deque<std::uint64_t> words_;
};

/// Words whose digits of 16 bits, the lowest of a word first, are these.
std::deque<std::uint64_t> words_of(const std::vector<std::uint16_t>& digits) {
  std::deque<std::uint64_t> words;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i % 4 == 0) {
      words.push_back(0);
    }
    words.back() |= std::uint64_t{digits[i]} << (16 * (i % 4));
  }
  return words;
}

constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;

// k = 0: a number above exp(-1/2) says no. x: then a number above x ends the acceptance run at once
// (even: accepted). Then the rest of x, and the sign.
std::int64_t sample_of_fraction(double sigma, const std::vector<std::uint64_t>& fraction,
                                std::uint16_t sign = 1) {
  std::vector<std::uint16_t> of_fraction;
  for (const std::uint64_t word : fraction) {
    for (int shift = 48; shift >= 0; shift -= 16) {
      of_fraction.push_back(static_cast<std::uint16_t>(word >> shift));
    }
  }
  std::vector<std::uint16_t> digits = {0xFFFF, of_fraction[0], 0xFFFF};
  digits.insert(digits.end(), of_fraction.begin() + 1, of_fraction.end());
  digits.push_back(sign);
  ScriptedWords words(words_of(digits));
  const std::int64_t value = RoundedGaussian<ScriptedWords>(words, sigma).sample();
  EXPECT_TRUE(words.done());
  return value;
}

TEST(RoundedGaussian, RoundsTheScaledFraction) {
  // sigma x with x = 1/4: 0.25 sigma.
  EXPECT_EQ(sample_of_fraction(8.0, {kHalf / 2}), 2);
  EXPECT_EQ(sample_of_fraction(9.0, {kHalf / 2}), 2);   // 2.25
  EXPECT_EQ(sample_of_fraction(11.0, {kHalf / 2}), 3);  // 2.75
  EXPECT_EQ(sample_of_fraction(11.0, {kHalf / 2}, 0), -3);
  EXPECT_EQ(sample_of_fraction(1.0, {kHalf / 2}), 0);
}

TEST(RoundedGaussian, DrawsMoreDigitsOnlyWhereTheRoundingNeedsThem) {
  // sigma = 3 and a fraction whose first 64 digits are those of 1/6: 3 x = 0.5 - a little; the next
  // digits decide. floor(2^64 / 6) has a remainder of 4/6: the boundary is at f = 2/3 of the next
  // word.
  const std::uint64_t sixth = UINT64_MAX / 6;
  EXPECT_EQ(sample_of_fraction(3.0, {sixth, UINT64_MAX / 3}), 0);
  EXPECT_EQ(sample_of_fraction(3.0, {sixth, UINT64_MAX / 4 * 3}), 1);
  // Exactly the digits of 2/3, twice: still undecided, until the third word.
  const std::uint64_t two_thirds = UINT64_MAX / 3 * 2;
  EXPECT_EQ(sample_of_fraction(3.0, {sixth, two_thirds, two_thirds, 0}), 0);
  EXPECT_EQ(sample_of_fraction(3.0, {sixth, two_thirds, two_thirds, UINT64_MAX}), 1);
}

// 1/2 > u1 > u2 > .. goes on for an even number of steps with probability exp(-1/2) (von Neumann);
// its digits are those of 1 - 1/2 + 1/8 - 1/48 + .., summed in 640 bits.
TEST(RoundedGaussian, KnowsTheDigitsOfExpMinusHalf) {
  constexpr std::size_t kWords = 40;  // of 16 bits
  std::vector<std::uint32_t> term(kWords + 1, 0);
  std::vector<std::int64_t> sum(kWords + 1, 0);
  term[0] = 1;
  for (std::uint32_t n = 1; n <= 200; ++n) {
    for (std::size_t i = 0; i <= kWords; ++i) {
      sum[i] += n % 2 == 1 ? term[i] : -std::int64_t{term[i]};
    }
    std::uint32_t rest = 0;
    for (std::uint32_t& word : term) {
      const std::uint32_t value = (rest << 16) | word;
      word = value / (2 * n);
      rest = value % (2 * n);
    }
  }
  for (std::size_t i = kWords; i > 0; --i) {  // carries
    const std::int64_t carry = sum[i] >> 16;
    sum[i] -= carry * 65536;
    sum[i - 1] += carry;
  }
  EXPECT_EQ(sum[0], 0);
  for (std::size_t i = 0; i < kExpMinusHalf.size(); ++i) {
    EXPECT_EQ(sum[i + 1], kExpMinusHalf[i]) << i;
  }
}

// The first digit is that of exp(-1/2): the second decides whether k is 0 or goes on.
TEST(RoundedGaussian, ComparesAsManyDigitsAsItNeeds) {
  const auto last = static_cast<std::uint16_t>(kExpMinusHalf[1] + 1);
  // k = 0, x = 1/4, accepted, sign.
  ScriptedWords words(words_of({kExpMinusHalf[0], last, 0x4000, 0xFFFF, 0, 0, 0, 1}));
  EXPECT_EQ(RoundedGaussian<ScriptedWords>(words, 8.0).sample(), 2);
  EXPECT_TRUE(words.done());
  // Below it once, then above: k = 1, which needs no further choice; twice accepted.
  ScriptedWords one(words_of({kExpMinusHalf[0], 0, 0xFFFF, 0x4000, 0xFFFF, 0xFFFF, 0, 0, 0, 1}));
  EXPECT_EQ(RoundedGaussian<ScriptedWords>(one, 8.0).sample(), 10);
}

TEST(RoundedGaussian, RefusesSigmaItCannotDraw) {
  SeededRandom random(1);
  for (const double sigma : {0.0, 0.5, -1.0, 1e16, double{NAN}, double{INFINITY}}) {
    message_of(ErrorCode::kInternal, [&] { RoundedGaussian<SeededRandom>(random, sigma); });
  }
}

}  // namespace rounded_gaussian_test
}  // namespace mehler
