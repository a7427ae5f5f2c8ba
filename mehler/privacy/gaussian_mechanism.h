#pragma once

#include <span>
#include <string>
#include <vector>

#include "mehler/accounting/privacy_statement.h"
#include "mehler/counts/count_block.h"
#include "mehler/features/feature_set.h"
#include "mehler/privacy/accountant.h"

namespace mehler {

/// Throws Error(kInvalidArgument) unless noise of this standard deviation can be drawn in multiples
/// of 2^-grid_exponent: it must neither vanish on the grid nor leave 64 bits.
void require_drawable(double sigma, int grid_exponent);

/// The right to add Gaussian noise to some blocks, paid for in advance: to sums of features
/// (SumMechanism) or to counts (CountMechanism).
///
/// Privacy: neither can be made without an Accountant, which is charged before there is one; it
/// keeps the blocks and the schema that it was paid for, and nothing else is measured with it; it
/// is consumed by privatize() or PrivateCounter::measure() and cannot be copied, so that a payment
/// is used once.
class GaussianMechanism {
 public:
  GaussianMechanism(GaussianMechanism&&) = default;
  GaussianMechanism(const GaussianMechanism&) = delete;
  GaussianMechanism& operator=(const GaussianMechanism&) = delete;

  /// The sensitivity and noise of each block that was paid for.
  const std::vector<GaussianSums>& charges() const { return charges_; }

  /// Throws Error(kInvalidArgument) if it was paid for under another schema, which may protect
  /// less: other bounds, another relation, another privacy unit.
  void require_schema(const Schema& schema) const;

 protected:
  explicit GaussianMechanism(const Schema& schema) : schema_(schema) {}
  ~GaussianMechanism() = default;

  void pay(Accountant& accountant, const std::string& what) const;

  Schema schema_;
  std::vector<GaussianSums> charges_;
};

/// For the sums of features.
class SumMechanism : public GaussianMechanism {
 public:
  /// Shares `mu_squared` between the blocks, p_i proportional to Delta_i sqrt(weight_i d_i), which
  /// minimises the weighted sum of noise variances, and charges the accountant. Throws
  /// Error(kBudgetExceeded) before anything is released.
  SumMechanism(Accountant& accountant, double mu_squared, const FeatureSet& features,
               const Schema& schema, SensitivityRule rule = SensitivityRule::kCertified);

  /// By the published accounting: product blocks together get `product_share` of the budget's
  /// epsilon and delta, the others the rest; one Gaussian mechanism for these, and Renyi
  /// composition for the products. Charges what that spends by exact accounting, which is less than
  /// the budget. Throws Error(kInvalidArgument) unless 0 < product_share < 1.
  static SumMechanism published(Accountant& accountant, double product_share,
                                const FeatureSet& features, const Schema& schema,
                                SensitivityRule rule);

  /// By DP-MERF's published accounting: every block has the same noise multiplier sigma / Delta,
  /// which Renyi composition gives for the whole budget. Charges what that spends by exact
  /// accounting, which is less than the budget.
  static SumMechanism published_alike(Accountant& accountant, const FeatureSet& features,
                                      const Schema& schema, SensitivityRule rule);

  /// What was paid for.
  const FeatureSet& features() const { return features_; }

 private:
  SumMechanism(const FeatureSet& features, const Schema& schema, SensitivityRule rule);

  /// Shares mu_squared between the blocks, in proportion to what `shares` gives for each.
  void share_by(double mu_squared, const std::vector<double>& shares);
  /// Shares mu_squared between the blocks for which `takes_part`.
  void share(double mu_squared, const auto& takes_part);
  void pay_for_sums(Accountant& accountant) const;

  FeatureSet features_;
};

/// For counts.
class CountMechanism : public GaussianMechanism {
 public:
  /// With noise that was chosen for each block: standard deviation 1 / sqrt(precision). Charges the
  /// accountant under the name `what`; throws Error(kBudgetExceeded) before anything is released.
  CountMechanism(Accountant& accountant, const std::string& what,
                 std::span<const CountBlock> blocks, const Schema& schema,
                 std::span<const double> precisions);

  /// What was paid for.
  const std::vector<CountBlock>& blocks() const { return blocks_; }

 private:
  std::vector<CountBlock> blocks_;
};

}  // namespace mehler
