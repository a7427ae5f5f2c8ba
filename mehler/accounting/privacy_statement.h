#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mehler/accounting/charge.h"
#include "mehler/accounting/gaussian_privacy.h"
#include "mehler/table/schema.h"

namespace mehler {

/// A positive number with this many significant digits, rounded up: what is promised is never
/// stated smaller than it is.
std::string rounded_up(double value, int digits);
/// The same, rounded down: for what may be spent.
std::string rounded_down(double value, int digits);

/// How far one record can move the sums.
enum class SensitivityRule {
  kCertified,  ///< proven suprema over the declared domain
  kPublished,  ///< the paper's: a norm of at most 1; never smaller
};

/// How noise is scaled to the budget.
enum class AccountingRule {
  kExact,      ///< all blocks together, by the exact privacy of Gaussian noise
  kPublished,  ///< the paper's: epsilon and delta split between sum and product kernels, Renyi
               ///< composition over the products; keeps the budget with more noise than it needs
};

/// The rules that noise follows. The published ones are for comparisons with the paper.
struct NoiseRules {
  SensitivityRule sensitivity = SensitivityRule::kCertified;
  AccountingRule accounting = AccountingRule::kExact;
  bool operator==(const NoiseRules&) const = default;
};

/// The noise of one block of a release.
struct BlockNoise {
  std::string name;
  double sensitivity = 0.0;  ///< in the 2-norm; of Laplace noise in the 1-norm
  double sigma = 0.0;        ///< standard deviation
  double epsilon = 0.0;      ///< of Laplace noise, which is of pure privacy; 0 for Gaussian noise

  /// What Gaussian noise spends; 0 for Laplace noise.
  double mu_squared() const {
    return epsilon > 0.0 ? 0.0 : (sensitivity / sigma) * (sensitivity / sigma);
  }
};

/// The guarantee that a release carries, with everything that is needed to recompute it. The schema
/// says what is protected: the relation, the privacy unit, where bounds and categories come from.
struct PrivacyStatement {
  PrivacyBudget budget;
  /// The number of records; only under replace-one, which makes it public.
  std::optional<std::uint64_t> public_rows;
  /// What was spent. The first ones are those of a release's blocks, in their order; after them
  /// comes what else was bought: choices, training steps.
  std::vector<Charge> charges;
  NoiseRules rules;

  /// What block i of a release is charged for, where it has blocks.
  BlockNoise noise_of(std::size_t block) const;

  /// sqrt(sum of mu_squared), where all charges are Gaussian sums, selections and rare disclosures:
  /// with disclosure_delta(), the exact privacy spent.
  std::optional<double> mu() const;
  /// The part of the budget's delta that rare disclosures take.
  double disclosure_delta() const { return mehler::disclosure_delta(charges); }
  /// The epsilon that the charges give together at the budget's delta, by composition.h.
  double epsilon_spent() const;

  /// The guarantee in one paragraph for people. It stands in every file, whose readers compare it:
  /// other words need another version of the format, or a reader that knows both.
  std::string in_words(const Schema& schema) const;
};

}  // namespace mehler
