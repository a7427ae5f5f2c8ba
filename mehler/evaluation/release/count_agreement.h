#pragma once

#include <cstddef>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/core/worker_pool.h"
#include "mehler/evaluation/release/cell_tables.h"
#include "mehler/release/marginal_measurements.h"

namespace mehler {

/// What sums over synthetic records are multiplied by, to be compared with released ones, and the
/// standard deviation of that.
struct ScaleFactor {
  double value = 1.0;
  double error = 0.0;
};

/// How far counts over synthetic records lie from released counts, as a share of the records: the
/// mean total variation of all tables of so many columns; and how far the noise of the release
/// alone puts them from the private table's, on average. By the triangle inequality the private
/// table's counts are expected within the sum of both.
///
/// A table of several columns is compared as it is released: given the counts of its columns.
struct CountAgreement {
  std::size_t columns = 1;  ///< of each table
  std::size_t tables = 0;
  double error = 0.0;
  double noise = 0.0;
};

/// Of columns, pairs and triples, as far as the measurements have any; the tables hold the counts
/// of the same release.
std::vector<CountAgreement> compare_counts(const MarginalMeasurements& measurements,
                                           const CellTables& tables, ScaleFactor factor,
                                           WorkerPool& pool, const Context& context);

}  // namespace mehler
