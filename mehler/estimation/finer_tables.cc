#include "mehler/estimation/finer_tables.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "mehler/core/worker_pool.h"
#include "mehler/estimation/sparse_counts.h"

namespace mehler {
namespace {

/// No cell has fewer records: so that any two values can go together.
constexpr double kLeastFinerCount = 1e-9;
constexpr int kRakingRounds = 3;

/// The records of a column in finer cells, and the share that each has of its joint cell.
struct FinerColumn {
  FinerColumn(const ColumnEstimate& column, const ColumnPartition& fine,
              const ColumnPartition& joint)
      : counts(column.counts_in(fine)), joint_cell(fine.cells_within(joint)) {
    std::vector<double> of_joint(joint.size());
    for (std::size_t cell = 0; cell < counts.size(); ++cell) {
      counts[cell] = std::max(counts[cell], kLeastFinerCount);
      of_joint[joint_cell[cell]] += counts[cell];
    }
    for (std::size_t cell = 0; cell < counts.size(); ++cell) {
      shares.push_back(counts[cell] / of_joint[joint_cell[cell]]);
    }
  }

  std::vector<double> counts;
  std::vector<std::size_t> joint_cell;
  std::vector<double> shares;
};

/// Brings a table to these totals.
void rake(std::vector<double>& table, std::span<const double> first,
          std::span<const double> second) {
  const std::size_t width = second.size();
  std::vector<double> totals(width);
  for (int round = 0; round < kRakingRounds; ++round) {
    std::fill(totals.begin(), totals.end(), 0.0);
    for (std::size_t i = 0; i < first.size(); ++i) {
      double sum = 0.0;
      for (std::size_t j = 0; j < width; ++j) {
        sum += table[i * width + j];
      }
      for (std::size_t j = 0; j < width; ++j) {
        table[i * width + j] *= first[i] / sum;
        totals[j] += table[i * width + j];
      }
    }
    for (std::size_t j = 0; j < width; ++j) {
      totals[j] = second[j] / totals[j];
    }
    for (std::size_t i = 0; i < first.size(); ++i) {
      for (std::size_t j = 0; j < width; ++j) {
        table[i * width + j] *= totals[j];
      }
    }
  }
}

}  // namespace

double mutual_information(std::span<const double> counts, std::size_t columns) {
  const std::size_t rows = counts.size() / columns;
  std::vector<double> of_row(rows);
  std::vector<double> of_column(columns);
  double all = 0.0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double count = std::max(counts[i], 0.0);
    of_row[i / columns] += count;
    of_column[i % columns] += count;
    all += count;
  }
  double information = 0.0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0.0) {
      information += counts[i] / all *
                     std::log(counts[i] * all / (of_row[i / columns] * of_column[i % columns]));
    }
  }
  return std::max(information, 0.0);
}

double FinerTable::information() const { return mutual_information(counts, second_cells->size()); }

FinerTable estimate_finer_table(const MeasuredMarginal& look, const MarginalEstimate& pair,
                                std::span<const ColumnEstimate> columns,
                                std::span<const std::shared_ptr<const ColumnPartition>> cells) {
  FinerTable result{look.columns[0], look.columns[1], look.cells[0], look.cells[1], {}};
  const FinerColumn first(columns[result.first], *result.first_cells, *cells[result.first]);
  const FinerColumn second(columns[result.second], *result.second_cells, *cells[result.second]);
  // What the pair's own cells tell; within them, as if the columns were independent.
  const std::vector<double> known = pair.posterior_mean();
  const std::size_t width = cells[result.second]->size();
  std::vector<double> expected;
  for (std::size_t i = 0; i < first.counts.size(); ++i) {
    for (std::size_t j = 0; j < second.counts.size(); ++j) {
      const double together = known[first.joint_cell[i] * width + second.joint_cell[j]];
      expected.push_back(std::max(together * first.shares[i] * second.shares[j], kLeastFinerCount));
    }
  }
  std::vector<double> noisy = deviations_from(look, expected);
  for (std::size_t i = 0; i < noisy.size(); ++i) {
    noisy[i] += expected[i];
  }
  result.counts = estimate_sparse_counts(noisy, expected, std::sqrt(look.cell_variance()));
  for (double& count : result.counts) {
    count = std::max(count, kLeastFinerCount);
  }
  rake(result.counts, first.counts, second.counts);
  return result;
}

std::vector<FinerTable> estimate_finer_tables(
    const MarginalMeasurements& measurements, std::span<const ColumnEstimate> columns,
    std::span<const std::shared_ptr<const ColumnPartition>> cells,
    std::span<const MarginalEstimate> pairs, const Context& context) {
  std::map<std::vector<std::size_t>, const MeasuredMarginal*> last;
  for (const MeasuredMarginal& look : measurements.finer_looks()) {
    last[look.columns] = &look;
  }
  std::vector<const MeasuredMarginal*> looks;
  std::vector<const MarginalEstimate*> estimates;
  for (const auto& entry : last) {
    looks.push_back(entry.second);
    estimates.push_back(&*std::find_if(
        pairs.begin(), pairs.end(), [&](const auto& pair) { return pair.columns == entry.first; }));
  }
  std::vector<FinerTable> result(looks.size());
  WorkerPool pool(context.threads);
  pool.run(looks.size(), [&](std::size_t i) {
    context.throw_if_cancelled();
    result[i] = estimate_finer_table(*looks[i], *estimates[i], columns, cells);
  });
  return result;
}

}  // namespace mehler
