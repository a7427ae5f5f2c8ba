#pragma once

#include <cstddef>
#include <cstdint>

#include "mehler/core/context.h"
#include "mehler/generator/fitted_table/pairwise_model.h"
#include "mehler/generator/fitted_table/table_fit.h"

namespace mehler {

/// How rows are drawn from a model.
struct DrawOptions {
  std::uint64_t seed = 1;
  /// Rows of the whole table that all calls make up together, if known: its blocks then have equal
  /// sizes. 0: blocks of the fit's rows, of which the last is used in part.
  std::size_t total_rows = 0;
  int sweeps = 5;         ///< under the model's potentials
  int polish_sweeps = 3;  ///< of each block
};

/// Rows [first_row, first_row + count) of a table with the fit's distribution, of any length.
///
/// Rows start at the fit's, move on their own under the model's potentials, and are then polished
/// in blocks of at most the fit's rows so that each block has its share of the averages. The same
/// rows for any threads and for any split into calls, if seed and total_rows are the same; a call
/// costs whole blocks. Throws Error(kInvalidArgument) if the rows go beyond total_rows.
CodedRows draw_rows(const PairwiseModel& model, const TableFit& fit, std::size_t first_row,
                    std::size_t count, const DrawOptions& options, const Context& context);

/// Fewer rows than the fit has: a random part of its chain, polished to its share of the averages.
CodedRows shrink_rows(const CliqueTargets& shape, const TableFit& fit, std::size_t count,
                      std::uint64_t seed, const TableFitOptions& options = {});

}  // namespace mehler
