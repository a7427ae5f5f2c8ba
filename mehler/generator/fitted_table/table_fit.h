#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/estimation/clique_targets.h"
#include "mehler/estimation/coded_rows.h"

namespace mehler {

/// How a table is fitted. The result is the same for a seed, whatever the threads.
struct TableFitOptions {
  std::uint64_t seed = 1;
  int anneal_sweeps = 12;  ///< from start_temperature down to 1, geometrically
  /// For columns, stiff weights and moments (fit_table()); up to five times as many in small
  /// tables.
  int settling_sweeps = 20;
  int average_sweeps = 8;          ///< at temperature 1; counts are averaged after each
  int polish_sweeps = 6;           ///< of the whole table toward the averages
  double start_temperature = 0.0;  ///< 0: by the weights and the rows, at least 30
  double polish_start = 1.0;       ///< temperatures of the polish, geometrically
  double polish_end = 0.3;         ///< lower for fewer than 15 columns
  /// Averaging begins anew, up to this many times, while the energy still falls.
  int extra_rounds = 3;
  /// Parts of the table that are fitted side by side; 0: one, more for wide and long tables.
  std::size_t chains = 0;

  /// Throws Error(kInvalidArgument) for a value outside its range.
  void validate() const;
};

/// A fitted table.
struct TableFit {
  CodedRows chain;          ///< the state after the averaging sweeps
  CodedRows polished;       ///< the same rows, moved so that their counts are the averages
  CliqueValues averages;    ///< mean counts of every clique, also of those without weight
  int averaged_sweeps = 0;  ///< how many sweeps they are the mean of
  /// After each annealing and averaging sweep: sum over cliques and cells of
  /// weight / 2 (count - goal)^2, the mean over the chains. Goals are the targets, and weights
  /// theirs, but for cliques that are too stiff to move under them (fit_table()).
  std::vector<double> energy;
  /// Whether the energy still fell in the last averaging sweeps, extra ones included: the averages
  /// are then those of a table on its way.
  bool slow_mixing = false;
};

/// Bytes of the force tables of a fit, on top of the table and its averages.
std::size_t table_fit_bytes(const CliqueTargets& targets, const TableFitOptions& options = {});

/// Draws a table of targets.rows rows from exp(-energy), energy(X) = sum over cliques c and cells
/// of w_c / 2 (counts of X - target)^2, by single-site Gibbs moves: soft constraints, and maximum
/// entropy beyond them.
///
/// The rows are cut into `chains` parts, each fitted by itself to its share f of the targets with
/// weights w / f, which leaves the distribution of the whole as it is; threads take whole parts.
/// Where weights are so large that rows would freeze, they are smaller, and the goals move until
/// the mean forces are those of the weights. So they do for columns, whose mean counts are to be
/// the targets, and for the moments of pairs, each of which
/// adds moment_weight / 2 (moment - that of the target)^2 to the energy.
TableFit fit_table(const CliqueTargets& targets, const TableFitOptions& options,
                   const Context& context);

/// Moves rows toward counts of all cliques, each with weight 1, in place: `sweeps` sweeps that cool
/// from options.polish_start to options.polish_end, or to .02 a column if that is lower. `counts`
/// are those of all rows.
void polish_rows(const CliqueTargets& shape, const CliqueValues& counts, int sweeps,
                 const TableFitOptions& options, std::uint64_t seed, CodedRows& rows);

}  // namespace mehler
