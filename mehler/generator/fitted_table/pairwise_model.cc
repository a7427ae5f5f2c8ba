#include "mehler/generator/fitted_table/pairwise_model.h"

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/core/seeded_random.h"
#include "mehler/core/worker_pool.h"
#include "mehler/generator/fitted_table/table_chain.h"

namespace mehler {
namespace {

/// The soft start: weights times rows are capped here, which keeps potentials moderate. Sweeps of
/// it, and how many of them are averaged.
constexpr double kSoftStiffness = 1800.0;
constexpr int kSoftSweeps = 12;
constexpr int kSoftAveraged = 8;
/// The share of new counts in the running mean that scales steps.
constexpr double kNewShare = 0.3;
/// Steps shrink from this share of the iterations on, over that share.
constexpr double kFullSteps = 0.4;
constexpr double kShrinking = 0.15;

CliqueTargets without_counts(const CliqueTargets& targets) {
  CliqueTargets shape;
  shape.sizes = targets.sizes;
  shape.rows = targets.rows;
  for (const CliqueTarget& clique : targets.cliques) {
    shape.cliques.push_back({clique.columns, clique.weight, {}, clique.forbidden});
  }
  return shape;
}

/// Counts of rows that threads share out: whole numbers, so their sum does not depend on how.
class SharedCounts {
 public:
  SharedCounts(const CliqueTargets& shape, std::size_t threads)
      : shape_(shape), parts_(threads, zero_values(shape)) {}

  const CliqueValues& count(const CodedRows& rows, WorkerPool& pool) {
    const std::size_t parts = parts_.size();
    pool.run(parts, [&](std::size_t k) {
      for (std::vector<double>& cells : parts_[k]) {
        std::fill(cells.begin(), cells.end(), 0.0);
      }
      const std::size_t first = rows.rows * k / parts;
      add_counts(shape_, rows, first, rows.rows * (k + 1) / parts - first, 1.0, parts_[k]);
    });
    for (std::size_t k = 1; k < parts; ++k) {
      add_to(parts_[k], parts_[0]);
    }
    return parts_[0];
  }

 private:
  const CliqueTargets& shape_;
  std::vector<CliqueValues> parts_;
};

/// Potentials of the soft start: those of a table whose stiff cliques are eased.
CliqueValues soft_potentials(const CliqueTargets& targets, const std::vector<double>& weights,
                             CodedRows& rows, std::uint64_t seed) {
  const double cap = kSoftStiffness / static_cast<double>(targets.rows);
  std::vector<double> capped = weights;
  for (double& weight : capped) {
    weight = std::min(weight, cap);
  }
  TableChain chain(targets, capped, 1.0, std::move(rows));
  chain.set_forces();
  SeededRandom seeds(seed);
  CliqueValues averages = zero_values(targets);
  for (int sweep = 0; sweep < kSoftSweeps; ++sweep) {
    chain.sweep(1.0, seeds.next_word());
    if (sweep >= kSoftSweeps - kSoftAveraged) {
      add_counts(targets, chain.rows(), 0, targets.rows, 1.0 / kSoftAveraged, averages);
    }
  }
  rows = chain.take_rows();
  for (std::size_t k = 0; k < averages.size(); ++k) {
    for (std::size_t i = 0; i < averages[k].size(); ++i) {
      averages[k][i] = capped[k] * (targets.cliques[k].target[i] - averages[k][i]);
    }
  }
  return averages;
}

}  // namespace

LogitTables fixed_forces(const CliqueTargets& shape, const std::vector<double>& weights) {
  std::vector<bool> fixed;
  for (const double weight : weights) {
    fixed.push_back(weight > 0.0);
  }
  return LogitTables(shape, std::vector<double>(weights.size(), 0.0), fixed);
}

void set_all(const CliqueValues& values, LogitTables& forces) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (forces.has(k)) {
      forces.set(k, values[k]);
    }
  }
}

