#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "mehler/accounting/charge.h"
#include "mehler/accounting/gaussian_privacy.h"
#include "mehler/accounting/loss_pair.h"
#include "mehler/accounting/renyi_privacy.h"

namespace mehler {

/// Statements with more than these are refused, so that a reader's work is bounded.
inline constexpr std::size_t kMaxCharges = 1'000'000;
inline constexpr std::size_t kMaxKindsOfCharges = 10'000;
inline constexpr std::size_t kMaxKindsOfSampling = 32;

/// What charges cost together, also when later mechanisms depend on the results of earlier ones.
///
/// Gaussian noise without sampling alone: exact (gaussian_privacy.h). Otherwise the smaller of two
/// bounds, neither of which is ever below the truth: composed distributions of the privacy loss
/// (ComposedLoss), and Renyi privacy. Both directions, a record added everywhere and a record
/// removed everywhere, are composed apart and the worse one counts. Within a relative 1e-4 of the
/// truth in epsilon for training with usual settings (up to 10^6 steps). The deltas of rare
/// disclosures are added to the delta of all else.
///
/// Privacy: neither names nor the order of charges matter. Gaussian sums must be charged under the
/// same neighbour relation as the others: add-remove-one, if there is a SubsampledGaussian or a
/// ReplacedGaussian.
///
/// Cost: each answer takes up to half a second, and a few seconds for the largest statements that
/// are accepted.
class ComposedPrivacy {
 public:
  /// Throws Error(kInvalidArgument) if there is no charge or an invalid one, or if there are more
  /// charges or kinds (different numbers) of charges than the limits above.
  explicit ComposedPrivacy(std::span<const Charge> charges);

  /// A delta for which the whole is (epsilon, delta)-private; at most 1. 0 is possible only where
  /// all charges are pure. Throws Error(kInvalidArgument) unless epsilon is a number of at least 0.
  double delta_at(double epsilon) const;

  /// An epsilon for which it is. Throws Error(kInvalidArgument) unless 0 < delta < 1, or delta is 0
  /// and all charges are pure; and unless delta is more than rare disclosures take of it.
  double epsilon_at(double delta) const;

  /// The epsilon that Renyi privacy alone gives, as many accountants state it, and its order: never
  /// below epsilon_at(). Nothing where no step is sampled and no mechanism pure: that is exact.
  /// Throws Error(kInvalidArgument) for a delta that epsilon_at() refuses, or one of 0.
  std::optional<RenyiPrivacy::Bound> renyi_epsilon_at(double delta) const;

  /// Whether a budget is kept for certain: by delta_at() or by epsilon_at(), whose grids differ.
  /// Throws Error(kInvalidArgument) for an invalid budget.
  bool keeps(const PrivacyBudget& budget) const;

 private:
  /// Without the rare disclosures.
  double rest_delta_at(double epsilon) const;
  /// What they leave of delta. Throws Error(kInvalidArgument) if that is nothing.
  double rest_of_delta(double delta) const;

  double mu_ = 0.0;  ///< of all Gaussian noise without sampling; 0 if there is none
  double disclosure_delta_ = 0.0;
  bool all_gaussian_ = false;
  /// The sum over all charges, if all are pure.
  std::optional<double> pure_epsilon_;
  LossPairCounts pairs_;
};

}  // namespace mehler
