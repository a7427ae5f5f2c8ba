#include "mehler/accounting/charge.h"

#include <fmt/format.h>

#include <algorithm>

#include "mehler/accounting/gaussian_privacy.h"
#include "mehler/accounting/selection_privacy.h"
#include "mehler/core/error.h"

namespace mehler {
namespace {

/// Beyond what a budget of PrivacyBudget::kMaxEpsilon holds.
constexpr double kMaxMu = 1e4;
/// Of pure privacy: as a selection more than the smallest mu, and enough to be told from none by
/// the grid of a privacy loss distribution.
constexpr double kLeastPureEpsilon = 2.0 * kMinMu;

void require(bool allowed, const std::string& name, const char* quantity, double value,
             const std::string& range) {
  if (!allowed) {
    throw Error(ErrorCode::kInvalidArgument, fmt::format("the {} of charge '{}' must {}, but is {}",
                                                         quantity, name, range, value));
  }
}

/// Here and below written so that NaN fails too.
void require_positive(const std::string& name, const char* quantity, double value) {
  require(value > 0.0 && value <= 1e300, name, quantity, value, "be positive and at most 1e300");
}

void validate_charge(const GaussianSums& sums) {
  require_positive(sums.name, "sensitivity", sums.sensitivity);
  require_positive(sums.name, "sigma", sums.sigma);
  const double mu = sums.sensitivity / sums.sigma;
  require(mu >= kMinMu && mu <= kMaxMu, sums.name, "sensitivity over sigma", mu,
          fmt::format("lie in [{:g}, {:g}]", kMinMu, kMaxMu));
}

void validate_steps(const auto& steps) {
  require(steps.noise_multiplier >= kMinNoiseMultiplier &&
              steps.noise_multiplier <= kMaxNoiseMultiplier,
          steps.name, "noise multiplier", steps.noise_multiplier,
          fmt::format("lie in [{:g}, {:g}]", kMinNoiseMultiplier, kMaxNoiseMultiplier));
  require(steps.sampling_rate > 0.0 && steps.sampling_rate <= 1.0, steps.name, "sampling rate",
          steps.sampling_rate, "be greater than 0 and at most 1");
  require(steps.steps >= 1 && steps.steps <= kMaxSteps, steps.name, "number of steps",
          static_cast<double>(steps.steps), fmt::format("lie in [1, {}]", kMaxSteps));
}

void validate_charge(const SubsampledGaussian& steps) { validate_steps(steps); }

void validate_charge(const ReplacedGaussian& queries) { validate_steps(queries); }

void require_pure(const std::string& name, const char* quantity, double epsilon, double largest) {
  require(epsilon >= kLeastPureEpsilon && epsilon <= largest, name, quantity, epsilon,
          fmt::format("be greater than 0 (at least {:g}) and at most {:g}", kLeastPureEpsilon,
                      largest));
}

void validate_charge(const PureMechanism& pure) {
  require_pure(pure.name, "epsilon", pure.epsilon, PrivacyBudget::kMaxEpsilon);
}

void validate_charge(const RareDisclosure& rare) {
  require(rare.delta > 0.0 && rare.delta < 1.0, rare.name, "delta", rare.delta,
          "lie strictly between 0 and 1");
}

void validate_charge(const Selection& selection) {
  require(selection.candidates >= 1, selection.name, "number of candidates",
          static_cast<double>(selection.candidates), "be at least 1");
  require_pure(selection.name, "epsilon", selection.epsilon, kMaxSelectionEpsilon);
}

void validate_charge(const LaplaceSums& sums) {
  require_positive(sums.name, "sensitivity", sums.sensitivity);
  require_positive(sums.name, "scale", sums.scale);
  require_pure(sums.name, "sensitivity over scale", sums.epsilon(), PrivacyBudget::kMaxEpsilon);
}

}  // namespace

double Selection::mu_squared() const {
  const double mu = mu_of_selection(epsilon);
  return mu * mu;
}

double gaussian_mu_squared(std::span<const Charge> charges) {
  double sum = 0.0;
  for (const Charge& charge : charges) {
    if (const auto* sums = std::get_if<GaussianSums>(&charge)) {
      sum += sums->mu_squared();
    } else if (const auto* selection = std::get_if<Selection>(&charge)) {
      sum += selection->mu_squared();
    }
  }
  return sum;
}

double disclosure_delta(std::span<const Charge> charges) {
  double sum = 0.0;
  for (const Charge& charge : charges) {
    if (const auto* rare = std::get_if<RareDisclosure>(&charge)) {
      sum += rare->delta;
    }
  }
  return sum;
}

bool is_gaussian(std::span<const Charge> charges) {
  return std::all_of(charges.begin(), charges.end(), [](const Charge& charge) {
    return std::holds_alternative<GaussianSums>(charge) ||
           std::holds_alternative<Selection>(charge) ||
           std::holds_alternative<RareDisclosure>(charge);
  });
}

const std::string& name_of(const Charge& charge) {
  return std::visit([](const auto& any) -> const std::string& { return any.name; }, charge);
}

void validate(const Charge& charge) {
  std::visit([](const auto& any) { validate_charge(any); }, charge);
}

}  // namespace mehler
