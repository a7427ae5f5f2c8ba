#pragma once

#include <span>
#include <string>
#include <vector>

#include "mehler/accounting/charge.h"
#include "mehler/accounting/gaussian_privacy.h"

namespace mehler {

/// One line of the ledger.
struct PrivacySpend {
  std::string what;
  std::vector<Charge> charges;

  /// mu^2 of its Gaussian sums; other charges are left out.
  double mu_squared() const;
};

/// A privacy budget and the ledger of what has been spent of it.
///
/// Privacy: charges compose, also when later ones depend on the results of earlier ones: Gaussian
/// sums exactly, by adding mu^2, mixtures by an upper bound (composition.h). spend() is called
/// before noise is drawn and refuses what the budget does not hold. A budget is one object: it can
/// be neither copied nor moved, so that it cannot be spent twice.
class Accountant {
 public:
  /// Throws Error(kInvalidArgument) for an invalid budget; see PrivacyBudget::validate().
  explicit Accountant(PrivacyBudget budget);
  Accountant(const Accountant&) = delete;
  Accountant& operator=(const Accountant&) = delete;

  const PrivacyBudget& budget() const { return budget_; }
  /// mu^2 of the whole budget, less the part of its delta that was spent on rare disclosures, and
  /// what is left of it. left_mu_squared() throws Error(kInvalidArgument) once anything else than
  /// these and Gaussian sums was bought: what is left cannot be stated as a mu then.
  double total_mu_squared() const { return total_mu_squared_; }
  double left_mu_squared() const;
  const std::vector<PrivacySpend>& ledger() const { return ledger_; }
  /// Everything that was charged so far.
  std::vector<Charge> charges() const;

  /// Books a spend. Throws Error(kBudgetExceeded) and books nothing if all charges together cost
  /// more than the budget; Error(kInvalidArgument) for an invalid charge.
  void spend(const std::string& what, std::span<const Charge> charges);

 private:
  /// The budget's delta that is left beside rare disclosures, and its mu^2, after a spend (of
  /// Gaussian sums and rare disclosures). Throw Error(kBudgetExceeded).
  double delta_after(const PrivacySpend& spend) const;
  double total_after(const PrivacySpend& spend) const;
  void require_within_budget(const PrivacySpend& spend) const;

  PrivacyBudget budget_;
  double total_mu_squared_;
  double spent_mu_squared_ = 0.0;
  bool is_gaussian_ = true;  ///< everything bought so far is Gaussian sums and rare disclosures
  std::vector<PrivacySpend> ledger_;
};

}  // namespace mehler
