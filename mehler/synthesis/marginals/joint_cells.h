#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "mehler/estimation/marginal_estimates.h"

namespace mehler {

/// A pair of columns, the lower index first.
using ColumnPair = std::pair<std::size_t, std::size_t>;

/// Memory for each cell of a joint table: exact counts, noisy ones, estimates and forces.
inline constexpr std::size_t kBytesPerJointCell = 64;

/// What decides how fine the cells of tables of two columns are. All of it is public or released.
struct JointCellLimits {
  double rows = 1.0;
  double sigma = 1.0;  ///< noise of a cell of a pair, if all pairs were alike
  /// Of the ranges that a number was counted in, those that stay apart, at most.
  std::size_t most_ranges = 32;
  std::size_t max_bytes = 2'000'000'000;  ///< for the tables of all pairs
  /// A column whose categories never share a cell, however rare: the classes of a teacher.
  std::optional<std::size_t> apart = std::nullopt;
};

/// The cells of each column in tables of two columns, chosen from noisy counts alone: as many as
/// the noise allows, of about equal mass.
///
/// Numbers: of the ranges that they were counted in, those with fewer than sigma records, or than a
/// sixteenth of a part, are joined with a neighbour; those with more than 1.5 parts are divided
/// into parts, frequent values alone. A part has n / K records, with K = sqrt(n / (16 sigma)), at
/// most 16. Categories beyond the three most frequent share a cell if they have fewer than sigma
/// records, or 2 sigma in a column with more than kMaxUngrouped. Where the tables of `pairs` would
/// take more memory than there is, columns have fewer cells.
std::vector<std::shared_ptr<const ColumnPartition>> choose_joint_cells(
    std::span<const ColumnEstimate> columns, std::span<const ColumnPair> pairs,
    const JointCellLimits& limits);

/// Finer cells of a number, at most `most`, each within one of `cells`: of about equal mass,
/// frequent values alone. `cells` itself where there is nothing to divide.
ColumnPartition divide_further(const ColumnEstimate& column, const ColumnPartition& cells,
                               std::size_t most);

/// Throws Error(kInvalidArgument) if tables of all pairs take more than `max_bytes` even with the
/// fewest cells that choose_joint_cells() can choose. Depends on the schema alone.
void require_joint_memory(const Encoder& encoder, std::size_t max_bytes);

/// Columns with more categories have more to gain from grouping the rare ones.
inline constexpr std::size_t kMaxUngrouped = 100;

}  // namespace mehler
