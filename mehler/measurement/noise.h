#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mehler/core/wiping.h"
#include "mehler/features/feature_block.h"
#include "mehler/release/release.h"

namespace mehler {

/// Whole sums as multiples of 2^-grid_exponent. Throws Error(kInvalidTable) if one leaves no room
/// for noise in 64 bits: there are too many records for tables of so many cells.
void scale_to_grid(WipedVector<std::int64_t>& sums, int grid_exponent);

/// Exact sums, [rows][dimension], with noise of standard deviation sigma / weight for each segment
/// of the block.
///
/// Privacy: noise is drawn from SecureRandom as exactly rounded Gaussians on the grid of the sums
/// (rounded_gaussian.h). `sigma` was paid for.
NoisyBlock with_noise(const FeatureBlock& block, std::size_t rows, WipedVector<std::int64_t> sums,
                      double sigma);

/// Throws Error(kInvalidTable) for a table without records where their number is public. Where it
/// is protected, such a table is released like any other: whether there is a release must not tell
/// it from the table of one record.
void require_public_rows(std::uint64_t rows, NeighbourRelation relation);

}  // namespace mehler
