#include "mehler/evaluation/release/measured_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mehler/core/euclidean_length.h"
#include "mehler/counts/contrasts.h"
#include "mehler/encoding/number_coding.h"

namespace mehler {
namespace {

void add_ranges(const ColumnPartition& cells, CellAxis& axis) {
  const Column& column = cells.column();
  const NumberCoding coding(column);
  const ValueGrid& leaves = cells.leaves();
  const auto value_of = [&](std::uint32_t leaf) {
    return leaf < leaves.value_leaves() ? coding.decode(leaves.coordinate(leaf, 0.0))
                                        : column.bounds->high;
  };
  for (std::size_t cell = 0; cell < cells.value_cells(); ++cell) {
    const auto [first, end] = cells.range(cell);
    const std::string low = column.format_value(value_of(first));
    const std::string high = column.format_value(value_of(std::max(first, end - 1)));
    axis.edges.push_back(value_of(first));
    axis.labels.push_back(low == high ? low : fmt::format("{} to {}", low, high));
  }
  axis.edges.push_back(column.bounds->high);
}

void add_categories(const ColumnPartition& cells, CellAxis& axis) {
  const std::vector<std::string> labels = cells.column().labels();
  for (std::size_t cell = 0; cell < cells.value_cells(); ++cell) {
    const std::vector<std::uint32_t> codes = cells.codes(cell);
    axis.labels.push_back(codes.size() == 1 ? labels[codes.front()]
                                            : fmt::format("{} others", codes.size()));
  }
}

CellAxis axis_of(const ColumnPartition& cells) {
  CellAxis axis{cells.column().name, {}, {}};
  if (cells.column().is_number()) {
    add_ranges(cells, axis);
  } else {
    add_categories(cells, axis);
  }
  if (cells.column().missing) {
    axis.labels.emplace_back("missing");
  }
  return axis;
}

/// Synthetic counts as the release has them: less what the totals over each column tell.
std::vector<double> deviations_of(std::vector<std::int64_t> counts,
                                  const std::vector<std::size_t>& shape) {
  const std::vector<std::int64_t> contrasts = contrasts_of_counts(std::move(counts), shape);
  return cells_of_contrasts(std::vector<double>(contrasts.begin(), contrasts.end()), shape);
}

void scale(std::vector<double>& values, double factor) {
  for (double& value : values) {
    value *= factor;
  }
}

}  // namespace

std::vector<ComparedCounts> measured_tables(const Release& release,
                                            const MarginalMeasurements& measurements,
                                            const CellTables& tables, std::size_t rows) {
  const double released_rows = std::max(0.0, release.record_count());
  const double factor = rows == 0 ? 0.0 : released_rows / static_cast<double>(rows);
  std::vector<ComparedCounts> result;
  for (std::size_t i = 0; i < measurements.one_ways().size(); ++i) {
    const MeasuredMarginal& measured = measurements.one_ways()[i];
    if (measured.deviations.empty()) {  // a single cell
      continue;
    }
    const auto cells = static_cast<double>(measured.deviations.size());
    ComparedCounts table{{axis_of(*measured.cells[0])}, measured.deviations, 0.0, {}};
    for (double& count : table.released) {
      count += released_rows / cells;
    }
    table.sigma =
        euclidean_length(std::sqrt(measured.cell_variance()), release.record_count_error() / cells);
    if (rows > 0) {
      const std::vector<std::int64_t> counts = tables.column_counts(i);
      table.synthetic.assign(counts.begin(), counts.end());
      scale(table.synthetic, factor);
    }
    result.push_back(std::move(table));
  }
  for (std::size_t i = 0; i < measurements.joint_tables().size(); ++i) {
    const MeasuredMarginal& measured = measurements.joint_tables()[i];
    if (measured.columns.size() != 2) {
      continue;
    }
    ComparedCounts table{{axis_of(*measured.cells[0]), axis_of(*measured.cells[1])},
                         measured.deviations,
                         std::sqrt(measured.cell_variance()),
                         {}};
    if (rows > 0) {
      table.synthetic = deviations_of(tables.joint_counts(i), measured.shape());
      scale(table.synthetic, factor);
    }
    result.push_back(std::move(table));
  }
  return result;
}

}  // namespace mehler
