#pragma once

#include <vector>

#include "mehler/evaluation/release/cell_tables.h"
#include "mehler/evaluation/release/compared_counts.h"
#include "mehler/release/marginal_measurements.h"
#include "mehler/release/release.h"

namespace mehler {

/// All tables of one column and of two that the measurements have noisy counts of, in their order.
/// `tables` holds synthetic counts for the same release, of `rows` records; 0 for none.
std::vector<ComparedCounts> measured_tables(const Release& release,
                                            const MarginalMeasurements& measurements,
                                            const CellTables& tables, std::size_t rows);

}  // namespace mehler
