#include "mehler/accounting/composition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "mehler/accounting/composed_loss.h"
#include "mehler/core/error.h"

namespace mehler {
namespace {

/// More than what kMaxCharges additions of positive numbers, and a few operations more, are wrong
/// by.
constexpr double kRoundedUp = 1.0 + 1e-9;

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::kInvalidArgument, message);
}

/// Larger rates are less private, so that a rate may be raised: to 1, which is no sampling, where
/// losses would be computed badly, and to 2^-32 from below, where nothing is left of them.
constexpr double kMaxSamplingRate = 1.0 - 0x1p-16;
constexpr double kMinSamplingRate = 0x1p-32;

/// Pairs and the sums over Gaussian and pure charges.
struct Totals {
  LossPairCounts pairs;
  double mu_squared = 0.0;
  double pure_epsilon = 0.0;
  double disclosure_delta = 0.0;
  std::size_t sampled_kinds = 0;

  /// Whether there is a charge that is not of pure privacy.
  bool any_impure = false;

  void add(const GaussianSums& sums) {
    any_impure = true;
    mu_squared += sums.mu_squared();
  }
  void add(const Selection& selection) {
    pure_epsilon += selection.epsilon;
    mu_squared += selection.mu_squared();
  }
  void add(const LaplaceSums& sums) { add(PureMechanism{"", sums.epsilon()}); }
  void add(const SubsampledGaussian& steps) { add_steps<SampledNoisePair>(steps); }
  void add(const ReplacedGaussian& queries) { add_steps<ReplacedNoisePair>(queries); }
  void add(const PureMechanism& pure) {
    pure_epsilon += pure.epsilon;
    pairs[RandomisedResponsePair{pure.epsilon}] += 1;
  }
  void add(const RareDisclosure& rare) { disclosure_delta += rare.delta; }

  template <typename Pair>
  void add_steps(const auto& steps) {
    any_impure = true;
    const double z = steps.noise_multiplier;
    if (steps.sampling_rate > kMaxSamplingRate) {
      mu_squared += static_cast<double>(steps.steps) / (z * z);
      return;
    }
    const double rate = std::max(steps.sampling_rate, kMinSamplingRate);
    std::uint64_t& count = pairs[Pair{z, rate}];
    sampled_kinds += count == 0 ? 1 : 0;
    count += steps.steps;
  }
};

Totals totals_of(std::span<const Charge> charges) {
  if (charges.empty() || charges.size() > kMaxCharges) {
    refuse(fmt::format("a privacy statement must have 1 to {} charges, but has {}", kMaxCharges,
                       charges.size()));
  }
  Totals totals;
  for (const Charge& charge : charges) {
    validate(charge);
    std::visit([&](const auto& any) { totals.add(any); }, charge);
    if (totals.pairs.size() > kMaxKindsOfCharges || totals.sampled_kinds > kMaxKindsOfSampling) {
      refuse(
          fmt::format("a privacy statement may have at most {} different pairs of noise "
                      "multiplier and sampling rate, and {} different charges that are not "
                      "Gaussian sums; charge '{}' is one more",
                      kMaxKindsOfSampling, kMaxKindsOfCharges, name_of(charge)));
    }
  }
  return totals;
}

/// Sampling at a rate below 1 makes adding a record differ from removing one; replaced noise is the
/// same both ways.
bool is_symmetric(const LossPairCounts& pairs) {
  return std::none_of(pairs.begin(), pairs.end(), [](const auto& entry) {
    const auto* noise = std::get_if<SampledNoisePair>(&entry.first);
    return noise != nullptr && noise->sampling_rate < 1.0;
  });
}

/// The larger of `answer` over the directions.
template <typename Answer>
double worse_direction(const LossPairCounts& pairs, const LossFocus& focus, const Answer& answer) {
  const double removed = answer(ComposedLoss(pairs, LossDirection::kRemoved, focus));
  return is_symmetric(pairs)
             ? removed
             : std::max(removed, answer(ComposedLoss(pairs, LossDirection::kAdded, focus)));
}

/// A focus for which logarithms and tails can be computed.
LossFocus focus_on(double epsilon, double delta, double order) {
  return {epsilon, std::clamp(delta, 1e-270, 0.5), order - 1.0};
}

