#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/generator/fitted_table/clamped_rows.h"
#include "mehler/generator/fitted_table/pairwise_model.h"
#include "mehler/generator/fitted_table/table_fit.h"

namespace mehler {

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
/// Rows are picked from polished tables, the fit's own or drawn ones, while that takes no more than
/// a few tables; rare conditions are met by rows that are clamped to them (clamped_rows.h).
///
/// Always gives rows, also where none of the fit's meets the conditions; see `unlikely`. Throws
/// Error(kInvalidArgument) for a column or code that does not exist, a column named twice, or a
/// condition without codes.
ConditionalRows draw_where(const PairwiseModel& model, const TableFit& fit,
                           const std::vector<CodeCondition>& conditions, std::size_t count,
                           std::uint64_t seed, const Context& context);

}  // namespace mehler
