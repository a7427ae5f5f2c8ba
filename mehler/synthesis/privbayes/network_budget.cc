#include "mehler/synthesis/privbayes/network_budget.h"

#include <cmath>

#include "mehler/accounting/selection_privacy.h"

namespace mehler {
namespace {

// Shares of mu^2. Whether 5 or 30 % go to choices, and 10 or 20 % to columns, hardly matters
// (docs/methods/privbayes.md).
constexpr double kRecordShare = 0.02;
constexpr double kColumnShare = 0.13;
constexpr double kChoiceShare = 0.10;

// Parts of epsilon that the published protocol spends, by the program that the paper's numbers come
// from: a quarter on choices and half on tables, which leaves a quarter.
constexpr double kPublishedChoices = 0.25;
constexpr double kPublishedTables = 0.5;

/// Counts of a table that an exchanged record changes by 1.
constexpr double kChangedCounts = 2.0;

}  // namespace

NetworkBudget NetworkBudget::of(double mu_squared, std::size_t columns, bool count_is_public) {
  NetworkBudget budget;
  budget.records = count_is_public ? 0.0 : kRecordShare * mu_squared;
  if (columns == 1) {
    budget.columns = mu_squared - budget.records;
    return budget;
  }
  budget.columns = (kColumnShare + kRecordShare) * mu_squared - budget.records;
  const auto tables = static_cast<double>(columns - 1);
  budget.choice = epsilon_of_selection(std::sqrt(kChoiceShare * mu_squared / tables));
  budget.table = (1.0 - kRecordShare - kColumnShare - kChoiceShare) * mu_squared / tables;
  return budget;
}

PublishedNetworkBudget PublishedNetworkBudget::of(double epsilon, std::size_t columns) {
  PublishedNetworkBudget budget;
  // The tables, one for each column, get their part of epsilon together.
  budget.scale = kChangedCounts * static_cast<double>(columns) / (kPublishedTables * epsilon);
  if (columns > 1) {
    budget.choice = kPublishedChoices * epsilon / static_cast<double>(columns - 1);
  }
  return budget;
}

}  // namespace mehler
