#include "mehler/privacy/accountant.h"

#include <fmt/format.h>

#include <cmath>

#include "mehler/core/error.h"

namespace mehler {
namespace {

double squared_mu_of(const PrivacyBudget& budget) {
  const double mu = calibrate_mu(budget);
  return mu * mu;
}

}  // namespace

Accountant::Accountant(PrivacyBudget budget)
    : budget_(budget),
      total_mu_squared_(squared_mu_of(budget)),
      left_mu_squared_(total_mu_squared_) {}

void Accountant::spend(const std::string& what, double mu_squared) {
  // Written so that NaN fails too.
  if (!(mu_squared > 0.0 && mu_squared <= left_mu_squared_)) {
    throw Error(
        ErrorCode::kBudgetExceeded,
        fmt::format("the privacy budget refuses '{}': it asks for mu^2 = {}, and {} of {} is left; "
                    "nothing was released",
                    what, mu_squared, left_mu_squared_, total_mu_squared_));
  }
  left_mu_squared_ -= mu_squared;
  ledger_.push_back({what, mu_squared});
}

}  // namespace mehler
