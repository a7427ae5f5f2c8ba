#pragma once

#include <cstddef>

namespace mehler {

/// How a network's measurements share a budget: told before anything is read, and spent so.
struct NetworkBudget {
  /// In mu^2: the number of records, all columns together, one table of several columns.
  double records = 0.0;
  double columns = 0.0;
  double table = 0.0;
  /// In epsilon: the choice of one table.
  double choice = 0.0;

  /// `columns` of more than one cell, at least one. What choices leave over goes to the last table.
  static NetworkBudget of(double mu_squared, std::size_t columns, bool count_is_public);
};

/// The same by the published protocol, in pure epsilon.
struct PublishedNetworkBudget {
  /// Of the noise of each table.
  double scale = 0.0;
  /// In epsilon: the choice of one table.
  double choice = 0.0;

  static PublishedNetworkBudget of(double epsilon, std::size_t columns);
};

}  // namespace mehler
