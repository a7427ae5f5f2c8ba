#pragma once

#include <vector>

#include "mehler/release/marginal_measurements.h"

namespace mehler {

/// Whether two columns have one description but for their names.
bool are_alike(const Column& a, const Column& b);

/// Of at least so many columns that are alike and counted in the same cells, and whose noise alone
/// would make a total variation above this, what they have in common tells more than each alone.
inline constexpr std::size_t kFewestPooled = 20;
inline constexpr double kLeastPooledError = 0.02;

/// The counts of such columns, estimated together: their mean, and deviations from it in as few
/// directions as stand out of the noise, each shrunk by what the noise adds to its singular value
/// (the optimal shrinkage for the Frobenius norm; Gavish and Donoho 2017, for white noise of known
/// size). Nothing for others. By column.
std::vector<std::vector<double>> pooled_counts(const MarginalMeasurements& measurements);

}  // namespace mehler
