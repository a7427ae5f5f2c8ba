#include "mehler/accounting/renyi_privacy.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mehler/accounting/scaled_erfc.h"
#include "mehler/core/error.h"

namespace mehler {
namespace {

constexpr long double kLongUnit = std::numeric_limits<long double>::epsilon();

/// A sum of terms of both signs that are given by their logarithms, and a bound of its error.
class SignedSum {
 public:
  /// `magnitude` is the sum of the absolute values that were added up to give log_term: the term is
  /// wrong by at most a few units of the last place times that.
  void add(long double log_term, bool positive, long double magnitude) {
    terms_.push_back({log_term, positive, 16.0L * kLongUnit * (16.0L + magnitude)});
  }

  /// The logarithm of the sum, rounded up by its error and by `more_terms` times its last terms.
  long double log_above(int more_terms) const {
    const auto largest =
        std::max_element(terms_.begin(), terms_.end(),
                         [](const Term& a, const Term& b) { return a.log_value < b.log_value; });
    long double sum = 0.0L;
    for (const Term& term : terms_) {
      const long double value = std::exp(term.log_value - largest->log_value);
      sum += (term.positive ? value : -value) + value * term.relative_error;
    }
    for (auto term = terms_.end() - more_terms; term != terms_.end(); ++term) {
      sum += std::exp(term->log_value - largest->log_value);
    }
    return largest->log_value + std::log(sum) + 4.0L * kLongUnit * std::abs(largest->log_value);
  }

 private:
  struct Term {
    long double log_value;
    bool positive;
    long double relative_error;
  };
  std::vector<Term> terms_;
};

/// log |binomial(order, i)| for i = 0, 1, .., its sign, and the sum of what was added up.
class Binomial {
 public:
  explicit Binomial(long double order) : order_(order) {}

  void advance() {
    const long double ratio =
        (order_ - static_cast<long double>(i_)) / static_cast<long double>(i_ + 1);
    positive_ = positive_ == (ratio > 0.0L);
    log_value_ += std::log(std::abs(ratio));
    magnitude_ += std::abs(log_value_) + 1.0L;
    ++i_;
  }
  long double log_value() const { return log_value_; }
  bool positive() const { return positive_; }
  long double magnitude() const { return magnitude_; }

