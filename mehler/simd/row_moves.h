#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mehler {

/// The logits of all columns of a row stand side by side, in blocks of 16 floats. A column of at
/// most 16 codes should lie inside one block: choices are quicker then.
constexpr std::size_t kForceBlock = 16;

/// A force row stores only those 64-float tiles of the logits in which it is not zero.
constexpr std::size_t kLogitTile = 4 * kForceBlock;

/// A tile of a column's force rows.
struct LogitTile {
  std::uint32_t column = 0;  ///< whose force rows these are
  std::uint32_t lane = 0;    ///< where the tile's first float stands among the logits
  std::uint32_t place = 0;   ///< where it stands in a force row
};

/// A cell of a pair's force table as the update finds it.
struct LogitPartner {
  std::uint32_t column = 0;
  std::uint32_t place = 0;       ///< of the partner's code 0 in this column's force rows
  std::uint32_t place_back = 0;  ///< of this column's code 0 in the partner's force rows
  float weight = 0.0F;
};

struct LogitColumn {
  std::size_t code_place = 0;  ///< of the column in a row of codes
  std::size_t size = 0;        ///< codes
  std::size_t lane = 0;        ///< of its code 0 among the logits
  float single_weight = 0.0F;  ///< weight of the column's own counts
  float* rows = nullptr;       ///< size x stride: the force on every partner, for each code
  std::size_t stride = 0;
  std::vector<LogitTile> tiles;        ///< of its force rows
  std::vector<LogitPartner> partners;  ///< pairs with a weight
  std::vector<std::uint32_t> triples;  ///< places in LogitView::triples where it is not the mover
  const float* outside = nullptr;      ///< 0 for its lanes, -inf for the others of its blocks
};

/// The force of a triple on one of its columns.
struct LogitTriple {
  std::uint32_t mover = 0;
  std::uint32_t first = 0;
  std::uint32_t second = 0;
  float weight = 0.0F;
  float* rows = nullptr;  ///< [first code][second code][stride]: the mover's blocks
  std::size_t stride = 0;
};

/// Tables of forces on the codes of a row, as the kernel reads and writes them.
///
/// The force on a code v of column c is the sum over c's cliques of w (target - count - 1/2) of the
/// cell that the row would be in with x_c = v. A move draws v with probability proportional to
/// exp(force / temperature), the row itself not counted.
struct LogitView {
  std::vector<LogitColumn> columns;  ///< in the order of their lanes, which is that of the moves
  std::size_t lanes = 0;             ///< of the logits, a multiple of kLogitTile
  float* singles = nullptr;          ///< one for each lane: forces of the 1-ways
  std::vector<std::vector<LogitTile>> tiles;  ///< for each tile of the logits, where its parts are
  std::vector<LogitTriple> triples;
  /// columns x columns (padded to kForceBlock): weights of the pairs, 0 where there is none.
  const float* pair_weights = nullptr;
  const float* own_weights = nullptr;  ///< for each column, the sum of the weights of its cliques
};

/// How rows are moved.
struct MoveOptions {
  float temperature = 1.0F;
  /// Whether the forces follow the rows. If not they are fixed potentials, and rows do not know of
  /// each other.
  bool update = true;
  std::uint64_t seed = 0;
  /// The number of the first row: noise depends on the seed and on a row's number alone.
  std::uint64_t first_number = 0;
  /// The order in which rows move; empty: as they stand.
  std::span<const std::uint32_t> order;
};

/// Moves every column of `rows` rows once, one row after the other. codes: rows x columns. Adds to
/// changes[i] how often a code of column view.columns[i] changed.
void move_rows(const LogitView& view, std::uint16_t* codes, std::size_t rows,
               const MoveOptions& options, std::span<std::uint64_t> changes);

}  // namespace mehler
