#pragma once

#include <vector>

#include "mehler/features/feature_set.h"
#include "mehler/privacy/accountant.h"
#include "mehler/release/privacy_statement.h"

namespace mehler {

/// The right to add Gaussian noise to one embedding, paid for in advance.
///
/// Privacy: it cannot be made without an Accountant, which is charged in the constructor; it is
/// consumed by privatize() and cannot be copied, so that a payment is used once.
class GaussianMechanism {
 public:
  /// Shares `mu_squared` between the blocks, p_i proportional to Delta_i sqrt(weight_i d_i), which
  /// minimises the weighted sum of noise variances, and charges the accountant. Throws
  /// Error(kBudgetExceeded) before anything is released.
  GaussianMechanism(Accountant& accountant, double mu_squared, const FeatureSet& features,
                    const Schema& schema);
  GaussianMechanism(GaussianMechanism&&) = default;
  GaussianMechanism(const GaussianMechanism&) = delete;
  GaussianMechanism& operator=(const GaussianMechanism&) = delete;

  /// Sensitivity and noise of each block of the feature set, in its order.
  const std::vector<BlockStatement>& blocks() const { return blocks_; }

 private:
  std::vector<BlockStatement> blocks_;
};

}  // namespace mehler
