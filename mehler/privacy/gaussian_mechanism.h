#pragma once

#include <span>
#include <string>
#include <vector>

#include "mehler/accounting/privacy_statement.h"
#include "mehler/features/feature_set.h"
#include "mehler/privacy/accountant.h"

namespace mehler {

/// Throws Error(kInvalidArgument) unless noise of this standard deviation can be drawn in multiples
/// of 2^-grid_exponent: it must neither vanish on the grid nor leave 64 bits.
void require_drawable(double sigma, int grid_exponent);

/// The right to add Gaussian noise to the sums of some features, paid for in advance.
///
/// Privacy: it cannot be made without an Accountant, which is charged in the constructor; it keeps
/// the features and the schema that it was paid for, and nothing else is measured with it; it is
/// consumed by privatize() and PrivateCounter::measure() and cannot be copied, so that a payment is
/// used once.
class GaussianMechanism {
 public:
  /// Shares `mu_squared` between the blocks, p_i proportional to Delta_i sqrt(weight_i d_i), which
  /// minimises the weighted sum of noise variances, and charges the accountant. Throws
  /// Error(kBudgetExceeded) before anything is released.
  GaussianMechanism(Accountant& accountant, double mu_squared, const FeatureSet& features,
                    const Schema& schema, SensitivityRule rule = SensitivityRule::kCertified);

  /// By the published accounting: product blocks together get `product_share` of the budget's
  /// epsilon and delta, the others the rest; one Gaussian mechanism for these, and Renyi
  /// composition for the products. Charges what that spends by exact accounting, which is less than
  /// the budget. Throws Error(kInvalidArgument) unless 0 < product_share < 1.
  static GaussianMechanism published(Accountant& accountant, double product_share,
                                     const FeatureSet& features, const Schema& schema,
                                     SensitivityRule rule);

  /// With noise that was chosen for each block: standard deviation 1 / sqrt(precision). Charges the
  /// accountant under the name `what`; throws Error(kBudgetExceeded) before anything is released.
  static GaussianMechanism with_precisions(Accountant& accountant, const std::string& what,
                                           std::span<const FeatureBlock> blocks,
                                           const Schema& schema,
                                           std::span<const double> precisions);

  GaussianMechanism(GaussianMechanism&&) = default;
  GaussianMechanism(const GaussianMechanism&) = delete;
  GaussianMechanism& operator=(const GaussianMechanism&) = delete;

  /// The blocks that were paid for, and the sensitivity and noise of each.
  const std::vector<FeatureBlock>& features() const { return features_; }
  const std::vector<BlockStatement>& blocks() const { return blocks_; }

  /// Throws Error(kInvalidArgument) if it was paid for under another schema, which may protect
  /// less: other bounds, another relation, another privacy unit.
  void require_schema(const Schema& schema) const;

 private:
  GaussianMechanism(std::span<const FeatureBlock> features, const Schema& schema,
                    SensitivityRule rule);

  /// Shares mu_squared between the blocks for which `takes_part`.
  void share(double mu_squared, const FeatureSet& features, const auto& takes_part);
  void charge(Accountant& accountant, const std::string& what);

  std::vector<FeatureBlock> features_;
  Schema schema_;
  std::vector<BlockStatement> blocks_;
};

}  // namespace mehler
