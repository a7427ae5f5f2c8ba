#include "mehler/privacy/rounded_gaussian.h"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <map>

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

constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;

// k = 0: u = 1/4 < 1/2, then v = 1/2 is no descent: one step, odd, so exp(-1/2) says no.
// x: then 3/4 > x ends the acceptance run at once (even: accepted). Then the sign.
std::int64_t sample_of_fraction(double sigma, std::deque<std::uint64_t> fraction,
                                std::uint64_t sign = 1) {
  std::deque<std::uint64_t> script = {kHalf / 2, kHalf, fraction.front(), UINT64_MAX};
  for (std::size_t i = 1; i < fraction.size(); ++i) {
    script.push_back(fraction[i]);
  }
  script.push_back(sign);
  ScriptedWords words(script);
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

TEST(RoundedGaussian, RefusesSigmaItCannotDraw) {
  SeededRandom random(1);
  for (const double sigma : {0.0, 0.5, -1.0, 1e16, double{NAN}, double{INFINITY}}) {
    message_of(ErrorCode::kInternal, [&] { RoundedGaussian<SeededRandom>(random, sigma); });
  }
}

}  // namespace rounded_gaussian_test
}  // namespace mehler
