#include "mehler/generator/fitted_table/fit_size.h"

#include <algorithm>
#include <cmath>

namespace mehler {

TableFitOptions FitSize::applied_to(TableFitOptions options) const {
  if (average_sweeps > 0) {
    options.average_sweeps = average_sweeps;
    options.settling_sweeps = kSettlingSweeps;
    options.extra_rounds = std::min(options.extra_rounds, kSweepsInAll / average_sweeps - 1);
  }
  return options;
}

double rows_as_good_as_noise(const MarginalMeasurements& measurements) {
  const double rows = measurements.rows();
  double logarithms = 0.0;
  std::size_t pairs = 0;
  for (const MeasuredMarginal& table : measurements.joint_tables()) {
    if (table.columns.size() == 2 && !table.deviations.empty()) {
      const auto cells = static_cast<double>(table.deviations.size());
      logarithms += std::log(rows * rows / (cells * table.cell_variance()));
      ++pairs;
    }
  }
  return pairs == 0 ? 0.0 : std::exp(logarithms / static_cast<double>(pairs));
}

FitSize fit_size(std::size_t records, double rows_as_good) {
  if (records <= FitSize::kAllRows) {
    return {records, 0};
  }
  const double sweeps = FitSize::kForEach * rows_as_good / static_cast<double>(FitSize::kRows);
  return {FitSize::kRows, static_cast<int>(std::ceil(std::clamp<double>(
                              sweeps, FitSize::kFewestSweeps, FitSize::kMostSweeps)))};
}

}  // namespace mehler
