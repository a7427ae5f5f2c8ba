#include "mehler/synthesis/marginals/triple_choice.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mehler/core/worker_pool.h"
#include "mehler/estimation/count_estimates.h"
#include "mehler/estimation/entropy_maximum.h"
#include "mehler/synthesis/marginals/pair_choice.h"

namespace mehler {
namespace {

constexpr std::size_t kScoutCells = 6;
constexpr std::size_t kFewTriples = 500;
constexpr double kTriplesEpsilon = 3.0;
constexpr double kClearPairError = 0.1;  ///< total variation of a pair by noise alone

using Cells = std::shared_ptr<const ColumnPartition>;

/// Neighbouring ranges put together until each holds its share of the records.
ColumnPartition merged_ranges(const ColumnPartition& cells, std::span<const double> counts,
                              std::size_t groups) {
  const std::span<const double> values = counts.first(cells.value_cells());
  const double total = std::max(std::accumulate(values.begin(), values.end(), 0.0), 1.0);
  std::vector<std::uint32_t> starts;
  double before = 0.0;
  for (std::size_t cell = 0; cell < values.size(); ++cell) {
    // A group begins where the share of the groups so far is reached.
    if (before >= total * static_cast<double>(starts.size()) / static_cast<double>(groups)) {
      starts.push_back(cells.starts()[cell]);
    }
    before += values[cell];
  }
  return ColumnPartition::ranges(cells.column(), std::move(starts));
}

/// All but the most frequent categories in one cell.
ColumnPartition merged_categories(const ColumnPartition& cells, std::span<const double> counts,
                                  std::size_t groups) {
  std::vector<std::size_t> order(cells.value_cells());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return counts[a] > counts[b]; });
  std::vector<std::uint32_t> rare;
  std::size_t apart = 0;
  for (const std::size_t cell : order) {
    const std::vector<std::uint32_t> codes = cells.codes(cell);
    if (codes.size() > 1 || apart + 1 >= groups) {
      rare.insert(rare.end(), codes.begin(), codes.end());
    } else {
      ++apart;
    }
  }
  std::sort(rare.begin(), rare.end());
  return ColumnPartition::grouped(cells.column(), std::move(rare));
}

/// The coarse cell of each fine one.
std::vector<std::size_t> coarse_cells_of(const ColumnPartition& fine,
                                         const ColumnPartition& coarse) {
  std::vector<std::size_t> result;
  for (std::size_t cell = 0; cell < fine.value_cells(); ++cell) {
    result.push_back(coarse.cell_of(fine.column().is_number() ? fine.range(cell).first
                                                              : fine.codes(cell).front()));
  }
  if (fine.column().missing) {
    result.push_back(coarse.size() - 1);
  }
  return result;
}

/// A table of three columns in coarser cells.
std::vector<double> coarsen(std::span<const double> table, const MeasuredMarginal& coarse,
                            std::span<const Cells> fine) {
  const std::vector<std::size_t> shape = coarse.shape();
  std::vector<std::size_t> places[3];
  for (std::size_t i = 0; i < 3; ++i) {
    places[i] = coarse_cells_of(*fine[coarse.columns[i]], *coarse.cells[i]);
  }
  std::vector<double> result(shape[0] * shape[1] * shape[2], 0.0);
  const double* next = table.data();
  for (const std::size_t a : places[0]) {
    for (const std::size_t b : places[1]) {
      for (const std::size_t c : places[2]) {
        result[(a * shape[1] + b) * shape[2] + c] += *next++;
      }
    }
  }
  return result;
}

void raise_to_least(std::vector<double>& expected) {
  for (double& count : expected) {
    count = std::max(count, kLeastExpected);
  }
}

}  // namespace

bool are_triples_wanted(Triples choice, double epsilon, std::size_t triples,
                        std::span<const MarginalEstimate> pairs, double rows) {
  if (triples == 0 || choice != Triples::kByRule) {
    return triples > 0 && choice == Triples::kAlways;
  }
  double error = 0.0;
  for (const MarginalEstimate& pair : pairs) {
    error += kHalfMeanAbsolute * static_cast<double>(pair.target.size()) *
             std::sqrt(pair.cell_variance) / (rows * static_cast<double>(pairs.size()));
  }
  return triples <= kFewTriples && epsilon >= kTriplesEpsilon && error < kClearPairError;
}

std::vector<ColumnTriple> triples_of(std::span<const ColumnPair> pairs) {
  const auto has = [&](std::size_t a, std::size_t b) {
    return std::binary_search(pairs.begin(), pairs.end(), ColumnPair(a, b));
  };
  std::vector<ColumnTriple> triples;
  for (const auto& [a, b] : pairs) {
    for (auto next = std::lower_bound(pairs.begin(), pairs.end(), ColumnPair(b, 0));
         next != pairs.end() && next->first == b; ++next) {
      if (has(a, next->second)) {
        triples.push_back({a, b, next->second});
      }
    }
    if (triples.size() > kMostTriples) {
      return {};
    }
  }
  return triples;
}

std::vector<Cells> scout_cells(std::span<const ColumnEstimate> columns,
                               std::span<const Cells> cells) {
  std::vector<Cells> result(cells.begin(), cells.end());
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (cells[c]->size() <= kScoutCells) {
      continue;
    }
    const std::vector<double> counts = columns[c].counts_in(*cells[c]);
    const std::size_t groups = kScoutCells - (cells[c]->column().missing ? 1 : 0);
    result[c] = std::make_shared<const ColumnPartition>(
        cells[c]->column().is_number() ? merged_ranges(*cells[c], counts, groups)
                                       : merged_categories(*cells[c], counts, groups));
  }
  return result;
}

std::vector<ScoutedTriple> scout_triples(const MarginalMeasurements& measurements,
                                         std::span<const ColumnEstimate> columns,
                                         std::span<const MarginalEstimate> pairs,
                                         const Context& context) {
  const std::vector<Cells> cells = joint_cells(measurements, columns);
  std::vector<std::vector<double>> counts;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    counts.push_back(columns[c].counts_in(*cells[c]));
  }
  const double rows = measurements.rows();
  const PairMeans means(pairs, std::move(counts), rows);
  std::vector<const MeasuredMarginal*> measured;
  for (const MeasuredMarginal& table : measurements.joint_tables()) {
    if (table.columns.size() == 3) {
      measured.push_back(&table);
    }
  }
  const std::size_t fine = measured.size();
  for (const MeasuredMarginal& table : measurements.scouts()) {
    measured.push_back(&table);
  }
  std::vector<ScoutedTriple> result(measured.size());
  std::vector<std::vector<double>> likelihoods(measured.size());
  WorkerPool pool(context.threads);
  pool.run(measured.size(), [&](std::size_t i) {
    context.throw_if_cancelled();
    const MeasuredMarginal& table = *measured[i];
    ScoutedTriple& triple = result[i];
    triple.columns = table.columns;
    triple.expected = means.expect(table.columns);
    std::vector<double> coarse =
        i < fine ? triple.expected : coarsen(triple.expected, table, cells);
    const std::vector<double> deviations = deviations_from(table, coarse);
    raise_to_least(coarse);
    likelihoods[i] = table_likelihood(table, deviations, coarse, rows);
    raise_to_least(triple.expected);
    triple.cell_variance = i < fine ? table.cell_variance() : 0.0;
  });
  const std::vector<double> strengths = estimate_strengths(likelihoods, rows);
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i].tau = strengths[i];
  }
  return result;
}

}  // namespace mehler
