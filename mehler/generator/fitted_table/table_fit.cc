#include "mehler/generator/fitted_table/table_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <string_view>

#include "mehler/core/error.h"
#include "mehler/core/seeded_random.h"
#include "mehler/core/worker_pool.h"
#include "mehler/generator/fitted_table/logit_tables.h"
#include "mehler/generator/fitted_table/table_chain.h"

namespace mehler {
namespace {

/// Step `step` of `steps` from start to end, geometrically; the last one is end.
double between(double start, double end, int step, int steps) {
  return steps == 1 ? end : start * std::pow(end / start, static_cast<double>(step) / (steps - 1));
}

/// One chain, unless the table is so wide that threads are worth their price: parts of a table are
/// fitted a little less well than the whole.
std::size_t chain_count(const CliqueTargets& targets, const TableFitOptions& options) {
  constexpr std::size_t kFewestRows = 10'000;
  constexpr std::size_t kMostChains = 8;
  constexpr double kWorkOfChain = 2e8;
  const auto rows = static_cast<double>(targets.rows);
  const auto columns = static_cast<double>(targets.sizes.size());
  const auto by_work = static_cast<std::size_t>(rows * columns * columns / kWorkOfChain);
  const std::size_t by_rule = std::min({kMostChains, targets.rows / kFewestRows, by_work});
  return std::clamp<std::size_t>(options.chains > 0 ? options.chains : by_rule, 1, targets.rows);
}

/// The largest weight of a clique under which rows still move. A move changes the counts of a cell
/// in every clique of the column, and where each of them costs much, none is taken: where a release
/// is precise, or few rows stand for many.
double stiffest_weight(const CliqueTargets& targets, std::size_t clique, std::size_t chains) {
  constexpr double kOfColumn = 1.0;
  constexpr double kOfAllOthers = 10.0;  // of a column together
  const std::size_t columns = targets.sizes.size();
  return clique < columns ? kOfColumn : kOfAllOthers / static_cast<double>(columns * chains);
}

/// The weights that the mean forces should be those of. Counts of columns are to be met in the
/// mean, whatever the rows move under: under a weight of 1 alone as many rows as their logarithm
/// would stay in cells that should be empty, for there is so much choice among them.
std::vector<double> wanted_weights(const CliqueTargets& targets) {
  constexpr double kOfColumn = 100.0;
  std::vector<double> weights = weights_of(targets);
  for (std::size_t c = 0; c < targets.sizes.size(); ++c) {
    weights[c] = std::max(weights[c], kOfColumn);
  }
  return weights;
}

/// Sweeps in which goals settle: five times as many for tables so small that these cost nothing.
int settling_sweeps(const CliqueTargets& targets, const TableFitOptions& options) {
  constexpr double kWork = 1e6;  // of a sweep: rows times columns squared
  constexpr double kMostTimes = 5.0;
  const auto columns = static_cast<double>(targets.sizes.size());
  const double times = kWork / (static_cast<double>(targets.rows) * columns * columns);
  return static_cast<int>(options.settling_sweeps * std::clamp(times, 1.0, kMostTimes));
}

/// The weights that the chains' rows move under.
std::vector<double> moving_weights(const CliqueTargets& targets, std::size_t chains) {
  std::vector<double> weights = wanted_weights(targets);
  for (std::size_t k = 0; k < weights.size(); ++k) {
    weights[k] = std::min(weights[k], stiffest_weight(targets, k, chains));
  }
  return weights;
}

/// Where annealing begins: half the forces that the chance of independent counts makes, which is
/// the root of the sum over a column's cliques of w^2 rows / cells, on average over columns; at
/// least
/// 30. Stiff cliques freeze at once when it begins lower.
double start_temperature(const CliqueTargets& targets, const TableFitOptions& options,
                         std::size_t chains) {
  constexpr double kLowest = 30.0;
  if (options.start_temperature > 0.0) {
    return options.start_temperature;
  }
  const std::vector<double> weights = moving_weights(targets, chains);
  std::vector<double> squares(targets.sizes.size(), 0.0);
  for (std::size_t k = 0; k < targets.cliques.size(); ++k) {
    for (const std::size_t column : targets.cliques[k].columns) {
      squares[column] += weights[k] * weights[k] * static_cast<double>(targets.rows) /
                         static_cast<double>(targets.cells(k));
    }
  }
  double force = 0.0;
  for (const double square : squares) {
    // A chain has weights that are `chains` times as large, and as many times fewer rows.
    force += std::sqrt(square * static_cast<double>(chains)) / static_cast<double>(squares.size());
  }
  return std::max(kLowest, 0.5 * force);
}

/// Whether the energy still falls: by more than 1 % between the halves of the sweeps, and by more
/// than 4 standard errors, as the second half's steps show them. What is small beside the misfit
/// that noisy targets leave anyway does not matter.
bool still_falls(std::span<const double> energy) {
  constexpr double kShare = 0.01;
  constexpr double kErrors = 4.0;
  const std::size_t half = energy.size() / 2;
  if (half < 2) {
    return false;
  }
  const auto count = static_cast<double>(half);
  const auto mean = [&](std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / count;
  };
  const double before = mean(energy.first(half));
  const double after = mean(energy.last(half));
  double squares = 0.0;
  for (std::size_t i = energy.size() - half + 1; i < energy.size(); ++i) {
    squares += (energy[i] - energy[i - 1]) * (energy[i] - energy[i - 1]);
  }
  const double variance = squares / (2.0 * (count - 1.0));
  return before - after > std::max(kShare * after, kErrors * std::sqrt(2.0 * variance / count));
}

/// Forces on moments move by this part of a Newton step; by less where many columns have them, as
/// pairs of the same columns move one another.
constexpr double kPullStep = 0.6;
constexpr double kPullSteps = 8.0;  ///< of a column's pairs together

/// Adds the products of a clique's scores, times a factor.
void add_product(const CliqueTarget& clique, double factor, std::vector<double>& values) {
  for (std::size_t i = 0; i < clique.first_scores.size(); ++i) {
    for (std::size_t j = 0; j < clique.second_scores.size(); ++j) {
      values[i * clique.second_scores.size() + j] +=
          factor * clique.first_scores[i] * clique.second_scores[j];
    }
  }
}

/// A Newton step of the force on a moment toward the one that its weight W asks for, W (target -
/// moment). Counts give way to a force as far as their own weight lets them.
double pull_step(const CliqueTarget& clique, double weight, const std::vector<double>& counts,
                 double pull, double step) {
  double yield = 1.0 / clique.moment_weight;
  for (std::size_t i = 0; i < clique.first_scores.size(); ++i) {
    for (std::size_t j = 0; j < clique.second_scores.size(); ++j) {
      const double count = counts[i * clique.second_scores.size() + j];
      const double product = clique.first_scores[i] * clique.second_scores[j];
      yield += product * product * count / (1.0 + count * weight);
    }
  }
  const double lacking = clique.moment(clique.target) - clique.moment(counts);
  return step * (lacking - pull / clique.moment_weight) / yield;
}

/// The parts of a table that are fitted side by side.
class Chains {
 public:
  Chains(const CliqueTargets& targets, const TableFitOptions& options, const Context& context)
      : targets_(targets),
        context_(context),
        seeds_(options.seed),
        wanted_(wanted_weights(targets)),
        settling_sweeps_(settling_sweeps(targets, options)),
        planned_sweeps_(options.anneal_sweeps + settling_sweeps_ + options.average_sweeps +
                        options.polish_sweeps),
        pool_(context.threads) {
    const std::size_t number = chain_count(targets, options);
    weights_ = moving_weights(targets, number);
    pulls_.assign(targets.cliques.size(), 0.0);
    pull_step_ = std::min(kPullStep, kPullSteps / static_cast<double>(targets.sizes.size()));
    for (const CliqueTarget& clique : targets.cliques) {
      goals_.push_back(clique.target);
    }
    for (std::size_t k = 0; k < number; ++k) {
      const std::size_t rows = targets.rows * (k + 1) / number - targets.rows * k / number;
      const double factor = static_cast<double>(rows) / static_cast<double>(targets.rows);
      chains_.emplace_back(targets, weights_, factor,
                           independent_rows(targets, rows, seeds_.next_word()));
    }
  }

