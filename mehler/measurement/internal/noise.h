#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mehler/core/wiping.h"
#include "mehler/core/worker_pool.h"
#include "mehler/counts/count_block.h"
#include "mehler/features/feature_block.h"
#include "mehler/release/payload.h"

namespace mehler {

/// Adds noise: to exact sums, [rows][dimension], of standard deviation sigma / weight for each
/// segment of the block; to exact counts, of sigma times the scale of each.
///
/// Privacy: noise is drawn from SecureRandom as exactly rounded Gaussians on the grid of the sums
/// (rounded_gaussian.h). `sigma` was paid for.
NoisyBlock with_noise(const FeatureBlock& block, std::size_t rows, WipedVector<std::int64_t> sums,
                      double sigma);
NoisyBlock with_noise(const CountBlock& block, WipedVector<std::int64_t> counts, double sigma);

/// Adds noise of the discrete Laplace kind to counts: on their grid, of scale 2^40 / rate
/// (LaplaceMechanism).
NoisyBlock with_laplace_noise(const CountBlock& block, WipedVector<std::int64_t> counts,
                              std::uint64_t rate);

/// Adds noise to exact sums of gradients, multiples of 2^-kGradientGridExponent of the clip norm,
/// of `multiplier` times that norm, and gives them in its units.
std::vector<float> with_gradient_noise(std::span<std::int64_t> sums, double multiplier,
                                       double clip_norm, WorkerPool& pool);

/// Throws Error(kInvalidTable) for a table without records where their number is public. Where it
/// is protected, such a table is released like any other: whether there is a release must not tell
/// it from the table of one record.
void require_public_rows(std::uint64_t rows, NeighbourRelation relation);

}  // namespace mehler
