#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "mehler/estimation/marginal_estimates.h"

namespace mehler {

/// A pair of columns, the lower index first.
using ColumnPair = std::pair<std::size_t, std::size_t>;

/// Memory for each cell of a joint table: exact counts, noisy ones, estimates and forces.
inline constexpr std::size_t kBytesPerJointCell = 64;

/// The cells of each column in tables of two columns, chosen from noisy counts alone.
///
/// Numbers keep the ranges that they were counted in, but one that holds more than 3/4 of all
/// records is divided into parts of about half of them, frequent values alone. Categories of a
/// column with more than kMaxUngrouped share a cell if they have fewer than `rare_count` records.
/// Where the tables of `pairs` would take more than `max_bytes`, columns have fewer cells.
std::vector<std::shared_ptr<const ColumnPartition>> choose_joint_cells(
    std::span<const ColumnEstimate> columns, std::span<const ColumnPair> pairs, double rows,
    double rare_count, std::size_t max_bytes);

/// Throws Error(kInvalidArgument) if tables of all pairs take more than `max_bytes` even with the
/// fewest cells that choose_joint_cells() can choose. Depends on the schema alone.
void require_joint_memory(const Encoder& encoder, std::size_t max_bytes);

/// In a column with at most this many categories, none is grouped for being rare.
inline constexpr std::size_t kMaxUngrouped = 100;

}  // namespace mehler
