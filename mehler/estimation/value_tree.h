#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mehler/counts/column_partition.h"
#include "mehler/counts/range_halves.h"

namespace mehler {

/// Where a number's values lie: pieces of its leaves with their estimated counts, made finer level
/// by level from noisy differences between halves.
class ValueTree {
 public:
  /// Consecutive leaves [first, second) and how many records have values in them.
  struct Piece {
    std::uint32_t first = 0;
    std::uint32_t second = 0;
    double count = 0.0;
  };

  /// Levels of halving below the cells, at most.
  static constexpr std::size_t kMaxLevels = 16;

  /// Begins with the ranges of a number's cells; `counts` has one entry for each cell.
  ValueTree(const ColumnPartition& cells, std::span<const double> counts);

  /// How often the widest of a column's ranges can be halved, at most kMaxLevels.
  static std::size_t levels(const ColumnPartition& cells);

  /// The pieces that are worth halving when differences have this standard deviation: of at least
  /// two leaves, and more than 2 sigma records. May be none.
  RangeHalves next_splits(double sigma) const;

  /// Halves pieces, all of which are in the tree. A difference counts where it is more than 3 sigma
  /// from the one that equal density would give; elsewhere the density is kept. Where it is
  /// within 2 sigma of the whole count, the other half is empty.
  void split(const RangeHalves& splits, std::span<const double> differences, double sigma);

  /// In ascending order; they cover all leaves.
  const std::vector<Piece>& pieces() const { return pieces_; }

  /// Ranges of leaves that begin at `starts`: how many records have values in each.
  std::vector<double> counts_of(std::span<const std::uint32_t> starts) const;

 private:
  /// Width for equal density.
  double width(std::uint32_t first, std::uint32_t second) const;

  ValueGrid leaves_;
  std::vector<Piece> pieces_;
};

}  // namespace mehler
