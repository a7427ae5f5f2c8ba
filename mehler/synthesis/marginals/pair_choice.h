#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mehler/counts/column_partition.h"
#include "mehler/synthesis/marginals/joint_cells.h"

namespace mehler {

/// Half of the mean absolute value of a standard normal number, as a total variation sums them.
inline constexpr double kHalfMeanAbsolute = 0.4;

/// A table with at most this many pairs is not wide: all of them are measured.
inline constexpr std::size_t kFewPairs = 1000;

/// How much pairs matter, and what there is to spend on them.
struct PairChoice {
  std::vector<std::size_t> columns;  ///< those of more than one cell
  std::optional<std::size_t> target;
  double target_weight = 1.0;  ///< importance of pairs with the target, where others have 1
  double rows = 1.0;           ///< released number of records
  double mu_squared = 0.0;

  bool is_of_target(const ColumnPair& pair) const {
    return target == pair.first || target == pair.second;
  }
  /// Precision of a pair's contrasts, relative to others: importance times the root of its cells.
  double share(const ColumnPair& pair,
               std::span<const std::shared_ptr<const ColumnPartition>> cells) const;
};

/// All pairs, in order; but in a wide table, where the noise of that many would drown them, those
/// with the target and the nearest neighbours in the schema's order. Depends on the schema and on
/// what has been released.
std::vector<ColumnPair> choose_pairs(const PairChoice& choice,
                                     std::span<const std::shared_ptr<const ColumnPartition>> cells);

}  // namespace mehler
