#pragma once

#include <cstddef>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/core/worker_pool.h"
#include "mehler/evaluation/release/cell_tables.h"
#include "mehler/evaluation/release/release_agreement.h"
#include "mehler/release/marginal_measurements.h"

namespace mehler {

/// What sums over synthetic records are multiplied by, to be compared with released ones, and the
/// standard deviation of that.
struct ScaleFactor {
  double value = 1.0;
  double error = 0.0;
};

/// Compares the counts of columns, of pairs and of triples, as far as the measurements have any.
/// `tables` holds synthetic counts for the same release.
std::vector<CountAgreement> compare_counts(const MarginalMeasurements& measurements,
                                           const CellTables& tables, ScaleFactor factor,
                                           WorkerPool& pool, const Context& context);

}  // namespace mehler
