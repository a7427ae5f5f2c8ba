#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/generator/fitted_table/matching_rows.h"
#include "mehler/generator/fitted_table/pairwise_model.h"
#include "mehler/generator/fitted_table/table_fit.h"

namespace mehler {

/// Rows that meet conditions, with the weights that make them rows of the model.
struct ClampedStart {
  CodedRows rows;
  std::vector<double> weights;
  double probability = 1.0;  ///< of the conditions under the model, estimated
  LogitTables forces;        ///< the model's, with the conditions held
};

/// Makes rows of the fit meet conditions. It begins with those that meet all of them, or, while
/// these are too few, all but one, all but two, and so on (matching_rows.h). The others are entered
/// one after the other: a row of the model given the first conditions, weighted by
/// P(x_c in codes | rest) with x_c drawn from the codes, is a row of the model given the next one
/// too. Between conditions rows are resampled by weight and moved. `count`: rows that will be asked
/// for; where they are many, potentials are corrected first by what the rows at the beginning show
/// (keep_columns()).
ClampedStart enter_conditions(const PairwiseModel& model, const SearchableFit& fit,
                              const std::vector<CodeCondition>& conditions, std::size_t count,
                              std::uint64_t seed, const Context& context);

/// `count` rows from such a start: resampled by weight, then moved with the conditions held. With a
/// single condition the other columns are also moved toward the counts that they have in the fit
/// beside the condition's codes.
CodedRows clamped_rows(const PairwiseModel& model, const TableFit& fit,
                       const std::vector<CodeCondition>& conditions, const ClampedStart& start,
                       std::size_t count, std::uint64_t seed, const Context& context);

}  // namespace mehler
