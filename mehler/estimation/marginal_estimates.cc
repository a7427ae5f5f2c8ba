#include "mehler/estimation/marginal_estimates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mehler/core/error.h"
#include "mehler/core/worker_pool.h"
#include "mehler/counts/contrasts.h"
#include "mehler/estimation/count_estimates.h"
#include "mehler/estimation/entropy_maximum.h"
#include "mehler/estimation/ordered_counts.h"
#include "mehler/estimation/pooled_columns.h"
#include "mehler/estimation/rank_moments.h"

namespace mehler {
namespace {

/// A column in no joint table goes with no other: if it has more categories than this, they share a
/// cell, and are told apart by their own counts when rows are decoded.
constexpr std::size_t kMostCategoriesAlone = 100;

/// The noisy counts of one column in its cells; their sum is the number of records.
std::vector<double> noisy_counts(const MeasuredMarginal& table, double rows) {
  std::vector<double> counts = table.deviations;
  for (double& count : counts) {
    count += rows / static_cast<double>(counts.size());
  }
  return counts;
}

/// The strength that a table's weight has at least. A pair that was measured as independent would
/// otherwise have none, and become whatever the other pairs imply, however clearly it was measured.
/// 1 is what chance gives independent columns, and the weight of a measurement with its noise; the
/// weights of strong pairs are far larger, hence some more (docs/design/0013).
constexpr double kLeastStrength = 3.0;

/// A range that is so much narrower than the widest one is a value that may be frequent by itself.
constexpr std::uint32_t kNarrow = 4;

/// Runs of cells whose neighbours are alike: grades of an ordinal, ranges of a number. None in a
/// column without order.
std::vector<std::pair<std::size_t, std::size_t>> ordered_runs(const ColumnPartition& cells) {
  constexpr std::size_t kFewest = 3;
  if (cells.value_cells() < kFewest || cells.size() > kMostChainedCells) {
    return {};
  }
  if (cells.column().kind == ColumnKind::kOrdinal) {
    return {{0, cells.value_cells()}};
  }
  if (!cells.column().is_number()) {
    return {};
  }
  std::uint32_t widest = 1;
  for (std::size_t cell = 0; cell < cells.value_cells(); ++cell) {
    const auto [first, second] = cells.range(cell);
    widest = std::max(widest, second - first);
  }
  std::vector<std::pair<std::size_t, std::size_t>> runs;
  for (std::size_t cell = 0; cell < cells.value_cells(); ++cell) {
    const auto [first, second] = cells.range(cell);
    if (second - first == 1 && widest >= kNarrow) {
      continue;
    }
    if (!runs.empty() && runs.back().second == cell) {
      ++runs.back().second;
    } else {
      runs.emplace_back(cell, cell + 1);
    }
  }
  return runs;
}

/// Possible counts of every column.
std::vector<std::vector<double>> estimate_counts(const MarginalMeasurements& measurements) {
  const double rows = measurements.rows();
  std::vector<std::vector<double>> result;
  std::vector<NoisyColumn> ordered;
  std::vector<std::size_t> places;
  for (const MeasuredMarginal& table : measurements.one_ways()) {
    auto runs = ordered_runs(*table.cells[0]);
    if (table.deviations.empty()) {
      result.push_back({rows});
    } else if (runs.empty()) {
      result.push_back(project_to_counts(noisy_counts(table, rows), rows));
    } else {
      places.push_back(result.size());
      ordered.push_back(
          {noisy_counts(table, rows), std::sqrt(table.cell_variance()), std::move(runs)});
      result.emplace_back();
    }
  }
  std::vector<std::vector<double>> estimated = estimate_ordered_counts(ordered, rows);
  for (std::size_t i = 0; i < places.size(); ++i) {
    result[places[i]] = std::move(estimated[i]);
  }
  return result;
}

/// Everything but the strength; sets the likelihood of that.
MarginalEstimate estimate_table(const MeasuredMarginal& measured, std::vector<double> expected,
                                double rows, std::vector<double>& likelihood) {
  MarginalEstimate result;
  result.columns = measured.columns;
  result.precision = measured.precision;
  result.cell_variance = measured.cell_variance();
  const std::vector<double> deviations = deviations_from(measured, expected);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    result.target.push_back(expected[i] + deviations[i]);
    expected[i] = std::max(expected[i], kLeastExpected);
  }
  result.expected = std::move(expected);
  likelihood = table_likelihood(measured, deviations, result.expected, rows);
  return result;
}

/// Sets the strengths of tables that have one prior.
void set_strengths(std::span<MarginalEstimate> tables,
                   std::span<const std::vector<double>> likelihoods, double rows) {
  const std::vector<double> strengths = estimate_strengths(likelihoods, rows);
  for (std::size_t i = 0; i < tables.size(); ++i) {
    tables[i].tau = strengths[i];
  }
}

}  // namespace

std::vector<double> MarginalEstimate::posterior_mean() const {
  std::vector<double> mean;
  for (std::size_t i = 0; i < target.size(); ++i) {
    const double prior = tau * expected[i];
    const double kept = prior / (prior + cell_variance);
    mean.push_back(expected[i] + kept * (target[i] - expected[i]));
  }
  return mean;
}

std::vector<double> expect_pair(std::span<const double> first, std::span<const double> second,
                                double rows) {
  std::vector<double> expected;
  for (const double a : first) {
    for (const double b : second) {
      expected.push_back(a * b / rows);
    }
  }
  return expected;
}

std::vector<double> deviations_from(const MeasuredMarginal& measured,
                                    std::vector<double> expected) {
  centre(expected, measured.shape());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expected[i] = measured.deviations[i] - expected[i];
  }
  return expected;
}

