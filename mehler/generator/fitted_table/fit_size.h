#pragma once

#include <cstddef>

#include "mehler/generator/fitted_table/table_fit.h"
#include "mehler/release/marginal_measurements.h"

namespace mehler {

/// How many rows are fitted to a release, and how often their counts are averaged.
struct FitSize {
  /// Up to here a table is fitted with all its records.
  static constexpr std::size_t kAllRows = 262'144;
  /// Rows that stand for the records of a longer one.
  static constexpr std::size_t kRows = 131'072;
  /// Averaging sweeps of these.
  static constexpr int kFewestSweeps = 8;
  static constexpr int kMostSweeps = 16;
  /// Rows that are averaged, for each that chance alone would need to be as far off as the noise.
  static constexpr double kForEach = 8.0;
  /// TableFitOptions::settling_sweeps of these.
  static constexpr int kSettlingSweeps = 8;
  /// Averaging sweeps, those of extra rounds included, at most.
  static constexpr int kSweepsInAll = 64;

  std::size_t rows = 0;
  /// 0: all records are fitted, as the options say.
  int average_sweeps = 0;

  /// The options of a fit of this size: what is beyond its sweeps stays as it is.
  TableFitOptions applied_to(TableFitOptions options) const;
};

/// The number of records whose counts are, by chance, as far from those of many more as the noise
/// of the release makes them: of a pair of d cells whose noise has the variance s^2, rows^2 /
/// (d s^2), as the variance of a count among r records is (rows / d) (rows / r) when it stands for
/// `rows`. The geometric mean over all pairs; 0 where there are none.
double rows_as_good_as_noise(const MarginalMeasurements& measurements);

/// The size of the fit to a release of `records` records. Public numbers alone decide: what the
/// release says of records, cells and noise. The counts of a long table are averaged over kForEach
/// times the rows that are as good as its noise, so that chance adds little to the noise's error;
/// the limits make the cost of a fit the same for any number of records.
FitSize fit_size(std::size_t records, double rows_as_good);

}  // namespace mehler
