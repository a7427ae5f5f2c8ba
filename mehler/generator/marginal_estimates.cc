#include "mehler/generator/marginal_estimates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mehler/core/error.h"
#include "mehler/core/worker_pool.h"
#include "mehler/generator/count_estimates.h"

namespace mehler {
namespace {

/// A column in no joint table goes with no other: if it has more categories than this, they share a
/// cell, and are told apart by their own counts when rows are decoded.
constexpr std::size_t kMostCategoriesAlone = 100;

bool is_ordered(const Column& column) {
  return column.is_number() || column.kind == ColumnKind::kOrdinal;
}

/// The noisy counts of one column, possible ones.
std::vector<double> estimate_counts(const MeasuredTable& table, double rows) {
  const ColumnCells& cells = *table.cells[0];
  if (table.deviations.empty()) {
    return {rows};
  }
  std::vector<double> counts = table.deviations;
  const std::size_t ordered = is_ordered(cells.column()) ? cells.value_cells() : 0;
  if (ordered >= kSmoothedCells) {
    const std::vector<double> smooth =
        smooth_ordered(std::span(counts).first(ordered), 1.0 / table.precision);
    std::copy(smooth.begin(), smooth.end(), counts.begin());
  }
  for (double& count : counts) {
    count += rows / static_cast<double>(cells.size());
  }
  return project_to_counts(counts, rows);
}

/// Adds to each cell of `table` the number that `part` has for its code in the column `axis`.
void add_along(std::vector<double>& table, std::span<const std::size_t> shape, std::size_t axis,
               std::span<const double> part, double factor) {
  std::size_t inner = 1;
  for (std::size_t i = axis + 1; i < shape.size(); ++i) {
    inner *= shape[i];
  }
  for (std::size_t place = 0; place < table.size(); ++place) {
    table[place] += factor * part[place / inner % shape[axis]];
  }
}

TableEstimate estimate_table(const MeasuredTable& measured,
                             const std::vector<std::vector<double>>& column_counts, double rows,
                             std::vector<double>& likelihood) {
  if (measured.columns.size() != 2) {
    throw Error(ErrorCode::kInvalidRelease,
                fmt::format("the release counts {} columns together; this version fits pairs",
                            measured.columns.size()));
  }
  const std::vector<std::size_t> shape = measured.shape();
  TableEstimate result;
  result.columns = measured.columns;
  result.precision = measured.precision;
  result.cell_variance = measured.cell_variance();
  result.target = measured.deviations;
  result.expected.assign(measured.deviations.size(), rows);
  const auto cells = static_cast<double>(measured.deviations.size());
  for (std::size_t i = 0; i < 2; ++i) {
    const std::vector<double>& counts = column_counts[measured.columns[i]];
    add_along(result.target, shape, i, counts, static_cast<double>(shape[i]) / cells);
    for (std::size_t place = 0; place < result.expected.size(); ++place) {
      const std::size_t code = i == 0 ? place / shape[1] : place % shape[1];
      result.expected[place] *= counts[code] / rows;
    }
  }
  std::vector<double> deviations(result.target.size());
  for (std::size_t place = 0; place < deviations.size(); ++place) {
    result.target[place] -= rows / cells;
    result.expected[place] = std::max(result.expected[place], 0.5);
    deviations[place] = result.target[place] - result.expected[place];
  }
  // What is left of the deviations when each column's totals are taken out.
  for (std::size_t axis = 0; axis < 2; ++axis) {
    std::vector<double> means(shape[axis], 0.0);
    for (std::size_t place = 0; place < deviations.size(); ++place) {
      means[axis == 0 ? place / shape[1] : place % shape[1]] +=
          deviations[place] / static_cast<double>(shape[1 - axis]);
    }
    add_along(deviations, shape, axis, means, -1.0);
  }
  const double freedom =
      static_cast<double>((shape[0] - 1) * (shape[1] - 1)) / static_cast<double>(deviations.size());
  likelihood =
      strength_likelihood(deviations, result.expected, result.cell_variance, freedom, rows);
  return result;
}

}  // namespace

std::vector<double> ColumnEstimate::counts_in(const ColumnCells& other) const {
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
  std::vector<ColumnEstimate> columns;
  for (const MeasuredTable& table : measurements.one_ways()) {
    ColumnEstimate estimate{table.cells[0], estimate_counts(table, measurements.rows()), {}};
    if (estimate.cells->column().is_number()) {
      estimate.values.emplace(*estimate.cells, estimate.counts);
    }
    columns.push_back(std::move(estimate));
  }
  for (const MeasuredSplits& measured : measurements.splits()) {
    columns.at(measured.column)
        .values->split(*measured.splits, measured.differences, measured.sigma);
  }
  return columns;
}

std::vector<TableEstimate> estimate_tables(const MarginalMeasurements& measurements,
                                           std::span<const ColumnEstimate> columns,
                                           const Context& context) {
  const auto cells = joint_cells(measurements, columns);
  std::vector<std::vector<double>> counts;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    counts.push_back(columns[c].counts_in(*cells[c]));
  }
  std::vector<TableEstimate> result(measurements.joint_tables().size());
  std::vector<std::vector<double>> likelihoods(result.size());
  WorkerPool pool(context.threads);
  pool.run(result.size(), [&](std::size_t i) {
    context.throw_if_cancelled();
    result[i] =
        estimate_table(measurements.joint_tables()[i], counts, measurements.rows(), likelihoods[i]);
  });
  const std::vector<double> strengths = estimate_strengths(likelihoods, measurements.rows());
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i].tau = strengths[i];
  }
  return result;
}

std::vector<std::shared_ptr<const ColumnCells>> joint_cells(
    const MarginalMeasurements& measurements, std::span<const ColumnEstimate> columns) {
  std::vector<std::shared_ptr<const ColumnCells>> result = measurements.joint_cells();
  for (std::size_t c = 0; c < result.size(); ++c) {
    if (result[c]) {
      continue;
    }
    result[c] = columns[c].cells;
    const ColumnCells& alone = *result[c];
    if (alone.column().is_category() && alone.value_cells() > kMostCategoriesAlone) {
      std::vector<std::uint32_t> all(alone.value_cells());
      std::iota(all.begin(), all.end(), 0U);
      result[c] =
          std::make_shared<const ColumnCells>(ColumnCells::grouped(alone.column(), std::move(all)));
    }
  }
  return result;
}

CliqueTargets make_clique_targets(const MarginalMeasurements& measurements,
                                  std::span<const ColumnEstimate> columns,
                                  std::vector<TableEstimate>&& tables) {
  CliqueTargets targets;
  targets.rows = static_cast<std::size_t>(std::llround(measurements.rows()));
  const auto cells = joint_cells(measurements, columns);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    targets.sizes.push_back(cells[c]->size());
    targets.cliques.push_back({{c}, 1.0, columns[c].counts_in(*cells[c])});
  }
  for (TableEstimate& table : tables) {
    targets.cliques.push_back(
        {table.columns, table.tau * table.precision, std::move(table.target)});
  }
  return targets;
}

}  // namespace mehler
