#pragma once

#include <vector>

#include "mehler/estimation/marginal_estimates.h"

namespace mehler {

/// Whether two columns have one description but for their names.
bool are_alike(const Column& a, const Column& b);

/// Of at least this many columns that are alike, and are counted in the same cells, what they have
/// in common tells more than each alone.
inline constexpr std::size_t kFewestPooled = 4;

/// Estimates of all columns, those of columns that are alike together: their mean, and deviations
/// from it in as few directions as stand out of the noise, each shrunk by what the noise adds to
/// its singular value (the optimal shrinkage for the Frobenius norm; Gavish and Donoho 2017, for
/// white noise of known size). Others as by estimate_columns().
std::vector<ColumnEstimate> estimate_pooled_columns(const MarginalMeasurements& measurements);

}  // namespace mehler
