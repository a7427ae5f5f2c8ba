#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/generator/fitted_table/logit_tables.h"
#include "mehler/generator/fitted_table/table_fit.h"

namespace mehler {

/// How the model is fitted. The result is the same for a seed, whatever the threads.
struct PairwiseModelOptions {
  std::uint64_t seed = 1;
  int iterations = 120;  ///< at least 2; each moves every row once
  /// Rows that stand for all of the fit's, a random part of them; 0 for all.
  std::size_t rows = 0;
};

/// Independent rows with the distribution of a fitted table: p(x) proportional to exp of the sum of
/// potentials theta_c(x_c) over the cliques c that have a weight.
///
/// The potentials maximise the likelihood with the penalty theta^2 / (2 w), so theta = w (t - m)
/// with m the counts that the model expects: what the rows of a fit see of one another on average.
class PairwiseModel {
 public:
  /// A model with these potentials, in single precision.
  PairwiseModel(const CliqueTargets& targets, CliqueValues potentials);

  /// Fits the model to the targets of a fit. Cost: about iterations + 12 sweeps of the rows, on all
  /// threads.
  static PairwiseModel fit(const CliqueTargets& targets, const TableFit& fit,
                           const PairwiseModelOptions& options, const Context& context);

  /// Sizes, columns and rows of the targets, without their counts.
  const CliqueTargets& shape() const { return shape_; }
  /// Weights of the cliques.
  const std::vector<double>& weights() const { return weights_; }
  /// theta; zeros for cliques without weight.
  const CliqueValues& potentials() const { return potentials_; }
  /// The potentials as fixed forces.
  const LogitTables& forces() const { return forces_; }

 private:
  /// The model of a table of targets.rows rows, which `rows` are.
  static CliqueValues fit_potentials(const CliqueTargets& targets, CodedRows rows,
                                     const PairwiseModelOptions& options, const Context& context);

  CliqueTargets shape_;
  std::vector<double> weights_;
  CliqueValues potentials_;
  LogitTables forces_;
};

/// Fixed forces with room for a potential of each clique that has a weight.
LogitTables fixed_forces(const CliqueTargets& shape, const std::vector<double>& weights);

/// Sets the forces of all cliques that have some.
void set_all(const CliqueValues& values, LogitTables& forces);

/// Moves rows under fixed forces, `sweeps` times each. first_number is that of the first row: its
/// noise depends on the seed and on its number alone.
void move_independent_rows(const LogitTables& forces, std::size_t sweeps, std::uint64_t seed,
                           std::uint64_t first_number, CodedRows& rows, const Context& context);

}  // namespace mehler
