#include "mehler/generator/table_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "mehler/core/error.h"
#include "mehler/core/seeded_random.h"
#include "mehler/core/worker_pool.h"
#include "mehler/generator/force_tables.h"
#include "mehler/generator/table_chain.h"

namespace mehler {
namespace {

/// Step `step` of `steps` from start to end, geometrically; the last one is end.
double between(double start, double end, int step, int steps) {
  return steps == 1 ? end : start * std::pow(end / start, static_cast<double>(step) / (steps - 1));
}

/// Chains are as many as the rows allow, up to a number that keeps usual machines busy.
std::size_t chain_count(const CliqueTargets& targets, const TableFitOptions& options) {
  constexpr std::size_t kFewestRows = 20'000;
  constexpr std::size_t kMostChains = 8;
  const std::size_t wished =
      options.chains > 0 ? options.chains : std::min(kMostChains, targets.rows / kFewestRows);
  return std::clamp<std::size_t>(wished, 1, targets.rows);
}

/// Tells the caller how far the work is, in rows moved.
class SweepProgress {
 public:
  SweepProgress(const Context& context, std::size_t rows, int sweeps)
      : context_(context), rows_(rows), sweeps_(sweeps) {}

  /// Another sweep of all rows has ended.
  void advance() {
    ++done_;
    context_.throw_if_cancelled();
    if (context_.progress) {
      context_.progress({rows_, static_cast<double>(done_) / static_cast<double>(sweeps_)});
    }
  }

 private:
  const Context& context_;
  std::size_t rows_;
  int sweeps_;
  int done_ = 0;
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
  for (const auto& [name, temperature] : {std::pair{"start temperature", start_temperature},
                                          std::pair{"polish's first temperature", polish_start},
                                          std::pair{"polish's last temperature", polish_end}}) {
    require(temperature >= 1e-3 && temperature <= 1e9, name, temperature, "[0.001, 1e9]");
  }
}

std::size_t table_fit_bytes(const CliqueTargets& targets, const TableFitOptions& options) {
  const std::vector<double> ones(targets.cliques.size(), 1.0);
  const std::vector<double> weights = weights_of(targets);
  return std::max(chain_count(targets, options) * ForceTables::bytes(targets, weights),
                  ForceTables::bytes(targets, ones));
}

TableFit fit_table(const CliqueTargets& targets, const TableFitOptions& options,
                   const Context& context) {
  targets.validate();
  options.validate();
  SeededRandom seeds(options.seed);
  const std::size_t chain_number = chain_count(targets, options);
  const std::vector<double> weights = weights_of(targets);
  std::vector<TableChain> chains;
  chains.reserve(chain_number);
  for (std::size_t k = 0; k < chain_number; ++k) {
    const std::size_t rows =
        targets.rows * (k + 1) / chain_number - targets.rows * k / chain_number;
    const double factor = static_cast<double>(rows) / static_cast<double>(targets.rows);
    chains.emplace_back(targets, weights, factor,
                        independent_rows(targets, rows, seeds.next_word()));
  }

  WorkerPool pool(context.threads);
  SweepProgress progress(context, targets.rows,
                         options.anneal_sweeps + options.average_sweeps + options.polish_sweeps);
  TableFit fit;
  fit.averaged_sweeps = options.average_sweeps;
  std::vector<CliqueValues> sums(chain_number, zero_values(targets));
  std::vector<double> energies(chain_number);
  for (int sweep = 0; sweep < options.anneal_sweeps + options.average_sweeps; ++sweep) {
    const bool averaging = sweep >= options.anneal_sweeps;
    const double temperature =
        averaging ? 1.0 : between(options.start_temperature, 1.0, sweep, options.anneal_sweeps);
    const std::uint64_t seed = seeds.next_word();
    pool.run(chain_number, [&](std::size_t k) {
      if (sweep == 0 || sweep == options.anneal_sweeps) {
        chains[k].set_forces();
      }
      chains[k].sweep(temperature, SeededRandom(seed + k).next_word());
      energies[k] = chains[k].energy();
      if (averaging) {
        add_counts(targets, chains[k].rows(), 0, chains[k].rows().rows,
                   1.0 / options.average_sweeps, sums[k]);
      }
    });
    double energy = 0.0;
    for (const double one : energies) {
      energy += one / static_cast<double>(chain_number);
    }
    fit.energy.push_back(energy);
    progress.advance();
  }

  fit.averages = std::move(sums[0]);
  fit.chain = CodedRows(targets.rows, targets.sizes.size());
  std::size_t filled = 0;
  for (std::size_t k = 0; k < chain_number; ++k) {
    const CodedRows rows = chains[k].take_rows();
    std::copy(rows.codes.begin(), rows.codes.end(),
              fit.chain.codes.begin() + static_cast<std::ptrdiff_t>(filled));
    filled += rows.codes.size();
    if (k > 0) {
      add_to(sums[k], fit.averages);
    }
  }
  chains.clear();
  fit.polished = fit.chain;
  polish_rows(targets, fit.averages, options.polish_sweeps, options, seeds.next_word(),
              fit.polished);
  return fit;
}

void polish_rows(const CliqueTargets& shape, const CliqueValues& counts, int sweeps,
                 const TableFitOptions& options, std::uint64_t seed, CodedRows& rows) {
  SeededRandom seeds(seed);
  TableChain chain(shape, std::vector<double>(shape.cliques.size(), 1.0), 1.0, std::move(rows));
  chain.set_forces(counts, 1.0);
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    chain.sweep(between(options.polish_start, options.polish_end, sweep, sweeps),
                seeds.next_word());
  }
  rows = chain.take_rows();
}

}  // namespace mehler
