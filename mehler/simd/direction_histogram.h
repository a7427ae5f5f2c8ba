#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace mehler {

/// Directions 45 degrees apart that gradients are told apart by.
inline constexpr std::size_t kDirections = 8;
/// Cells along a side of a picture, at most.
inline constexpr std::size_t kMostDirectionCells = 8;
/// Floats behind the last pixel that direction_histogram may read and ignores.
inline constexpr std::size_t kDirectionSlack = 64;

/// Which rows of a picture lie in a cell, and with what weights they are averaged.
struct CellRows {
  std::size_t first = 0;
  std::vector<float> weights;
};

/// The cells of a picture of [rows][columns] pixels.
struct DirectionCells {
  std::size_t columns = 0;
  std::vector<CellRows> down;    ///< of each cell from above to below
  std::size_t cells_across = 0;  ///< at most kMostDirectionCells, as those down
  std::vector<float> across;     ///< [columns][kMostDirectionCells]: a column's weight in each cell
};

/// Of pixels that have a length and a direction in [0, 8], [rows][stride] with kDirectionSlack
/// finite numbers behind them, the weighted means of lengths by cell and direction, where each
/// pixel goes to the two nearest directions in proportion to how near. A cell's are divided by
/// sqrt(mean energy of the 3 x 3 cells around + least_energy), cells outside counting as 0, cut at
/// `largest`, and all divided by their length if that is not 0: [cells down][cells across][8].
///
/// The same bits on every instruction set.
void direction_histogram(const DirectionCells& cells, const float* lengths, const float* directions,
                         std::size_t stride, float least_energy, float largest,
                         std::span<float> histogram);

}  // namespace mehler