void move_independent_rows(const LogitTables& forces, std::size_t sweeps, std::uint64_t seed,
                           std::uint64_t first_number, CodedRows& rows, const Context& context) {
  constexpr std::size_t kPieceRows = 4096;
  WorkerPool pool(context.threads);
  pool.run((rows.rows + kPieceRows - 1) / kPieceRows, [&](std::size_t piece) {
    context.throw_if_cancelled();
    const std::size_t first = piece * kPieceRows;
    std::vector<std::uint64_t> changes(rows.columns);
    for (std::size_t sweep = 0; sweep < sweeps; ++sweep) {
      MoveOptions options;
      options.update = false;
      options.seed = SeededRandom(seed + sweep).next_word();
      options.first_number = first_number + first;
      move_rows(forces.view(), &rows.codes[first * rows.columns],
                std::min(kPieceRows, rows.rows - first), options, changes);
    }
  });
}

PairwiseModel::PairwiseModel(const CliqueTargets& targets, CliqueValues potentials)
    : shape_(without_counts(targets)),
      weights_(weights_of(targets)),
      potentials_(std::move(potentials)),
      forces_(fixed_forces(shape_, weights_)) {
  for (std::vector<double>& cells : potentials_) {
    for (double& potential : cells) {
      potential = double{static_cast<float>(potential)};  // as forces and files have them
    }
  }
  set_all(potentials_, forces_);
}

PairwiseModel PairwiseModel::fit(const CliqueTargets& targets, const TableFit& fit,
                                 const PairwiseModelOptions& options, const Context& context) {
  targets.validate();
  if (options.iterations < 2) {
    throw Error(ErrorCode::kInvalidArgument,
                "a pairwise model needs at least 2 iterations; 120 are enough for most tables");
  }
  MEHLER_ASSERT(fit.chain.rows == targets.rows && fit.chain.columns == targets.sizes.size());
  if (options.rows == 0 || options.rows >= targets.rows) {
    return PairwiseModel(targets, fit_potentials(targets, fit.chain, options, context));
  }
  return PairwiseModel(
      targets, fit_potentials(scaled_targets(targets, options.rows),
                              some_rows(fit.chain, options.rows, options.seed), options, context));
}

CliqueValues PairwiseModel::fit_potentials(const CliqueTargets& targets, CodedRows rows,
                                           const PairwiseModelOptions& options,
                                           const Context& context) {
  PairwiseModel model(targets, zero_values(targets));
  SeededRandom seeds(options.seed);
  CliqueValues theta = soft_potentials(targets, model.weights_, rows, seeds.next_word());
  CliqueValues scale = zero_values(targets);
  WorkerPool pool(context.threads);
  SharedCounts counter(model.shape_, context.threads);
  const double iterations = options.iterations;
  const int first_averaged = options.iterations / 2;
  const double full_step = 2.0 / static_cast<double>(targets.sizes.size());
  for (int i = 0; i < options.iterations; ++i) {
    context.throw_if_cancelled();
    set_all(theta, model.forces_);
    move_independent_rows(model.forces_, 1, seeds.next_word(), 0, rows, context);
    const CliqueValues& counts = counter.count(rows, pool);
    const double late = std::max(0.0, i - kFullSteps * iterations) / (kShrinking * iterations);
    const double step = full_step / (1.0 + late);
    pool.run(theta.size(), [&](std::size_t k) {
      if (!(model.weights_[k] > 0.0)) {
        return;
      }
      const double prior = 1.0 / model.weights_[k];
      for (std::size_t cell = 0; cell < theta[k].size(); ++cell) {
        const double count = counts[k][cell];
        scale[k][cell] += (i == 0 ? 1.0 : kNewShare) * (count - scale[k][cell]);
        const double slope = targets.cliques[k].target[cell] - count - theta[k][cell] * prior;
        theta[k][cell] += step * slope / (scale[k][cell] + prior + 1.0);
        if (i >= first_averaged) {
          model.potentials_[k][cell] += theta[k][cell] / (options.iterations - first_averaged);
        }
      }
    });
  }
  return std::move(model.potentials_);
}

}  // namespace mehler
