#pragma once

#include "mehler/measurement/measurement_rounds.h"
#include "mehler/synthesis/marginals/marginals_options.h"

namespace mehler {

/// What may be measured of the widest tables.
enum class MarginalParts {
  kCountsOrMoments,  ///< moments instead of pairs, where the rule for wide tables says so
  kCounts,           ///< counts of pairs whatever the width: what a table is fitted to
};

/// Spends everything that is left on the number of records, unless it is known already, on columns
/// and on how they go together (docs/methods/marginals.md). Columns of a single cell, as images
/// are, are not measured.
///
/// Privacy: every block is charged before it is measured, and depends on the schema and on earlier
/// noisy results alone.
void measure_marginals(MeasurementRounds& rounds, const Encoder& encoder,
                       const MarginalsOptions& options, MarginalParts parts,
                       const Context& context);

}  // namespace mehler
