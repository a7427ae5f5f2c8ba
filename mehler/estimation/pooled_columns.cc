#include "mehler/estimation/pooled_columns.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mehler/estimation/count_estimates.h"
#include "mehler/estimation/symmetric_eigen.h"

namespace mehler {
namespace {

bool are_counted_alike(const MeasuredMarginal& a, const MeasuredMarginal& b) {
  return a.precision == b.precision && are_alike(a.cells[0]->column(), b.cells[0]->column()) &&
         a.cells[0]->starts() == b.cells[0]->starts() && a.cells[0]->rare() == b.cells[0]->rare();
}

/// Columns that are alike, in groups.
std::vector<std::vector<std::size_t>> alike_columns(const std::vector<MeasuredMarginal>& tables) {
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t c = 0; c < tables.size(); ++c) {
    if (tables[c].deviations.empty()) {
      continue;
    }
    const auto own = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
      return are_counted_alike(tables[group.front()], tables[c]);
    });
    if (own == groups.end()) {
      groups.push_back({c});
    } else {
      own->push_back(c);
    }
  }
  return groups;
}

/// The total variation that noise alone makes of a column.
double noise_error(const MeasuredMarginal& table, double rows) {
  const double mean_absolute = std::sqrt(2.0 / std::numbers::pi * table.cell_variance());
  return 0.5 * mean_absolute * static_cast<double>(table.deviations.size()) / rows;
}

/// What is kept of a singular value (over sigma sqrt(larger side)), as a share of it; `ratio`: of
/// the sides.
double kept_share(double value, double ratio) {
  if (value <= 1.0 + std::sqrt(ratio)) {
    return 0.0;
  }
  const double square = value * value;
  const double inside = (square - ratio - 1.0) * (square - ratio - 1.0) - 4.0 * ratio;
  return std::sqrt(std::max(inside, 0.0)) / square;
}

/// Shrinks the rows of a matrix, [rows][columns] with noise of standard deviation sigma, towards
/// their mean.
void shrink(std::vector<double>& matrix, std::size_t rows, double sigma) {
  const std::size_t columns = matrix.size() / rows;
  std::vector<double> mean(columns, 0.0);
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    mean[i % columns] += matrix[i] / static_cast<double>(rows);
  }
  std::vector<double> products(columns * columns, 0.0);
  for (std::size_t r = 0; r < rows; ++r) {
    double* row = &matrix[r * columns];
    for (std::size_t i = 0; i < columns; ++i) {
      row[i] -= mean[i];
    }
    for (std::size_t i = 0; i < columns; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        products[i * columns + j] += row[i] * row[j];
      }
    }
  }
  // The counts of a column have one freedom less than cells.
  const double free = static_cast<double>(columns - 1);
  const double larger = std::max(free, static_cast<double>(rows));
  const double ratio = std::min(free, static_cast<double>(rows)) / larger;
  const EigenPairs directions = symmetric_eigen(std::move(products), columns);
  std::vector<double> kept(matrix.size(), 0.0);
  for (std::size_t d = 0; d < columns; ++d) {
    const double value = std::sqrt(std::max(directions.values[d], 0.0) / larger) / sigma;
    const double share = kept_share(value, ratio);
    for (std::size_t r = 0; r < rows && share > 0.0; ++r) {
      double along = 0.0;
      for (std::size_t i = 0; i < columns; ++i) {
        along += directions.vector(d)[i] * matrix[r * columns + i];
      }
      for (std::size_t i = 0; i < columns; ++i) {
        kept[r * columns + i] += share * along * directions.vector(d)[i];
      }
    }
  }
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    matrix[i] = mean[i % columns] + kept[i];
  }
}

}  // namespace

bool are_alike(const Column& a, const Column& b) {
  Column renamed = a;
  renamed.name = b.name;
  return renamed == b;
}

std::vector<std::vector<double>> pooled_counts(const MarginalMeasurements& measurements) {
  const std::vector<MeasuredMarginal>& tables = measurements.one_ways();
  std::vector<std::vector<double>> result(tables.size());
  for (const std::vector<std::size_t>& group : alike_columns(tables)) {
    const std::size_t cells = tables[group.front()].deviations.size();
    if (group.size() < kFewestPooled ||
        noise_error(tables[group.front()], measurements.rows()) < kLeastPooledError) {
      continue;
    }
    std::vector<double> deviations;
    for (const std::size_t c : group) {
      deviations.insert(deviations.end(), tables[c].deviations.begin(), tables[c].deviations.end());
    }
    shrink(deviations, group.size(), 1.0 / std::sqrt(tables[group.front()].precision));
    for (std::size_t i = 0; i < group.size(); ++i) {
      std::vector<double> counts(&deviations[i * cells], &deviations[i * cells] + cells);
      for (double& count : counts) {
        count += measurements.rows() / static_cast<double>(cells);
      }
      result[group[i]] = project_to_counts(counts, measurements.rows());
    }
  }
  return result;
}

}  // namespace mehler
