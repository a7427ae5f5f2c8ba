#include "mehler/privacy/rounded_gaussian.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <utility>
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

/// A word whose digits of 16 bits, the lowest first, are these.
std::uint64_t word_of(const std::vector<std::uint16_t>& digits) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    word |= std::uint64_t{digits[i]} << (16 * i);
  }
  return word;
}

constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;
constexpr std::uint16_t kPositive = 0x8000;

/// What is drawn of these words, all of which are asked for.
std::int64_t sample_of(double sigma, std::deque<std::uint64_t> script) {
  ScriptedWords words(std::move(script));
  const std::int64_t value = RoundedGaussian<ScriptedWords>(words, sigma).sample();
  EXPECT_TRUE(words.done());
  return value;
}

// A first digit of 0 is of slice 0, and a choice of 1 of 512 accepts every place x in it: sigma x /
// 16. The highest bit of the choice's digit is the sign.
std::int64_t sample_of_fraction(double sigma, const std::vector<std::uint64_t>& fraction,
                                std::uint16_t sign = kPositive) {
  std::deque<std::uint64_t> script = {
      word_of({0, static_cast<std::uint16_t>(sign | 1), 0xFFFF, 0xFFFF})};
  script.insert(script.end(), fraction.begin(), fraction.end());
  return sample_of(sigma, std::move(script));
}

TEST(RoundedGaussian, RoundsTheScaledFraction) {
  // sigma x / 16 with x = 1/4.
  EXPECT_EQ(sample_of_fraction(128.0, {kHalf / 2}), 2);
  EXPECT_EQ(sample_of_fraction(144.0, {kHalf / 2}), 2);  // 2.25
  EXPECT_EQ(sample_of_fraction(176.0, {kHalf / 2}), 3);  // 2.75
  EXPECT_EQ(sample_of_fraction(176.0, {kHalf / 2}, 0), -3);
  EXPECT_EQ(sample_of_fraction(16.0, {kHalf / 2}), 0);
}

TEST(RoundedGaussian, DrawsMoreDigitsOnlyWhereTheRoundingNeedsThem) {
  // sigma / 16 = 3 and a fraction whose first 64 digits are those of 1/6: 3 x = 0.5 - a little; the
  // next digits decide. floor(2^64 / 6) has a remainder of 4/6: the boundary is at f = 2/3 of the
  // next word.
  const std::uint64_t sixth = UINT64_MAX / 6;
  EXPECT_EQ(sample_of_fraction(48.0, {sixth, UINT64_MAX / 3}), 0);
  EXPECT_EQ(sample_of_fraction(48.0, {sixth, UINT64_MAX / 4 * 3}), 1);
  // Exactly the digits of 2/3, twice: still undecided, until the third word.
  const std::uint64_t two_thirds = UINT64_MAX / 3 * 2;
  EXPECT_EQ(sample_of_fraction(48.0, {sixth, two_thirds, two_thirds, 0}), 0);
  EXPECT_EQ(sample_of_fraction(48.0, {sixth, two_thirds, two_thirds, UINT64_MAX}), 1);
}

TEST(RoundedGaussian, TakesTheSliceThatItsFirstDigitsAreOf) {
  // sigma = 16: a slice is 1 wide, and x = 1/4 rounds down to it. A choice that is larger than
  // twice the slice accepts.
  for (std::size_t slice = 1; slice < kGaussianSlices; ++slice) {
    const auto first = static_cast<std::uint16_t>(kGaussianBoundaries[slice - 1][0] >> 48);
    const auto second = static_cast<std::uint16_t>(kGaussianBoundaries[slice - 1][0] >> 32);
    const auto next = static_cast<std::int64_t>(slice);
    const auto inside = static_cast<std::uint16_t>(first + 1);
    if (inside < kGaussianBoundaries[slice][0] >> 48) {
      EXPECT_EQ(sample_of(16.0, {word_of({inside, kPositive | 500}), kHalf / 2}), next);
    }
    // The first digit of a boundary: the second one decides.
    const auto above = static_cast<std::uint16_t>(second + 1);
    EXPECT_EQ(sample_of(16.0, {word_of({first, above, kPositive | 500}), kHalf / 2}), next);
    if (second > 0) {
      const auto below = static_cast<std::uint16_t>(second - 1);
      EXPECT_EQ(sample_of(16.0, {word_of({first, below, kPositive | 500}), kHalf / 2}), next - 1);
    }
  }
}

