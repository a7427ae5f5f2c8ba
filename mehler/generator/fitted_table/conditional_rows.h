#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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
  /// the data: the fitted table has too few, probability times all records below kFewestExpected,
  /// and the probability below kLeastShare, which spares tables of few rows.
  bool unlikely = false;
  static constexpr double kFewestExpected = 0.5;
  static constexpr double kLeastShare = 0.01;
};

/// Gives the model of a fit, which is costly where it has to be fitted first.
using ModelSource = std::function<const PairwiseModel&()>;

/// `count` rows that meet all conditions, the same for a seed, whatever the threads.
///
/// Rows of the fitted table are taken, none twice, as far as there are any; the model is asked for
/// only if they are too few. The others are picked from further tables that are drawn, while that
/// costs little, or else clamped to the conditions (clamped_rows.h). `shape`: that of the fit.
/// `from_table`: false where rows of the fitted table were taken before.
///
/// Always gives rows, also where none of the fit's meets the conditions; see `unlikely`. Throws
/// Error(kInvalidArgument) for a column or code that does not exist, a column named twice, or a
/// condition without codes.
ConditionalRows draw_where(const CliqueTargets& shape, const SearchableFit& searchable,
                           const ModelSource& model, const std::vector<CodeCondition>& conditions,
                           std::size_t count, std::uint64_t seed, const Context& context,
                           bool from_table = true);

}  // namespace mehler
