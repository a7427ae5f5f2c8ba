#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mehler/accounting/gaussian_privacy.h"
#include "mehler/core/context.h"
#include "mehler/synthesis/methods.h"
#include "mehler/table/schema.h"

namespace mehler {

/// The counts of one, two or three columns, as a release would have them.
struct ForecastMarginal {
  std::vector<std::string> columns;
  std::size_t cells = 0;  ///< that the release would have
  /// The share of the records that would have to be moved between cells to turn the noisy counts
  /// into the true ones: expected total variation, at most 1. Of a table with numbers in 4 ranges,
  /// whatever the release has: what more budget buys are finer cells too.
  double noise = 0.0;
};

/// What a release would be worth, before anything is spent.
struct Forecast {
  PrivacyBudget budget;
  std::string method;
  std::uint64_t rows = 0;
  std::vector<ForecastMarginal> marginals;
  double share = 1.0;  ///< of the budget that counts have

  /// The mean noise of marginals of so many columns; nothing if there are none.
  std::optional<double> mean_noise(std::size_t columns) const;
  /// The factor on the records, or on mu, that would bring a noise down to another.
  static double factor_to_reach(double wanted, double noise) { return noise / wanted; }
  /// The epsilon, at the same delta, with `factor` times the mu of this budget.
  double epsilon_with(double factor) const;
};

/// How much noise a release of so many records of a schema would have: that of records which are
/// drawn evenly from everything the schema allows. What is counted next depends on the records, so
/// real ones come out somewhat different. Of a table with images: that of its further columns and
/// the label. Bounds and categories that are to be bought take their share of the budget; 20
/// categories are assumed.
///
/// Privacy: reads no table and costs nothing.
///
/// Throws Error(kInvalidArgument) for no records, a budget that is none, or a method that does not
/// count; Error(kInvalidSchema) if the schema is not declared.
Forecast forecast(const Schema& schema, std::uint64_t rows, const PrivacyBudget& budget,
                  const ReleaseRequest& request = {}, const Context& context = {});

}  // namespace mehler
