#include "mehler/accounting/composed_loss.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <utility>

#include "mehler/accounting/fourier_transform.h"
#include "mehler/core/error.h"

namespace mehler {
namespace {

using Spectrum = std::vector<std::complex<double>>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMaxCount = 1e12;
constexpr std::size_t kMaxKindsOfLoss = 16;
constexpr double kMaxLoss = 500.0;

/// Chernoff's bound of the probability that the sum of losses exceeds a point, at some orders below
/// a first one: on another grid than that which the first was found on, it may be too large.
class TailBound {
 public:
  TailBound(double order, double point) : order_(order) {
    for (std::size_t i = 0; i < log_bounds_.size(); ++i) {
      log_bounds_[i] = -order_of(i) * point;
    }
  }

  void add(const LossDistribution& loss, double count) {
    for (std::size_t i = 0; i < log_bounds_.size(); ++i) {
      log_bounds_[i] += count * loss.log_moment(order_of(i));
    }
  }

  double probability() const {
    return std::exp(*std::min_element(log_bounds_.begin(), log_bounds_.end()));
  }

 private:
  double order_of(std::size_t i) const { return order_ * std::pow(0.5, static_cast<double>(i)); }

  double order_;
  std::array<double, 8> log_bounds_{};
};

/// A product of powers of spectra, and a bound of its error.
class SpectrumProduct {
 public:
  explicit SpectrumProduct(std::size_t size)
      : product_(size, 1.0), log_above_(size / 2 + 1), log_spread_(size / 2 + 1) {}

  /// Multiplies with spectrum^count, each value of it wrong by at most `error`. Two numbers of the
  /// size |z| + e that differ by e have powers that differ by (|z| + e)^n - |z|^n at most; the
  /// multiplications of repeated squaring are wrong by 4 u each, n of them in effect.
  void multiply(const Spectrum& spectrum, double count, double error) {
    for (std::size_t k = 0; k < log_above_.size(); ++k) {
      const double size = std::abs(spectrum[k]);
      log_above_[k] += count * std::log(size + error);
      log_spread_[k] += count * std::log1p(error / size);
      product_[k] *= power(spectrum[k], static_cast<std::uint64_t>(count));
    }
    rounding_ += 4.0 * kUnitRoundoff * (count + 1.0);
  }

  /// The whole spectrum, the upper half from the lower one.
  Spectrum take() {
    for (std::size_t k = 1; k < product_.size() / 2; ++k) {
      product_[product_.size() - k] = std::conj(product_[k]);
    }
    return std::move(product_);
  }

  /// Means over the spectrum of a bound of its absolute values, and of the error.
  double mean_size() const {
    return mean([&](std::size_t k) { return std::exp(log_above_[k]); });
  }
  double mean_error() const {
    return mean([&](std::size_t k) {
      return std::exp(log_above_[k]) * (rounding_ - std::expm1(-log_spread_[k]));
    });
  }

 private:
  static std::complex<double> power(std::complex<double> base, std::uint64_t exponent) {
    std::complex<double> result = 1.0;
    for (; exponent > 0; exponent /= 2) {
      if (exponent % 2 == 1) {
        result = product(result, base);
      }
      base = product(base, base);
    }
    return result;
  }

  template <typename Value>
  double mean(const Value& value) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < log_above_.size(); ++k) {
      const bool once = k == 0 || k + 1 == log_above_.size();
      sum += (once ? 1.0 : 2.0) * value(k);
    }
    // Summing, logarithms and exponentials: far less than a thousandth.
    return sum / static_cast<double>(2 * log_above_.size() - 2) * 1.001;
  }

  Spectrum product_;
  std::vector<double> log_above_;   ///< log of a bound of |product|
  std::vector<double> log_spread_;  ///< by how much that is above the computed one
  double rounding_ = 0.0;
};

/// exp(tilt_step index - log_moment) times each probability, rounded up, added up on a circle.
/// Returns the sum of all.
double wrap(const LossDistribution& distribution, double tilt_step, double log_moment,
            Spectrum& circle) {
  std::fill(circle.begin(), circle.end(), 0.0);
  const std::size_t mask = circle.size() - 1;
  double sum = 0.0;
  for (std::size_t i = 0; i < distribution.probabilities().size(); ++i) {
    const auto index = distribution.first() + static_cast<std::int64_t>(i);
    if (distribution.probabilities()[i] == 0.0) {
      continue;
    }
    const double exponent = tilt_step * static_cast<double>(index);
    const double rounded_up =
        1.0 + 8.0 * kUnitRoundoff * (2.0 + std::abs(exponent) + std::abs(log_moment));
    const double weighted =
        distribution.probabilities()[i] * std::exp(exponent - log_moment) * rounded_up;
    circle[static_cast<std::size_t>(index) & mask] += weighted + std::numeric_limits<double>::min();
    sum += weighted;
  }
  return sum * 1.001 + 1e-300;
}

}  // namespace