TEST(RoundedGaussian, KeepsAPlaceAfterAnEvenNumberOfSteps) {
  // Slice 8, x = 1/2. A choice below 16 goes on with a smaller number; then one of 500 stops.
  const std::uint16_t slice = static_cast<std::uint16_t>((kGaussianBoundaries[8][0] >> 48) - 1);
  const std::uint16_t sign = kPositive;
  const auto go_on = static_cast<std::uint16_t>(sign | 3);
  // One step, not kept: what follows is another sample, of slice 0.
  const std::deque<std::uint64_t> once = {word_of({slice, go_on, 500, 0}), kHalf, kHalf / 2,
                                          word_of({kPositive | 1}), kHalf};
  EXPECT_EQ(sample_of(1600.0, once), 50);
  // Two steps, kept.
  const std::deque<std::uint64_t> twice = {word_of({slice, go_on, 3, 500}), kHalf, kHalf / 2,
                                           kHalf / 4};
  EXPECT_EQ(sample_of(1600.0, twice), 850);
  // A number that is larger stops as well.
  EXPECT_EQ(sample_of(1600.0, {word_of({slice, go_on}), kHalf, kHalf + 1}), 850);
  // A choice of exactly twice the slice goes on if one more number is below x.
  const auto undecided = static_cast<std::uint16_t>(sign | 16);
  EXPECT_EQ(sample_of(1600.0, {word_of({slice, undecided}), kHalf, kHalf + 1}), 850);
  EXPECT_EQ(sample_of(1600.0, {word_of({slice, undecided}), kHalf, kHalf - 1, kHalf + 1}), 850);
}

/// Random words of which the first is of the tail.
class TailWords {
 public:
  std::uint64_t next_word() {
    const std::uint64_t word = random_.next_word();
    if (!std::exchange(is_first_, false)) {
      return word;
    }
    const std::uint64_t first = (kGaussianBoundaries[kGaussianSlices - 1][0] >> 48) + 1;
    const std::uint64_t last = (kGaussianBoundaries[kGaussianSlices][0] >> 48) - 1;
    return (word & ~std::uint64_t{0xFFFF}) | (first + word % (last - first + 1));
  }
  void begin() { is_first_ = true; }

 private:
  SecureRandom random_;
  bool is_first_ = true;
};

TEST(RoundedGaussian, HasTheTailOfTheNormal) {
  TailWords words;
  constexpr double kSigma = 1e9;
  constexpr int kDraws = 200'000;
  constexpr std::size_t kCells = 12;  // a tenth wide, the last with all that is beyond
  std::vector<double> counts(kCells);
  double draws = 0.0;
  for (int i = 0; i < kDraws; ++i) {
    words.begin();
    const double y =
        std::abs(static_cast<double>(RoundedGaussian<TailWords>(words, kSigma).sample())) / kSigma;
    if (y >= 4.0) {  // others were drawn after the tail's was not kept
      counts[std::min(kCells - 1, static_cast<std::size_t>((y - 4.0) * 10.0))] += 1.0;
      draws += 1.0;
    }
  }
  double statistic = 0.0;
  const auto beyond = [](double y) { return std::erfc(y / std::sqrt(2.0)); };
  for (std::size_t cell = 0; cell < kCells; ++cell) {
    const double from = 4.0 + static_cast<double>(cell) / 10.0;
    const double rest = cell + 1 == kCells ? 0.0 : beyond(from + 0.1);
    const double expected = draws * (beyond(from) - rest) / beyond(4.0);
    statistic += (counts[cell] - expected) * (counts[cell] - expected) / expected;
  }
  EXPECT_GT(draws, 0.1 * kDraws);
  EXPECT_LT(statistic, 60.0);  // 11 degrees of freedom: more with probability 1e-8
}

