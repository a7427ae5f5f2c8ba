#pragma once

#include <string>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/privacy/accountant.h"
#include "mehler/privacy/private_table.h"

namespace mehler {

/// What bounds and categories cost that are bought: a share of the budget's mu^2 and delta.
struct DomainBudget {
  static constexpr double kMinShare = 0.001;
  static constexpr double kMaxShare = 0.9;

  double share = 0.1;

  /// Throws Error(kInvalidArgument) for a share outside [kMinShare, kMaxShare].
  void validate() const;
};

/// A private table whose schema has the bounds and categories that were bought.
struct BoughtDomains {
  PrivateTable table;
  /// Columns of which nothing was found above the noise: they are ignored from now on.
  std::vector<std::string> not_found;
};

/// Finds the bounds and categories that a schema leaves to be bought, with noise
/// (docs/design/0015-bought-domains.md).
///
/// Bounds: noisy counts of public cells (powers of ten, in steps of 1, 2 and 5; calendar years);
/// the bounds enclose all cells whose counts stand out of the noise, and what lies outside is moved
/// to them. Categories: noisy counts of the texts that occur; those above a threshold are listed in
/// the order of the alphabet, the rest goes to "other".
///
/// Privacy: charges the accountant before any noise is drawn: for each column the Gaussian noise of
/// its counts, and for categories the probability that a text which one person alone has passes the
/// threshold. What is found is published with the schema. Throws Error(kInvalidArgument) if the
/// table cannot be read a second time, Error(kInvalidTable) if it does not fit the schema, both
/// before the charge; and Error(kInvalidTable) after it if no column is left.
BoughtDomains buy_domains(PrivateTable&& table, const DomainBudget& budget, Accountant& accountant,
                          const Context& context);

}  // namespace mehler