  std::size_t size() const { return chains_.size(); }
  std::uint64_t next_seed() { return seeds_.next_word(); }

  /// Counts the rows anew: single precision lets forces drift a little.
  void set_forces() {
    CliqueValues pulled = goals_;
    for (std::size_t k = 0; k < pulled.size(); ++k) {
      if (pulls_[k] != 0.0) {
        add_product(targets_.cliques[k], pulls_[k] / weights_[k], pulled[k]);
      }
    }
    pool_.run(chains_.size(), [&](std::size_t k) {
      const auto rows = static_cast<double>(chains_[k].rows().rows);
      chains_[k].set_forces(pulled, rows / static_cast<double>(targets_.rows));
    });
  }

  /// Moves the goals of cliques whose weights w were too stiff for rows to move, and of columns,
  /// and the forces on moments, at temperature 1.
  ///
  /// Under a weight v < w and a goal g the mean force is v (g - count). It is w (target - count),
  /// as it should be, where (target - count) = v / w (g - count): the goals go there, and the
  /// counts with them. Without this a precise release would be met no better than a noisy one. A
  /// moment of the weight W has the force W (target - moment), which is that of goals moved by it
  /// in proportion to the products of scores.
  void settle_goals() {
    constexpr double kStep = 0.6;
    if (settling_sweeps_ == 0) {
      return;
    }
    CliqueValues mean = zero_values(targets_);
    std::vector<double> mean_pulls(pulls_.size());
    const double averaged = settling_sweeps_ - settling_sweeps_ / 2;
    for (int i = 0; i < settling_sweeps_; ++i) {
      set_forces();
      sweep(1.0);
      CliqueValues counts = zero_values(targets_);
      add_counts_to(counts);
      for (std::size_t k = 0; k < goals_.size(); ++k) {
        const CliqueTarget& clique = targets_.cliques[k];
        if (clique.moment_weight > 0.0) {
          pulls_[k] += pull_step(clique, weights_[k], counts[k], pulls_[k], pull_step_);
        }
        if (!(wanted_[k] > weights_[k])) {
          continue;
        }
        for (std::size_t j = 0; j < counts[k].size(); ++j) {
          const double lacking = clique.target[j] - counts[k][j];
          goals_[k][j] +=
              kStep * (lacking - weights_[k] / wanted_[k] * (goals_[k][j] - counts[k][j]));
        }
      }
      if (i >= settling_sweeps_ / 2) {
        add_to(goals_, mean);
        for (std::size_t k = 0; k < pulls_.size(); ++k) {
          mean_pulls[k] += pulls_[k] / averaged;
        }
      }
    }
    goals_ = times(std::move(mean), 1.0 / averaged);
    pulls_ = std::move(mean_pulls);
  }