/// A number of 640 binary places, 16 at a time; before them 320 for large terms of a sum.
struct FixedPoint {
  static constexpr std::size_t kWhole = 20;
  static constexpr std::size_t kLimbs = kWhole + 40;
  std::vector<std::int64_t> limbs = std::vector<std::int64_t>(kLimbs);

  void carry() {
    for (std::size_t i = kLimbs - 1; i > 0; --i) {
      const std::int64_t carried = limbs[i] >> 16;
      limbs[i] -= carried * 65536;
      limbs[i - 1] += carried;
    }
  }
  void add(const FixedPoint& other, std::int64_t factor) {
    for (std::size_t i = 0; i < kLimbs; ++i) {
      limbs[i] += factor * other.limbs[i];
    }
    carry();
  }
  void scale(std::int64_t numerator, std::int64_t denominator) {
    for (std::int64_t& limb : limbs) {
      limb *= numerator;
    }
    carry();
    std::int64_t rest = 0;
    for (std::int64_t& limb : limbs) {
      const std::int64_t value = rest * 65536 + limb;
      limb = value / denominator;
      rest = value % denominator;
    }
  }
  bool is_zero() const {
    return std::all_of(limbs.begin(), limbs.end(), [](std::int64_t limb) { return limb == 0; });
  }
  /// Places 16 index + 1 to 16 index + 16.
  std::uint64_t places(std::size_t index) const {
    return static_cast<std::uint64_t>(limbs[kWhole + index]);
  }
};

/// exp(-numerator / denominator) by its series.
FixedPoint exp_of_minus(std::int64_t numerator, std::int64_t denominator) {
  FixedPoint term;
  term.limbs[FixedPoint::kWhole - 1] = 1;
  FixedPoint sum = term;
  for (std::int64_t n = 1; !term.is_zero(); ++n) {
    term.scale(numerator, denominator * n);
    sum.add(term, n % 2 == 1 ? -1 : 1);
  }
  return sum;
}

TEST(RoundedGaussian, KnowsTheDigitsOfExpMinusHalf) {
  const FixedPoint known = exp_of_minus(1, 2);
  for (std::size_t i = 0; i < kExpMinusHalf.size(); ++i) {
    EXPECT_EQ(known.places(i), kExpMinusHalf[i]) << i;
  }
}

TEST(RoundedGaussian, KnowsTheWeightsOfItsSlices) {
  FixedPoint sum;
  const auto expect_boundary = [&](std::size_t index) {
    FixedPoint boundary = sum;
    boundary.scale(199, 256);
    for (std::size_t i = 0; i < 16; ++i) {
      EXPECT_EQ(boundary.places(i),
                (kGaussianBoundaries[index][i / 4] >> (48 - 16 * (i % 4))) & 0xFFFF)
          << index << ' ' << i;
    }
  };
  for (std::size_t slice = 0; slice < kGaussianSlices; ++slice) {
    FixedPoint weight = exp_of_minus(static_cast<std::int64_t>(slice * slice), 512);
    weight.scale(1, 16);
    sum.add(weight, 1);
    expect_boundary(slice);
  }
  for (std::int64_t k = kGaussianTail; k < 20; ++k) {  // exp(-200) is below 2^-288
    sum.add(exp_of_minus(k * k, 2), 1);
  }
  expect_boundary(kGaussianSlices);
}

TEST(RoundedGaussian, RefusesSigmaItCannotDraw) {
  SeededRandom random(1);
  for (const double sigma : {0.0, 0.5, -1.0, 1e16, double{NAN}, double{INFINITY}}) {
    message_of(ErrorCode::kInternal, [&] { RoundedGaussian<SeededRandom>(random, sigma); });
  }
}

}  // namespace rounded_gaussian_test
}  // namespace mehler
