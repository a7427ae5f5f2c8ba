#include "mehler/accounting/noise_calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "mehler/accounting/composition.h"
#include "mehler/core/error.h"

namespace mehler {
namespace {

/// How far a noise multiplier is from keeping a budget: log delta less that of the budget. It falls
/// as the noise grows.
class BudgetExcess {
 public:
  BudgetExcess(const PrivacyBudget& budget, const Charge& training, std::span<const Charge> others)
      : epsilon_(budget.epsilon),
        log_delta_(std::log(budget.delta * (1.0 - 1e-3))),
        charges_(others.begin(), others.end()) {
    charges_.push_back(training);
  }

  double at(double log_noise) {
    if (auto* added = std::get_if<SubsampledGaussian>(&charges_.back())) {
      added->noise_multiplier = noise_at(log_noise);
    } else {
      std::get<ReplacedGaussian>(charges_.back()).noise_multiplier = noise_at(log_noise);
    }
    return std::log(ComposedPrivacy(charges_).delta_at(epsilon_)) - log_delta_;
  }

  static double noise_at(double log_noise) {
    return std::clamp(std::exp(log_noise), kMinNoiseMultiplier, kMaxNoiseMultiplier);
  }

 private:
  double epsilon_;
  double log_delta_;
  std::vector<Charge> charges_;
};

/// Logarithms of two noise multipliers, of which the upper keeps the budget and the lower does not,
/// and the excess of both.
struct Bracket {
  double low = 0.0;
  double excess_low = 0.0;
  double high = 0.0;
  double excess_high = 0.0;
};

/// A first guess of the logarithm: by the central limit theorem many steps are together about
/// mu-Gaussian with mu^2 = q^2 T (exp(1/z^2) - 1) (Bu, Dong, Long and Su 2020).
double guess_of(const PrivacyBudget& budget, double sampling_rate, std::uint64_t steps) {
  const double mu = calibrate_mu(budget);
  const double per_step = mu / sampling_rate * mu / sampling_rate / static_cast<double>(steps);
  const double log_noise = -0.5 * std::log(std::log1p(per_step));
  return std::clamp(log_noise, std::log(kMinNoiseMultiplier), std::log(kMaxNoiseMultiplier));
}

/// From a guess on, in strides that double, until the budget is kept on one side alone; or nothing,
/// if the end in that direction is reached.
std::optional<Bracket> bracket_of(BudgetExcess& excess, double guess) {
  const double guess_excess = excess.at(guess);
  const double sign = guess_excess > 0.0 ? 1.0 : -1.0;
  const double end = std::log(sign > 0.0 ? kMaxNoiseMultiplier : kMinNoiseMultiplier);
  Bracket bracket{guess, guess_excess, guess, guess_excess};
  for (double stride = 0.05; (end - guess) * sign > 0.0; stride *= 2.0) {
    const double next = (end - guess) * sign > stride ? guess + sign * stride : end;
    const double next_excess = excess.at(next);
    (sign > 0.0 ? bracket.high : bracket.low) = next;
    (sign > 0.0 ? bracket.excess_high : bracket.excess_low) = next_excess;
    if (bracket.excess_low > 0.0 && !(bracket.excess_high > 0.0)) {
      return bracket;
    }
    bracket = {next, next_excess, next, next_excess};
    guess = next;
  }
  return std::nullopt;
}

/// Narrows a bracket by false positions; the excess of an end that stays is halved (Illinois), so
/// that both ends move.
double upper_end_narrowed(BudgetExcess& excess, Bracket bracket) {
  constexpr double kTolerance = 1e-4;
  while (bracket.high - bracket.low > kTolerance) {
    const double width = bracket.high - bracket.low;
    const double share = bracket.excess_low / (bracket.excess_low - bracket.excess_high);
    const double middle = bracket.low + width * std::clamp(share, 0.02, 0.98);
    const double value = excess.at(middle);
    if (value > 0.0) {
      bracket.low = middle;
      bracket.excess_low = value;
      bracket.excess_high *= 0.5;
    } else {
      bracket.high = middle;
      bracket.excess_high = value;
      bracket.excess_low *= 0.5;
    }
  }
  return bracket.high;
}

}  // namespace

double calibrate_noise_multiplier(const PrivacyBudget& budget, double sampling_rate,
                                  std::uint64_t steps, std::span<const Charge> others,
                                  SampledRecord record) {
  budget.validate();
  const Charge training = record == SampledRecord::kAdded
                              ? Charge(SubsampledGaussian{"training", 1.0, sampling_rate, steps})
                              : Charge(ReplacedGaussian{"training", 1.0, sampling_rate, steps});
  validate(training);
  BudgetExcess excess(budget, training, others);
  if (const auto bracket = bracket_of(excess, guess_of(budget, sampling_rate, steps))) {
    return BudgetExcess::noise_at(upper_end_narrowed(excess, *bracket));
  }
  if (excess.at(std::log(kMinNoiseMultiplier)) <= 0.0) {
    return kMinNoiseMultiplier;
  }
  throw Error(ErrorCode::kBudgetExceeded,
              fmt::format("no noise multiplier up to {:g} keeps epsilon {} and delta {} over {} "
                          "steps at sampling rate {} beside {} other charges; choose a larger "
                          "budget or fewer steps",
                          kMaxNoiseMultiplier, budget.epsilon, budget.delta, steps, sampling_rate,
                          others.size()));
}

}  // namespace mehler
