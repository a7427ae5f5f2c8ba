#include "mehler/evaluation/release/count_agreement.h"

#include <cmath>
#include <numbers>

#include "mehler/core/euclidean_length.h"
#include "mehler/counts/contrasts.h"

namespace mehler {
namespace {

/// The total variation between a table of counts and the released one, and that of its noise.
CountAgreement compare_table(const MeasuredMarginal& measured, std::vector<std::int64_t> counts,
                             ScaleFactor factor, double released_rows) {
  CountAgreement result{measured.columns.size(), 1, 0.0, 0.0};
  if (measured.deviations.empty()) {  // a single cell
    result.tables = measured.cells[0]->column().is_image() ? 0 : 1;
    return result;
  }
  const std::vector<std::size_t> shape = measured.shape();
  const std::vector<std::int64_t> contrasts = contrasts_of_counts(std::move(counts), shape);
  const std::vector<double> deviations =
      cells_of_contrasts(std::vector<double>(contrasts.begin(), contrasts.end()), shape);
  const double variance = measured.cell_variance();
  double sum_of_sigmas = 0.0;
  for (std::size_t i = 0; i < deviations.size(); ++i) {
    result.error += std::fabs(measured.deviations[i] - factor.value * deviations[i]);
    sum_of_sigmas += euclidean_length(std::sqrt(variance), factor.error * deviations[i]);
  }
  // Half of the mean absolute value of normal noise, over all cells.
  result.noise = 0.5 * std::sqrt(2.0 / std::numbers::pi) * sum_of_sigmas / released_rows;
  result.error *= 0.5 / released_rows;
  return result;
}

}  // namespace

std::vector<CountAgreement> compare_counts(const MarginalMeasurements& measurements,
                                           const CellTables& tables, ScaleFactor factor,
                                           WorkerPool& pool, const Context& context) {
  const std::size_t columns = measurements.one_ways().size();
  std::vector<CountAgreement> each(columns + measurements.joint_tables().size());
  pool.run(each.size(), [&](std::size_t i) {
    context.throw_if_cancelled();
    const bool is_column = i < columns;
    each[i] = compare_table(
        is_column ? measurements.one_ways()[i] : measurements.joint_tables()[i - columns],
        is_column ? tables.column_counts(i) : tables.joint_counts(i - columns), factor,
        measurements.rows());
  });
  std::vector<CountAgreement> result;
  for (std::size_t size = 1; size <= 3; ++size) {
    CountAgreement mean{size, 0, 0.0, 0.0};
    for (const CountAgreement& table : each) {
      if (table.columns == size) {
        mean.error += table.error;
        mean.noise += table.noise;
        mean.tables += table.tables;
      }
    }
    if (mean.tables > 0) {
      mean.error /= static_cast<double>(mean.tables);
      mean.noise /= static_cast<double>(mean.tables);
      result.push_back(mean);
    }
  }
  return result;
}

}  // namespace mehler
