#include "mehler/privacy/accountant.h"

#include <fmt/format.h>

#include <cmath>

#include "mehler/accounting/composition.h"
#include "mehler/core/error.h"

namespace mehler {
namespace {

double squared_mu_of(const PrivacyBudget& budget) {
  const double mu = calibrate_mu(budget);
  return mu * mu;
}

}  // namespace

double PrivacySpend::mu_squared() const { return gaussian_mu_squared(charges); }

Accountant::Accountant(PrivacyBudget budget)
    : budget_(budget), total_mu_squared_(squared_mu_of(budget)) {}

double Accountant::left_mu_squared() const {
  if (!is_gaussian_) {
    throw Error(ErrorCode::kInvalidArgument,
                "what is left of a budget that paid for more than Gaussian sums is not a mu; "
                "calibrate what is bought next beside what was bought");
  }
  return total_mu_squared_ - spent_mu_squared_;
}

std::vector<Charge> Accountant::charges() const {
  std::vector<Charge> all;
  for (const PrivacySpend& line : ledger_) {
    all.insert(all.end(), line.charges.begin(), line.charges.end());
  }
  return all;
}

double Accountant::delta_after(const PrivacySpend& spend) const {
  const double spent = disclosure_delta(charges());
  const double added = disclosure_delta(spend.charges);
  const double rest = budget_.delta - spent - added;
  if (!(rest > 0.0)) {
    throw Error(ErrorCode::kBudgetExceeded,
                fmt::format("the privacy budget refuses '{}': it asks for a delta of {}, and {} of "
                            "{} is left; nothing was released",
                            spend.what, added, budget_.delta - spent, budget_.delta));
  }
  return rest;
}

double Accountant::total_after(const PrivacySpend& spend) const {
  const double added = disclosure_delta(spend.charges);
  const double total =
      added > 0.0 ? squared_mu_of({budget_.epsilon, delta_after(spend)}) : total_mu_squared_;
  const double left = total - spent_mu_squared_;
  // Written so that NaN fails too.
  if (!((spend.mu_squared() > 0.0 || added > 0.0) && spend.mu_squared() <= left)) {
    throw Error(ErrorCode::kBudgetExceeded,
                fmt::format("the privacy budget refuses '{}': it asks for mu^2 = {}, and {} of {} "
                            "is left; nothing was released",
                            spend.what, spend.mu_squared(), left, total));
  }
  return total;
}

void Accountant::require_within_budget(const PrivacySpend& spend) const {
  delta_after(spend);
  std::vector<Charge> all = charges();
  all.insert(all.end(), spend.charges.begin(), spend.charges.end());
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
  if (is_gaussian_ && is_gaussian(charges)) {
    total_mu_squared_ = total_after(spend);
  } else {
    require_within_budget(spend);
    is_gaussian_ = false;
  }
  spent_mu_squared_ += spend.mu_squared();
  ledger_.push_back(std::move(spend));
}

}  // namespace mehler