std::vector<double> table_likelihood(const MeasuredMarginal& measured,
                                     std::span<const double> deviations,
                                     std::span<const double> expected, double rows) {
  const double freedom = squared_contrast_norm(measured.shape());
  return strength_likelihood(deviations, expected, measured.cell_variance(), freedom, rows);
}

std::vector<double> ColumnEstimate::counts_in(const ColumnPartition& other) const {
  if (*cells == other) {
    return counts;
  }
  std::vector<double> result;
  if (values) {
    result = values->counts_of(other.starts());
    if (other.column().missing) {
      result.push_back(counts.back());
    }
    return result;
  }
  result.assign(other.size(), 0.0);
  MEHLER_ASSERT(cells->rare().empty());  // a cell is a code
  for (std::size_t code = 0; code < counts.size(); ++code) {
    result[other.cell_of(static_cast<std::uint32_t>(code))] += counts[code];
  }
  return result;
}

std::vector<ColumnEstimate> estimate_columns(const MarginalMeasurements& measurements) {
  std::vector<std::vector<double>> counts = estimate_counts(measurements);
  std::vector<ColumnEstimate> columns;
  std::vector<std::vector<double>> pooled = pooled_counts(measurements);
  for (const MeasuredMarginal& table : measurements.one_ways()) {
    std::vector<double>& together = pooled[columns.size()];
    ColumnEstimate estimate{
        table.cells[0], std::move(together.empty() ? counts[columns.size()] : together), {}};
    if (estimate.cells->column().is_number()) {
      estimate.values.emplace(*estimate.cells, estimate.counts);
    }
    columns.push_back(std::move(estimate));
  }
  split_values(measurements.splits(), columns);
  return columns;
}

void split_values(std::span<const MeasuredSplits> splits, std::span<ColumnEstimate> columns) {
  for (const MeasuredSplits& measured : splits) {
    columns[measured.column].values->split(*measured.splits, measured.differences, measured.sigma);
  }
}

std::vector<MarginalEstimate> estimate_tables(const MarginalMeasurements& measurements,
                                              std::span<const ColumnEstimate> columns,
                                              const Context& context) {
  const auto cells = joint_cells(measurements, columns);
  std::vector<std::vector<double>> counts;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    counts.push_back(columns[c].counts_in(*cells[c]));
  }
  const double rows = measurements.rows();
  const std::vector<MeasuredMarginal>& joint = measurements.joint_tables();
  // Pairs first: triples are compared with what is expected given the pairs.
  std::vector<std::size_t> places(joint.size());
  std::iota(places.begin(), places.end(), 0U);
  const auto end_of_pairs = std::stable_partition(
      places.begin(), places.end(), [&](std::size_t i) { return joint[i].columns.size() == 2; });
  const auto pairs = static_cast<std::size_t>(end_of_pairs - places.begin());
  std::vector<MarginalEstimate> result(joint.size());
  std::vector<std::vector<double>> likelihoods(joint.size());
  WorkerPool pool(context.threads);
  pool.run(pairs, [&](std::size_t i) {
    context.throw_if_cancelled();
    const MeasuredMarginal& pair = joint[places[i]];
    result[i] =
        estimate_table(pair, expect_pair(counts[pair.columns[0]], counts[pair.columns[1]], rows),
                       rows, likelihoods[i]);
  });
  set_strengths(std::span(result).first(pairs), std::span(likelihoods).first(pairs), rows);
  if (pairs < joint.size()) {
    const std::span<const MarginalEstimate> all = result;
    const PairMeans means(all.first(pairs), counts, rows);
    pool.run(joint.size() - pairs, [&](std::size_t i) {
      context.throw_if_cancelled();
      const MeasuredMarginal& triple = joint[places[pairs + i]];
      result[pairs + i] =
          estimate_table(triple, means.expect(triple.columns), rows, likelihoods[pairs + i]);
    });
    set_strengths(std::span(result).subspan(pairs), std::span(likelihoods).subspan(pairs), rows);
  }
  return result;
}

std::vector<std::shared_ptr<const ColumnPartition>> joint_cells(
    const MarginalMeasurements& measurements, std::span<const ColumnEstimate> columns) {
  std::vector<std::shared_ptr<const ColumnPartition>> result = measurements.joint_cells();
  for (std::size_t c = 0; c < result.size(); ++c) {
    if (result[c]) {
      continue;
    }
    result[c] = columns[c].cells;
    const ColumnPartition& alone = *result[c];
    if (alone.column().is_category() && alone.value_cells() > kMostCategoriesAlone) {
      std::vector<std::uint32_t> all(alone.value_cells());
      std::iota(all.begin(), all.end(), 0U);
      result[c] = std::make_shared<const ColumnPartition>(
          ColumnPartition::grouped(alone.column(), std::move(all)));
    }
  }
  return result;
}

CliqueTargets make_clique_targets(const MarginalMeasurements& measurements,
                                  std::span<const ColumnEstimate> columns,
                                  std::vector<MarginalEstimate>&& tables) {
  CliqueTargets targets;
  targets.rows = static_cast<std::size_t>(std::llround(measurements.rows()));
  const auto cells = joint_cells(measurements, columns);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    targets.sizes.push_back(cells[c]->size());
    targets.cliques.push_back({{c}, 1.0, columns[c].counts_in(*cells[c])});
  }
  for (MarginalEstimate& table : tables) {
    targets.cliques.push_back({table.columns, std::max(table.tau, kLeastStrength) * table.precision,
                               std::move(table.target)});
  }
  add_rank_moments(cells, tables, measurements.rows(), targets);
  return targets;
}

}  // namespace mehler
