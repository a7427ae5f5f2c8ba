#include "mehler/accounting/privacy_loss_distribution.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mehler/core/error.h"

namespace mehler {
namespace {

/// The distance between 1 and the next number, of what probabilities are computed in.
constexpr long double kLongEpsilon = std::numeric_limits<long double>::epsilon();

/// Losses below this probability are rounded up to the lower end of the range.
constexpr double kLowerTail = 1e-20;

/// Smaller probabilities count as infinite losses of this probability.
constexpr double kSmallestProbability = 1e-290;

/// t such that a standard normal number exceeds it with at most this probability: the tail is below
/// exp(-t^2 / 2) / 2.
double place_of_tail(double probability) { return std::sqrt(-2.0 * std::log(2.0 * probability)); }

/// log(1 - q + q exp((2x - 1) / (2 z^2))), the loss of an output x.
double loss_of(const SampledNoisePair& pair, double x) {
  const double z = pair.noise_multiplier;
  const double exponent = (x - 0.5) / (z * z);
  if (pair.sampling_rate == 1.0) {
    return exponent;
  }
  if (exponent > 50.0) {  // not to overflow; 1 - q is nothing beside it, or q is tiny
    const double shifted = std::log(pair.sampling_rate) + exponent;
    return shifted + std::log1p((1.0 - pair.sampling_rate) * std::exp(-shifted));
  }
  return std::log1p(pair.sampling_rate * std::expm1(exponent));
}

/// Its inverse; minus infinity for a loss that none falls below.
long double output_of(const SampledNoisePair& pair, long double loss) {
  const auto z = static_cast<long double>(pair.noise_multiplier);
  const auto q = static_cast<long double>(pair.sampling_rate);
  if (q == 1.0L) {
    return z * z * loss + 0.5L;
  }
  const long double excess = std::expm1(loss) / q;
  return excess <= -1.0L ? -std::numeric_limits<long double>::infinity()
                         : z * z * std::log1p(excess) + 0.5L;
}

LossRange range_of_pair(const SampledNoisePair& pair, LossDirection direction, double upper_tail) {
  const double z = pair.noise_multiplier;
  const double up = z * place_of_tail(upper_tail);
  const double down = z * place_of_tail(kLowerTail);
  return direction == LossDirection::kRemoved
             ? LossRange{loss_of(pair, (pair.sampling_rate == 1.0 ? 1.0 : 0.0) - down),
                         loss_of(pair, 1.0 + up)}
             : LossRange{-loss_of(pair, down), -loss_of(pair, -up)};
}

/// As the larger losses of a removed record, and the smaller ones of an added one.
LossRange range_of_pair(const ReplacedNoisePair& pair, LossDirection, double upper_tail) {
  const SampledNoisePair sampled{pair.noise_multiplier, pair.sampling_rate};
  return {range_of_pair(sampled, LossDirection::kAdded, upper_tail).low,
          range_of_pair(sampled, LossDirection::kRemoved, upper_tail).high};
}

LossRange range_of_pair(const RandomisedResponsePair& pair, LossDirection, double) {
  return {-pair.epsilon, pair.epsilon};
}

/// Large losses are put on fewer points: a cell of a 2048th of the loss adds a share of 4e-8 to the
/// square of it.
std::int64_t cell_width(std::int64_t index) {
  return std::max(std::abs(index) / 2048, std::int64_t{1});
}

/// A probability, and by how much it may be wrong.
struct Probability {
  long double value = 0.0L;
  long double error = 0.0L;

  long double above() const { return value + error; }
  long double below() const { return std::max(value - error, 0.0L); }
};

/// A point of a normal distribution, and what lies beyond it on the side away from the mean.
struct NormalPoint {
  long double place = 0.0L;  ///< over sqrt(2) standard deviations
  long double tail = 0.0L;

  NormalPoint(long double x, long double mean, long double deviation)
      : place((x - mean) / (std::sqrt(2.0L) * deviation)),
        tail(0.5L * std::erfc(std::abs(place))) {}