  /// Moves every row once; the mean energy of the chains.
  double sweep(double temperature) {
    const std::uint64_t seed = next_seed();
    std::vector<double> energies(chains_.size());
    pool_.run(chains_.size(), [&](std::size_t k) {
      chains_[k].sweep(temperature, SeededRandom(seed + k).next_word());
      energies[k] = chains_[k].energy();
    });
    report(1);
    return std::accumulate(energies.begin(), energies.end(), 0.0) /
           static_cast<double>(energies.size());
  }

  /// Adds the counts of all rows.
  void add_counts_to(CliqueValues& sums) {
    for (const TableChain& chain : chains_) {
      add_counts(targets_, chain.rows(), 0, chain.rows().rows, 1.0, sums);
    }
  }

  CodedRows take_rows() {
    CodedRows all(targets_.rows, targets_.sizes.size());
    auto next = all.codes.begin();
    for (TableChain& chain : chains_) {
      const CodedRows rows = chain.take_rows();
      next = std::copy(rows.codes.begin(), rows.codes.end(), next);
    }
    chains_.clear();
    return all;
  }

  /// Tells the caller how far the work is.
  void report(int sweeps) {
    done_sweeps_ = std::min(done_sweeps_ + sweeps, planned_sweeps_);
    context_.throw_if_cancelled();
    if (context_.progress) {
      context_.progress({targets_.rows, static_cast<double>(done_sweeps_) / planned_sweeps_});
    }
  }

