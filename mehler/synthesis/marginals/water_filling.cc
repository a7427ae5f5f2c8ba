#include "mehler/synthesis/marginals/water_filling.h"

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"

namespace mehler {
namespace {

/// The gain of a table by a little more precision, per price, on a grid of precisions. It falls, so
/// that a table takes precision as long as its gain is above the common level.
class GainCurve {
 public:
  GainCurve(const MeasurementCandidate& table, double budget) : limit_(budget / table.price) {
    double largest = 0.0;
    for (const double variance : table.variances) {
      largest = std::max(largest, variance);
    }
    if (!(largest > 0.0)) {
      return;
    }
    // From where the largest variance hardly changes to all of the budget.
    first_ = std::log(std::min(1e-3 / largest, 0.5 * limit_));
    step_ = (std::log(limit_) - first_) / (kPoints - 1);
    at_zero_ = std::log(gain(table, 0.0));
    for (int i = 0; i < kPoints; ++i) {
      log_gain_.push_back(std::log(gain(table, std::exp(first_ + step_ * i))));
    }
  }

  /// The precision at which the gain has fallen to e^level.
  double precision_at(double level) const {
    if (log_gain_.empty() || at_zero_ <= level) {
      return 0.0;
    }
    if (log_gain_.back() >= level) {
      return limit_;
    }
    const auto next = std::lower_bound(log_gain_.begin(), log_gain_.end(), level,
                                       [](double gain, double wanted) { return gain > wanted; });
    const auto i = static_cast<double>(next - log_gain_.begin());
    if (next == log_gain_.begin()) {  // between 0 and the first point, where the gain is linear
      return std::exp(first_) * (at_zero_ - level) / (at_zero_ - log_gain_.front());
    }
    const double above = *std::prev(next);
    const double fraction = above > *next ? (above - level) / (above - *next) : 0.0;
    return std::exp(first_ + step_ * (i - 1.0 + fraction));
  }

  double highest() const { return log_gain_.empty() ? -1e300 : at_zero_; }
  double lowest() const { return log_gain_.empty() ? 1e300 : log_gain_.back(); }

 private:
  static constexpr int kPoints = 96;

  static double gain(const MeasurementCandidate& table, double beta) {
    double sum = 0.0;
    for (const double variance : table.variances) {
      const double left = variance / (1.0 + variance * beta);
      sum += left * std::sqrt(left);
    }
    return std::max(0.5 * table.importance * sum / table.price, 1e-300);
  }

  double limit_;
  double first_ = 0.0;
  double step_ = 0.0;
  double at_zero_ = 0.0;
  std::vector<double> log_gain_;
};

}  // namespace

std::vector<double> fill_with_precision(std::span<const MeasurementCandidate> tables,
                                        double budget) {
  MEHLER_ASSERT(budget > 0.0);
  std::vector<GainCurve> curves;
  double high = -1e300;
  double low = 1e300;
  for (const MeasurementCandidate& table : tables) {
    curves.emplace_back(table, budget);
    high = std::max(high, curves.back().highest());
    low = std::min(low, curves.back().lowest());
  }
  std::vector<double> result(tables.size(), 0.0);
  if (high < low) {
    return result;
  }
  const auto spent_at = [&](double level) {
    double spent = 0.0;
    for (std::size_t i = 0; i < tables.size(); ++i) {
      result[i] = curves[i].precision_at(level);
      spent += result[i] * tables[i].price;
    }
    return spent;
  };
  for (int i = 0; i < 80; ++i) {
    const double middle = 0.5 * (low + high);
    (spent_at(middle) > budget ? low : high) = middle;
  }
  const double spent = spent_at(low);
  for (double& precision : result) {
    precision *= spent > 0.0 ? budget / spent : 0.0;
  }
  return result;
}

}  // namespace mehler
