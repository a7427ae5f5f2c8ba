#pragma once

#include <algorithm>
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

/// Where the blocks of a drawn table begin: blocks of at most the fit's rows, as equal as they can
/// be.
class RowBlocks {
 public:
  /// total_rows as in DrawOptions.
  RowBlocks(std::size_t fit_rows, std::size_t total_rows)
      : total_(total_rows), count_((total_rows + fit_rows - 1) / fit_rows), fit_rows_(fit_rows) {}

  /// How many there are; 0 if the whole is not known.
  std::size_t count() const { return count_; }
  std::size_t begin(std::size_t block) const {
    return total_ == 0 ? block * fit_rows_
                       : block * (total_ / count_) + std::min(block, total_ % count_);
  }
  /// The block that a row is in.
  std::size_t of_row(std::size_t row) const;

 private:
  std::size_t total_;
  std::size_t count_;
  std::size_t fit_rows_;
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