  /// erfc is good to a few units of the last place; the place's own rounding counts place^2 times.
  long double error() const {
    return tail > 0.0L ? 16.0L * kLongEpsilon * (1.0L + place * place) * tail : 0.0L;
  }
};

/// Between two points, from their tails where these are small.
Probability between(const NormalPoint& a, const NormalPoint& b) {
  const bool same_side = (a.place < 0.0L) == (b.place < 0.0L);
  const long double value = same_side ? std::abs(a.tail - b.tail) : 1.0L - a.tail - b.tail;
  return {value, a.error() + b.error() + 4.0L * kLongEpsilon * value};
}

/// An output as a point of N(0, z^2) and of N(1, z^2).
struct Output {
  NormalPoint null;
  NormalPoint shifted;

  Output(const SampledNoisePair& pair, long double x)
      : null(x, 0.0L, pair.noise_multiplier), shifted(x, 1.0L, pair.noise_multiplier) {}
};

/// What the two distributions of a pair give to the outputs between two.
struct PairProbability {
  Probability mixture;
  Probability null;

  PairProbability(const SampledNoisePair& pair, const Output& a, const Output& b)
      : null(between(a.null, b.null)) {
    const auto q = static_cast<long double>(pair.sampling_rate);
    const Probability shifted = between(a.shifted, b.shifted);
    mixture.value = (1.0L - q) * null.value + q * shifted.value;
    mixture.error =
        (1.0L - q) * null.error + q * shifted.error + 4.0L * kLongEpsilon * mixture.value;
  }
};

}  // namespace

LossRange range_of(const LossPair& pair, LossDirection direction, double upper_tail) {
  MEHLER_ASSERT(upper_tail > 0.0 && upper_tail < 0.5);
  return std::visit([&](const auto& any) { return range_of_pair(any, direction, upper_tail); },
                    pair);
}

LossDistribution::LossDistribution(const LossPair& pair, LossDirection direction,
                                   const LossRange& range, double step)
    : step_(step),
      first_(static_cast<std::int64_t>(std::floor(range.low / step))),
      probabilities_(static_cast<std::size_t>(
          static_cast<std::int64_t>(std::ceil(range.high / step)) + 2 - first_)),
      // output_of() is wrong by few units of the last place over 1 - q >= 2^-16 (or q = 1), that
      // is of the loss; points of the grid by half a unit of a double.
      slack_((0x1p20 * static_cast<double>(kLongEpsilon) + 0x1p-51) *
             (1.0 + std::max(std::abs(range.low), std::abs(range.high)))) {
  if (const auto* noise = std::get_if<SampledNoisePair>(&pair)) {
    add_sampled_noise(*noise, direction);
  } else if (const auto* replaced = std::get_if<ReplacedNoisePair>(&pair)) {
    add_replaced_noise(*replaced);
  } else {
    add_randomised_response(std::get<RandomisedResponsePair>(pair));
  }
  // So that log_moment() has a term that does not vanish, whichever end it begins at.
  while (probabilities_.size() > 1 && probabilities_.back() == 0.0) {
    probabilities_.pop_back();
  }
  const auto is_possible = [](double probability) { return probability > 0.0; };
  const auto first = std::find_if(probabilities_.begin(), probabilities_.end() - 1, is_possible);
  first_ += first - probabilities_.begin();
  probabilities_.erase(probabilities_.begin(), first);
}

void LossDistribution::add_sampled_noise(const SampledNoisePair& pair, LossDirection direction) {
  constexpr long double kUnbounded = std::numeric_limits<long double>::infinity();
  const bool removed = direction == LossDirection::kRemoved;
  const auto last = first_ + static_cast<std::int64_t>(probabilities_.size()) - 1;
  const auto output_at = [&](std::int64_t index) {
    const long double loss = static_cast<long double>(index) * static_cast<long double>(step_);
    return Output(pair, output_of(pair, removed ? loss : -loss));
  };
  // Of the first table alone, for what lies outside.
  const auto probability = [&](const Output& a, const Output& b) {
    const PairProbability both(pair, a, b);
    return removed ? both.mixture.above() : both.null.above();
  };
  Output lower = output_at(first_);
  put(first_, probability(Output(pair, removed ? -kUnbounded : kUnbounded), lower));
  for (std::int64_t index = first_; index < last;) {
    const std::int64_t next = std::min(index + cell_width(index), last);
    const Output upper = output_at(next);
    const PairProbability both(pair, lower, upper);
    removed ? connect(index, next, both.mixture.above(), both.null.below())
            : connect(index, next, both.null.above(), both.mixture.below());
    lower = upper;
    index = next;
  }
  infinite_ += static_cast<double>(
      probability(lower, Output(pair, removed ? kUnbounded : -kUnbounded)) * (1.0L + 1e-15L));
}

void LossDistribution::add_replaced_noise(const ReplacedNoisePair& pair) {
  constexpr long double kUnbounded = std::numeric_limits<long double>::infinity();
  const SampledNoisePair sampled{pair.noise_multiplier, pair.sampling_rate};
  const auto last = first_ + static_cast<std::int64_t>(probabilities_.size()) - 1;
  const auto output_at = [&](std::int64_t index) {
    return Output(sampled, output_of(sampled, static_cast<long double>(index) *
                                                  static_cast<long double>(step_)));
  };
  // The loss 0 has what is left: (1 - q) times the distance of N(0, z^2) and N(1, z^2).
  const Probability middle = between(Output(sampled, -0.5L).null, Output(sampled, 0.5L).null);
  put(0, (1.0L - static_cast<long double>(pair.sampling_rate)) * middle.above());
  Output lower = output_at(0);
  for (std::int64_t index = 0; index < last;) {
    const std::int64_t next = std::min(index + cell_width(index), last);
    const Output upper = output_at(next);
    const PairProbability both(sampled, lower, upper);
    connect(index, next, both.mixture.above(), both.null.below());
    if (-next >= first_) {
      connect(-next, -index, both.null.above(), both.mixture.below());
    } else {
      put(std::max(-index, first_), both.null.above());
    }
    lower = upper;
    index = next;
  }
  const PairProbability beyond(sampled, lower, Output(sampled, kUnbounded));
  infinite_ += static_cast<double>(beyond.mixture.above() * (1.0L + 1e-15L));
  put(std::max(-last, first_), beyond.null.above());
}

void LossDistribution::add_randomised_response(const RandomisedResponsePair& pair) {
  const auto epsilon = static_cast<long double>(pair.epsilon);
  for (const long double loss : {epsilon, -epsilon}) {
    const auto index = static_cast<std::int64_t>(std::floor(loss / step_));
    const long double a = 1.0L / (1.0L + std::exp(-loss));
    const long double rounded = 8.0L * kLongEpsilon;
    connect(index, index + 1, a * (1.0L + rounded), a * std::exp(-loss) * (1.0L - rounded));
  }
}

void LossDistribution::put(std::int64_t index, long double a) {
  if (a < kSmallestProbability) {
    infinite_ += a > 0.0L ? kSmallestProbability : 0.0;
    return;
  }
  probabilities_[static_cast<std::size_t>(index - first_)] +=
      static_cast<double>(a * (1.0L + 0x1p-51L));
}

void LossDistribution::connect(std::int64_t low, std::int64_t high, long double a, long double b) {
  const long double width = static_cast<long double>(high - low) * step_;
  const long double ratio = std::exp(static_cast<long double>(low) * step_);
  const long double excess = a - b * ratio * (1.0L - 8.0L * kLongEpsilon);
  const long double upper = std::clamp(excess / -std::expm1(-width), 0.0L, a);
  put(high, upper);
  put(low, a - upper);
}

double LossDistribution::log_moment(double order) const {
  // By Horner's rule from the end where exp(order loss) is small.
  const double factor = std::exp(-std::abs(order) * step_);
  const std::size_t size = probabilities_.size();
  double sum = 0.0;
  for (std::size_t i = 0; i < size; ++i) {
    sum = sum * factor + probabilities_[order > 0.0 ? i : size - 1 - i];
  }
  const auto end = first_ + (order > 0.0 ? static_cast<std::int64_t>(size) - 1 : 0);
  const double exponent = order * static_cast<double>(end) * step_;
  // `factor` is wrong by 1 + |order| step units, and each addition and product adds one.
  const double error = 0x1p-50 * static_cast<double>(size) * (1.0 + std::abs(order) * step_) +
                       0x1p-50 * std::abs(exponent);
  return std::log(sum) + exponent + error;
}

double LossDistribution::variance() const {
  double mean = 0.0;
  double square = 0.0;
  for (std::size_t i = 0; i < probabilities_.size(); ++i) {
    const double loss = static_cast<double>(first_ + static_cast<std::int64_t>(i)) * step_;
    mean += probabilities_[i] * loss;
    square += probabilities_[i] * loss * loss;
  }
  return std::max(square - mean * mean, 0.0);
}

}  // namespace mehler