double delta_of_pairs(const LossPairCounts& pairs, double epsilon) {
  const auto renyi = RenyiPrivacy(pairs).delta_at(epsilon);
  if (!ComposedLoss::applies_to(pairs)) {
    return renyi.value;
  }
  const LossFocus focus = focus_on(epsilon, renyi.value, renyi.order);
  return std::min(renyi.value, worse_direction(pairs, focus, [&](const ComposedLoss& loss) {
                    return loss.delta_at(epsilon);
                  }));
}

double epsilon_of_pairs(const LossPairCounts& pairs, double delta) {
  const auto renyi = RenyiPrivacy(pairs).epsilon_at(delta);
  if (!ComposedLoss::applies_to(pairs)) {
    return renyi.value;
  }
  const LossFocus focus = focus_on(renyi.value, delta, renyi.order);
  return std::min(renyi.value, worse_direction(pairs, focus, [&](const ComposedLoss& loss) {
                    return loss.epsilon_at(delta);
                  }));
}

}  // namespace

ComposedPrivacy::ComposedPrivacy(std::span<const Charge> charges) {
  Totals totals = totals_of(charges);
  mu_ = std::sqrt(totals.mu_squared);
  disclosure_delta_ = totals.disclosure_delta * kRoundedUp;
  all_gaussian_ = totals.pairs.empty() && totals.mu_squared > 0.0;
  if (!totals.any_impure) {
    pure_epsilon_ = totals.pure_epsilon * kRoundedUp;
  }
  pairs_ = std::move(totals.pairs);
  if (!all_gaussian_ && mu_ > 0.0) {
    pairs_[SampledNoisePair{1.0 / (mu_ * kRoundedUp), 1.0}] += 1;
  }
}

double ComposedPrivacy::delta_at(double epsilon) const {
  if (!(epsilon >= 0.0)) {  // written so that NaN fails too
    refuse(fmt::format("epsilon must be at least 0, but is {}", epsilon));
  }
  return std::min(1.0, disclosure_delta_ + rest_delta_at(epsilon));
}

double ComposedPrivacy::rest_delta_at(double epsilon) const {
  if (pure_epsilon_ && epsilon >= *pure_epsilon_) {
    return 0.0;
  }
  const double delta =
      all_gaussian_ ? delta_of_gaussian(mu_, epsilon) : delta_of_pairs(pairs_, epsilon);
  // It is never 0, however far out: where a double would say so, its smallest normal one is more.
  return std::max(delta, std::numeric_limits<double>::min());
}

double ComposedPrivacy::epsilon_at(double delta) const {
  if (delta == disclosure_delta_ && pure_epsilon_) {
    return *pure_epsilon_;
  }
  const double rest = rest_of_delta(delta);
  if (pairs_.empty() && !all_gaussian_) {
    return 0.0;
  }
  const double epsilon =
      all_gaussian_ ? epsilon_of_gaussian(mu_, rest) : epsilon_of_pairs(pairs_, rest);
  return pure_epsilon_ ? std::min(epsilon, *pure_epsilon_) : epsilon;
}

std::optional<RenyiPrivacy::Bound> ComposedPrivacy::renyi_epsilon_at(double delta) const {
  const double rest = rest_of_delta(delta);
  return pairs_.empty() ? std::nullopt : std::optional(RenyiPrivacy(pairs_).epsilon_at(rest));
}

double ComposedPrivacy::rest_of_delta(double delta) const {
  if (!(delta > 0.0 && delta < 1.0)) {
    refuse(
        fmt::format("delta must lie strictly between 0 and 1 (or be 0, if all mechanisms are "
                    "of pure privacy), but is {}",
                    delta));
  }
  const double rest = delta - disclosure_delta_;
  if (!(rest > 0.0)) {
    refuse(fmt::format("delta must be more than the {} that rare disclosures take, but is {}",
                       disclosure_delta_, delta));
  }
  return rest;
}

bool ComposedPrivacy::keeps(const PrivacyBudget& budget) const {
  budget.validate();
  return delta_at(budget.epsilon) <= budget.delta ||
         (budget.delta > disclosure_delta_ && epsilon_at(budget.delta) <= budget.epsilon);
}

}  // namespace mehler