bool ComposedLoss::applies_to(const LossPairCounts& pairs) {
  return pairs.size() <= kMaxKindsOfLoss &&
         std::all_of(pairs.begin(), pairs.end(), [](const auto& entry) {
           const auto& [pair, count] = entry;
           return static_cast<double>(count) <= kMaxCount &&
                  range_of(pair, LossDirection::kRemoved, 1e-280).high <= kMaxLoss;
         });
}

ComposedLoss::ComposedLoss(const LossPairCounts& pairs, LossDirection direction,
                           const LossFocus& focus) {
  MEHLER_ASSERT(applies_to(pairs) && focus.tilt > 0.0 && focus.delta > 0.0);
  const LossGrid grid = loss_grid_for(pairs, direction, focus);
  if (grid.points == 0) {
    return;  // nothing is known
  }
  step_ = grid.step;
  first_ = grid.first;
  tilt_step_ = grid.tilt * grid.step;
  slack_ = grid.slack;
  compose(grid, direction);
}

void ComposedLoss::compose(const LossGrid& grid, LossDirection direction) {
  const FourierTransform fourier(grid.points);
  SpectrumProduct product(grid.points);
  Spectrum circle(grid.points);
  TailBound tail(grid.tail_order, loss_at(grid.points - 1));
  for (const LossPart& part : grid.parts) {
    const LossDistribution loss(part.pair, direction, part.range, step_);
    const double log_moment = loss.log_moment(grid.tilt);
    const double sum = wrap(loss, tilt_step_, log_moment, circle);
    fourier.transform(circle);
    product.multiply(circle, part.count, fourier.relative_error() * sum);
    log_moment_ += part.count * log_moment;
    tail.add(loss, part.count);
    left_over_ += part.count * loss.infinite();
  }
  left_over_ = 1.001 * (left_over_ + tail.probability());
  const double error = product.mean_error() + fourier.relative_error() * product.mean_size();
  circle = product.take();
  fourier.invert_to_real(circle);
  add_up(circle, error);
}

void ComposedLoss::add_up(const std::vector<std::complex<double>>& losses, double error) {
  const std::size_t mask = losses.size() - 1;
  tilted_deltas_.resize(losses.size());
  double delta = 0.0;
  double above = 0.0;  // the probability of this loss or a larger one
  for (std::size_t i = losses.size(); i-- > 0;) {
    tilted_deltas_[i] = delta;
    const std::size_t place =
        static_cast<std::size_t>(first_ + static_cast<std::int64_t>(i)) & mask;
    const double untilt = std::exp(-tilt_step_);
    above = above * untilt + std::max(losses[place].real(), 0.0) + error;
    delta = untilt * (-std::expm1(-step_) * above + std::exp(-step_) * delta);
  }
}

double ComposedLoss::loss_at(std::size_t i) const {
  return static_cast<double>(first_ + static_cast<std::int64_t>(i)) * step_;
}

double ComposedLoss::delta_on_grid(std::size_t i) const {
  const double exponent = tilt_step_ * static_cast<double>(first_ + static_cast<std::int64_t>(i));
  const double size = static_cast<double>(tilted_deltas_.size());
  const double error = 16.0 * kUnitRoundoff *
                       (size * (1.0 + tilt_step_) + std::abs(exponent) + std::abs(log_moment_));
  const double delta =
      std::exp(log_moment_ - exponent) * tilted_deltas_[i] * (1.0 + error) + left_over_;
  return delta < 1.0 ? delta : 1.0;  // what is not a number too
}

double ComposedLoss::delta_at(double epsilon) const {
  const double loss = epsilon - slack_;
  const double place = std::floor(loss / step_) - static_cast<double>(first_);
  if (!(place >= 0.0) || tilted_deltas_.empty()) {
    return 1.0;
  }
  if (place >= static_cast<double>(tilted_deltas_.size() - 1)) {
    return delta_on_grid(tilted_deltas_.size() - 1);
  }
  const auto i = static_cast<std::size_t>(place);
  const double low = delta_on_grid(i);
  const double share = std::clamp(std::expm1(loss - loss_at(i)) / std::expm1(step_), 0.0, 1.0);
  return std::min(1.0, (low + share * (delta_on_grid(i + 1) - low)) * (1.0 + 1e-12));
}

double ComposedLoss::epsilon_at(double delta) const {
  if (tilted_deltas_.empty()) {
    return kInfinity;
  }
  std::size_t not_enough = 0;
  std::size_t enough = tilted_deltas_.size() - 1;
  if (delta_on_grid(enough) > delta) {
    return kInfinity;
  }
  while (enough > not_enough + 1) {
    const std::size_t middle = (enough + not_enough) / 2;
    (delta_on_grid(middle) > delta ? not_enough : enough) = middle;
  }
  const double low = delta_on_grid(not_enough);
  const double drop = low - delta_on_grid(enough);
  const double share = drop > 0.0 ? std::clamp((low - delta) / drop, 0.0, 1.0) : 0.0;
  const double loss = loss_at(not_enough) + std::log1p(share * std::expm1(step_));
  return std::max(0.0, loss + 1e-12 * (std::abs(loss) + step_) + slack_);
}

}  // namespace mehler
