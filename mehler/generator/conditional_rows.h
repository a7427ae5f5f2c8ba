#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/generator/pairwise_model.h"
#include "mehler/generator/table_fit.h"

namespace mehler {

/// A column must have one of some codes.
struct CodeCondition {
  std::size_t column = 0;
  std::vector<std::uint16_t> codes;  ///< at least one
};

/// Rows that meet conditions.
struct ConditionalRows {
  CodedRows rows;
  /// An estimate of the share of rows that meet the conditions, under the model.
  double probability = 1.0;
  /// Whether so little of the model meets them that the rows say more about its tails than about
  /// the data: probability times the fit's rows is below kFewestExpected, and the probability below
  /// kLeastShare, which spares tables of few rows.
  bool unlikely = false;
  static constexpr double kFewestExpected = 0.5;
  static constexpr double kLeastShare = 0.01;
};

/// `count` rows of the model that meet all conditions, the same for a seed, whatever the threads.
///
/// The fit's rows are taken with probability proportional to P(x_c in codes | rest of the row), one
/// condition after the other, and x_c is drawn from that; then they move under the model with
/// their conditions held. Under a single condition the other columns' counts are also drawn to
/// those that the fit has beside the codes.
///
/// Always gives rows, also where none of the fit's meets the conditions; see `unlikely`. Throws
/// Error(kInvalidArgument) for a column or code that there is not, a column named twice, or a
/// condition without codes.
ConditionalRows draw_where(const PairwiseModel& model, const TableFit& fit,
                           const std::vector<CodeCondition>& conditions, std::size_t count,
                           std::uint64_t seed, const Context& context);

}  // namespace mehler