 private:
  long double order_;
  int i_ = 0;
  long double log_value_ = 0.0L;
  long double magnitude_ = 0.0L;
  bool positive_ = true;
};

/// sum_i binomial(order, i) (1-q)^(order-i) q^i exp((i^2 - i) / (2 z^2)), q < 1.
long double log_moment_at_whole_order(const SampledNoisePair& pair, int order) {
  const auto z = static_cast<long double>(pair.noise_multiplier);
  const long double log_q = std::log(static_cast<long double>(pair.sampling_rate));
  const long double log_p = std::log1p(-static_cast<long double>(pair.sampling_rate));
  SignedSum sum;
  Binomial binomial(order);
  for (int i = 0; i <= order; ++i) {
    const long double power = static_cast<long double>(i) * (i - 1) / (2.0L * z * z);
    const long double sampled = (order - i) * log_p + i * log_q;
    sum.add(binomial.log_value() + sampled + power, true,
            binomial.magnitude() - sampled + std::abs(power));
    if (i < order) {
      binomial.advance();
    }
  }
  return sum.log_above(0);
}

/// E over x ~ N(0, z^2), split where both parts of the mixture weigh the same, at
/// x = z^2 log(1/q - 1) + 1/2, and on each side expanded by the binomial series in the smaller over
/// the larger. Beyond i > order the series alternates and falls at every x, so that what is left
/// out is at most the last term of each side.
long double log_moment_at_any_order(const SampledNoisePair& pair, long double order) {
  constexpr int kTerms = 200;
  constexpr long double kNegligible = -44.0L;
  const auto z = static_cast<long double>(pair.noise_multiplier);
  const auto q = static_cast<long double>(pair.sampling_rate);
  const long double log_q = std::log(q);
  const long double log_p = std::log1p(-q);
  const long double split = z * z * (log_p - log_q) + 0.5L;
  SignedSum sum;
  Binomial binomial(order);
  for (int i = 0; i < kTerms; ++i) {
    // k records' worth of the shifted Gaussian, on the side of the split where `side` x is small.
    const auto add_term = [&](long double k, long double side) {
      const long double power = (k * k - k) / (2.0L * z * z);
      const long double sampled = (order - k) * log_p + k * log_q;
      const long double place = side * (k - split) / (std::sqrt(2.0L) * z);
      const long double log_share = log_erfc(place) - std::log(2.0L);
      const long double log_term = binomial.log_value() + sampled + power + log_share;
      sum.add(log_term, binomial.positive(),
              binomial.magnitude() + std::abs(sampled) + std::abs(power) + 4.0L * place * place);
      return log_term;
    };
    const long double below = add_term(i, 1.0L);
    const long double above = add_term(order - i, -1.0L);
    if (i > order && std::max(below, above) < kNegligible) {
      break;  // the whole is at least 1
    }
    binomial.advance();
  }
  return sum.log_above(2);
}

long double log_moment(const SampledNoisePair& pair, double order) {
  const auto a = static_cast<long double>(order);
  const auto z = static_cast<long double>(pair.noise_multiplier);
  if (pair.sampling_rate == 1.0) {
    return a * (a - 1.0L) / (2.0L * z * z) * (1.0L + 8.0L * kLongUnit);
  }
  return order == std::floor(order) ? log_moment_at_whole_order(pair, static_cast<int>(order))
                                    : log_moment_at_any_order(pair, a);
}

/// log(2 M - 1), with M the moment of a sampled step.
long double log_moment(const ReplacedNoisePair& pair, double order) {
  const long double sampled =
      log_moment(SampledNoisePair{pair.noise_multiplier, pair.sampling_rate}, order);
  return sampled > 40.0L
             ? sampled + std::log(2.0L)
             : std::log1p(2.0L * std::expm1(std::max(sampled, 0.0L))) * (1.0L + 8.0L * kLongUnit);
}

/// log((e^(order epsilon) + e^((1 - order) epsilon)) / (1 + e^epsilon)).
long double log_moment(const RandomisedResponsePair& pair, double order) {
  const auto a = static_cast<long double>(order);
  const auto e = static_cast<long double>(pair.epsilon);
  return (a - 1.0L) * e + std::log1p(std::exp((1.0L - 2.0L * a) * e)) - std::log1p(std::exp(-e)) +
         8.0L * kLongUnit * (1.0L + a * e);
}

/// 1.001 to 1.05; 1.1, 1.2, .., 10.9; 11, 12, .., 63; then whole numbers, each a tenth above the
/// last.
std::vector<double> renyi_orders() {
  std::vector<double> orders = {1.001, 1.003, 1.01, 1.02, 1.05};
  for (int tenths = 11; tenths < 110; ++tenths) {
    orders.push_back(tenths / 10.0);
  }
  for (int order = 11; order < 64; ++order) {
    orders.push_back(order);
  }
  for (int order = 64; order < 16384; order += order / 4) {
    orders.push_back(order);
  }
  return orders;
}

}  // namespace

long double log_renyi_moment(const LossPair& pair, double order) {
  MEHLER_ASSERT(order > 1.0);
  const long double moment =
      std::visit([order](const auto& any) { return log_moment(any, order); }, pair);
  return std::max(moment, 0.0L);  // Jensen: it is at least 0
}

RenyiPrivacy::RenyiPrivacy(const LossPairCounts& pairs) {
  for (const double order : renyi_orders()) {
    long double log_moment = 0.0L;
    for (const auto& [pair, count] : pairs) {
      log_moment += static_cast<long double>(count) * log_renyi_moment(pair, order);
    }
    moments_.push_back({order, log_moment * (1.0L + 1e-15L)});
  }
}

// delta = exp(log_moment - (a - 1) epsilon) (1 - 1/a)^a / (a - 1), and solved for epsilon. What is
// computed here is wrong by a few units of the last place of the largest term, and is raised by
// more.

RenyiPrivacy::Bound RenyiPrivacy::delta_at(double epsilon) const {
  Bound best{1.0, static_cast<double>(moments_.front().order)};
  for (const auto& [order, log_moment] : moments_) {
    const long double log_delta = log_moment - (order - 1.0L) * epsilon +
                                  order * std::log1p(-1.0L / order) - std::log(order - 1.0L) +
                                  16.0L * kLongUnit * (log_moment + order * epsilon + 16.0L);
    const auto delta = std::max(static_cast<double>(std::exp(log_delta)) * (1.0 + 1e-15),
                                std::numeric_limits<double>::min());
    if (delta < best.value) {
      best = {delta, static_cast<double>(order)};
    }
  }
  return best;
}

RenyiPrivacy::Bound RenyiPrivacy::epsilon_at(double delta) const {
  Bound best{std::numeric_limits<double>::infinity(), 0.0};
  const long double log_delta = std::log(static_cast<long double>(delta));
  for (const auto& [order, log_moment] : moments_) {
    const long double exact = (log_moment - log_delta - std::log(order - 1.0L)) / (order - 1.0L) +
                              order / (order - 1.0L) * std::log1p(-1.0L / order);
    const auto epsilon =
        static_cast<double>(std::max(exact, 0.0L) * (1.0L + 1e-12L) + 1e-12L / order);
    if (epsilon < best.value) {
      best = {epsilon, static_cast<double>(order)};
    }
  }
  return best;
}

}  // namespace mehler
