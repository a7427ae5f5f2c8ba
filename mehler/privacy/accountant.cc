#include "mehler/privacy/accountant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mehler/accounting/composition.h"
#include "mehler/core/error.h"

namespace mehler {
namespace {

double squared_mu_of(const PrivacyBudget& budget) {
  const double mu = calibrate_mu(budget);
  return mu * mu;
}

bool all_gaussian(std::span<const Charge> charges) {
  return std::all_of(charges.begin(), charges.end(), [](const Charge& charge) {
    return std::holds_alternative<GaussianSums>(charge);
  });
}

}  // namespace

double PrivacySpend::mu_squared() const { return gaussian_mu_squared(charges); }

Accountant::Accountant(PrivacyBudget budget)
    : budget_(budget),
      total_mu_squared_(squared_mu_of(budget)),
      left_mu_squared_(total_mu_squared_) {}

double Accountant::left_mu_squared() const {
  if (!is_gaussian_) {
    throw Error(ErrorCode::kInvalidArgument,
                "what is left of a budget that paid for more than Gaussian sums is not a mu; "
                "calibrate what is bought next beside what was bought");
  }
  return left_mu_squared_;
}

void Accountant::require_within_budget(const PrivacySpend& spend) const {
  if (is_gaussian_ && all_gaussian(spend.charges)) {
    // Written so that NaN fails too.
    if (!(spend.mu_squared() > 0.0 && spend.mu_squared() <= left_mu_squared_)) {
      throw Error(ErrorCode::kBudgetExceeded,
                  fmt::format("the privacy budget refuses '{}': it asks for mu^2 = {}, and {} of "
                              "{} is left; nothing was released",
                              spend.what, spend.mu_squared(), left_mu_squared_, total_mu_squared_));
    }
    return;
  }
  std::vector<Charge> all = spend.charges;
  for (const PrivacySpend& line : ledger_) {
    all.insert(all.end(), line.charges.begin(), line.charges.end());
  }
  const ComposedPrivacy composed(all);
  if (!composed.keeps(budget_)) {
    throw Error(ErrorCode::kBudgetExceeded,
                fmt::format("the privacy budget refuses '{}': with it epsilon would be {} at delta "
                            "{}, and it is {}; nothing was released",
                            spend.what, composed.epsilon_at(budget_.delta), budget_.delta,
                            budget_.epsilon));
  }
}

void Accountant::spend(const std::string& what, std::span<const Charge> charges) {
  for (const Charge& charge : charges) {
    validate(charge);
  }
  PrivacySpend spend{what, {charges.begin(), charges.end()}};
  require_within_budget(spend);
  is_gaussian_ = is_gaussian_ && all_gaussian(charges);
  left_mu_squared_ -= spend.mu_squared();
  ledger_.push_back(std::move(spend));
}

}  // namespace mehler
