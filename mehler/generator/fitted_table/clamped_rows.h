#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/generator/fitted_table/pairwise_model.h"
#include "mehler/generator/fitted_table/table_fit.h"

namespace mehler {

/// A column must have one of some codes.
struct CodeCondition {
  std::size_t column = 0;
  std::vector<std::uint16_t> codes;  ///< at least one, none twice
  /// Of each code, the share of its rows that meet the condition, in (0, 1]; empty: all of them.
  /// Only their ratios matter for the rows that are drawn.
  std::vector<double> shares = {};
};

/// For each code of a column of `size` codes its share; 0 for one that the condition does not
/// allow.
std::vector<double> shares_of(const CodeCondition& condition, std::size_t size);

/// Rows that meet conditions, with the weights that make them rows of the model.
struct ClampedStart {
  CodedRows rows;
  std::vector<double> weights;
  double probability = 1.0;  ///< of the conditions under the model, estimated
  LogitTables forces;        ///< the model's, with the conditions held
};

/// Makes rows of the fit meet conditions. It begins with those that meet all of them, or, while
/// these are too few, all but one, all but two, and so on; the others are entered one after the
/// other: a row of the model given the first conditions, weighted by P(x_c in codes | rest) with
/// x_c drawn from the codes, is a row of the model given the next one too. Between conditions rows
/// are resampled by weight and moved. `count`: rows that will be asked for.
ClampedStart enter_conditions(const PairwiseModel& model, const TableFit& fit,
                              const std::vector<CodeCondition>& conditions, std::size_t count,
                              std::uint64_t seed, const Context& context);

/// `count` rows from such a start: resampled by weight, then moved with the conditions held. With a
/// single condition the other columns are also moved toward the counts that they have in the fit
/// beside the condition's codes.
CodedRows clamped_rows(const PairwiseModel& model, const TableFit& fit,
                       const std::vector<CodeCondition>& conditions, const ClampedStart& start,
                       std::size_t count, std::uint64_t seed, const Context& context);

}  // namespace mehler
