#pragma once

#include <string>
#include <vector>

#include "mehler/accounting/gaussian_privacy.h"

namespace mehler {

/// One line of the ledger.
struct PrivacySpend {
  std::string what;
  double mu_squared = 0.0;
};

/// A privacy budget and the ledger of what has been spent of it.
///
/// Privacy: Gaussian mechanisms compose exactly by adding mu^2, also when later ones depend on the
/// results of earlier ones. spend() is called before noise is drawn and refuses what the budget
/// does not hold. A budget is one object: it can be neither copied nor moved, so that it cannot be
/// spent twice.
class Accountant {
 public:
  /// Throws Error(kInvalidArgument) for an invalid budget; see PrivacyBudget::validate().
  explicit Accountant(PrivacyBudget budget);
  Accountant(const Accountant&) = delete;
  Accountant& operator=(const Accountant&) = delete;

  const PrivacyBudget& budget() const { return budget_; }
  /// mu^2 of the whole budget, and what is left of it.
  double total_mu_squared() const { return total_mu_squared_; }
  double left_mu_squared() const { return left_mu_squared_; }
  const std::vector<PrivacySpend>& ledger() const { return ledger_; }

  /// Books a spend. Throws Error(kBudgetExceeded) and books nothing if more is asked for than is
  /// left, or if the amount is not a positive number.
  void spend(const std::string& what, double mu_squared);

 private:
  PrivacyBudget budget_;
  double total_mu_squared_;
  double left_mu_squared_;
  std::vector<PrivacySpend> ledger_;
};

}  // namespace mehler
