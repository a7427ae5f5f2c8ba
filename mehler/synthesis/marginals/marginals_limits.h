#pragma once

#include <cstddef>

#include "mehler/counts/count_set.h"
#include "mehler/encoding/encoder.h"
#include "mehler/synthesis/marginals/joint_cells.h"
#include "mehler/synthesis/marginals/marginals_options.h"

namespace mehler {

/// The ranges that a number is counted in by itself.
inline constexpr std::size_t kCountedRanges = 16;
inline constexpr double kValueShare = 0.05;  ///< for values within ranges, of everything
inline constexpr double kCountShare = 0.03;  ///< for the number of records, of the rest

/// Of what the sums of a release may take: the part of columns and values, and that of pairs and
/// triples, of which pairs are measured twice.
inline constexpr std::size_t kMostColumnBytes = CountSet::kMaxBytes / 16;
inline constexpr std::size_t kMostValueBytes = CountSet::kMaxBytes / 8;

/// option 'memory' for tables of pairs, or what a release holds of them if that is less.
std::size_t joint_bytes(const MarginalsOptions& options);

/// Throws Error(kInvalidArgument) where a release of counts cannot be made: because of columns that
/// do not vary, or tables that are too large. Depends on the schema and the options alone.
void require_countable(const Encoder& encoder, const MarginalsOptions& options);

/// The same, and for noise of this budget that cannot be drawn. Nothing has been charged yet.
void require_releasable(const Encoder& encoder, const MarginalsOptions& options, double mu_squared);

}  // namespace mehler