 private:
  const CliqueTargets& targets_;
  const Context& context_;
  SeededRandom seeds_;
  std::vector<double> wanted_;   ///< weights that the mean forces should be those of
  std::vector<double> weights_;  ///< that rows move under
  int settling_sweeps_;
  CliqueValues goals_;         ///< the targets, unless settle_goals() has moved them
  std::vector<double> pulls_;  ///< of each clique's moment: a force for each product of scores
  double pull_step_ = 0.0;
  int planned_sweeps_;
  int done_sweeps_ = 0;
  WorkerPool pool_;
  std::vector<TableChain> chains_;
};

}  // namespace

void TableFitOptions::validate() const {
  const auto require = [](bool holds, std::string_view name, auto value, std::string_view allowed) {
    if (!holds) {  // written so that NaN fails too
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("the {} must lie in {}, but is {}", name, allowed, value));
    }
  };
  constexpr int kMostSweeps = 100'000;
  for (const auto& [name, sweeps] : {std::pair{"number of annealing sweeps", anneal_sweeps},
                                     std::pair{"number of averaging sweeps", average_sweeps},
                                     std::pair{"number of polishing sweeps", polish_sweeps}}) {
    require(sweeps >= 1 && sweeps <= kMostSweeps, name, sweeps, "[1, 100000]");
  }
  require(settling_sweeps >= 0 && settling_sweeps <= kMostSweeps, "number of settling sweeps",
          settling_sweeps, "[0, 100000]");
  require(extra_rounds >= 0 && extra_rounds <= kMostSweeps, "number of extra rounds", extra_rounds,
          "[0, 100000]");
  require(start_temperature == 0.0 || (start_temperature >= 1e-3 && start_temperature <= 1e15),
          "start temperature", start_temperature, "[0.001, 1e15], or be 0 for the rule");
  for (const double temperature : {polish_start, polish_end}) {
    require(temperature >= 1e-3 && temperature <= 1e9, "temperature of the polish", temperature,
            "[0.001, 1e9]");
  }
}

std::size_t table_fit_bytes(const CliqueTargets& targets, const TableFitOptions& options) {
  const std::vector<double> ones(targets.cliques.size(), 1.0);
  const std::vector<double> weights = weights_of(targets);
  return std::max(chain_count(targets, options) * LogitTables::bytes(targets, weights),
                  LogitTables::bytes(targets, ones));
}

TableFit fit_table(const CliqueTargets& targets, const TableFitOptions& options,
                   const Context& context) {
  targets.validate();
  options.validate();
  Chains chains(targets, options, context);
  TableFit fit;
  fit.averaged_sweeps = options.average_sweeps;
  const double start = start_temperature(targets, options, chains.size());
  chains.set_forces();
  for (int sweep = 0; sweep < options.anneal_sweeps; ++sweep) {
    fit.energy.push_back(chains.sweep(between(start, 1.0, sweep, options.anneal_sweeps)));
  }
  chains.settle_goals();
  for (int round = 0; round <= options.extra_rounds; ++round) {
    chains.set_forces();
    fit.averages = zero_values(targets);
    for (int sweep = 0; sweep < options.average_sweeps; ++sweep) {
      fit.energy.push_back(chains.sweep(1.0));
      chains.add_counts_to(fit.averages);
    }
    fit.averages = times(std::move(fit.averages), 1.0 / options.average_sweeps);
    const std::span<const double> energy = fit.energy;
    fit.slow_mixing = still_falls(energy.last(static_cast<std::size_t>(options.average_sweeps)));
    if (!fit.slow_mixing) {
      break;
    }
  }
  fit.chain = chains.take_rows();
  fit.polished = fit.chain;
  polish_rows(targets, fit.averages, options.polish_sweeps, options, chains.next_seed(),
              fit.polished);
  chains.report(options.polish_sweeps);
  return fit;
}

void polish_rows(const CliqueTargets& shape, const CliqueValues& counts, int sweeps,
                 const TableFitOptions& options, std::uint64_t seed, CodedRows& rows) {
  // A row in a wrong cell is wrong in as many cliques as it has columns: of few columns each
  // mistake is cheap, and a warm end would leave many.
  constexpr double kEndOfColumn = 0.02;
  const double end =
      std::min(options.polish_end, kEndOfColumn * static_cast<double>(shape.sizes.size()));
  SeededRandom seeds(seed);
  TableChain chain(shape, std::vector<double>(shape.cliques.size(), 1.0), 1.0, std::move(rows));
  chain.set_forces(counts, 1.0);
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    chain.sweep(between(options.polish_start, end, sweep, sweeps), seeds.next_word());
  }
  rows = chain.take_rows();
}

}  // namespace mehler
