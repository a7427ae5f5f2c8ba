#include "mehler/synthesis/marginals/joint_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mehler/core/error.h"

namespace mehler {
namespace {

/// Cells of a column in joint tables, to begin with.
constexpr std::size_t kMostCells = 1024;
constexpr double kHeavyShare = 0.75;

/// Where parts of a heavy range begin, besides the range itself.
void divide_heavy_range(const ValueTree& values, std::uint32_t first, std::uint32_t second,
                        double rows, std::vector<std::uint32_t>& starts) {
  const double part = 0.5 * rows;
  double in_part = 0.0;
  std::uint32_t begin = first;
  const auto cut = [&](std::uint32_t leaf) {
    if (leaf > begin && leaf < second) {
      starts.push_back(leaf);
      begin = leaf;
      in_part = 0.0;
    }
  };
  for (const ValueTree::Piece& piece : values.pieces()) {
    if (piece.first < first || piece.first >= second) {
      continue;
    }
    const bool frequent_value = piece.second - piece.first == 1 && piece.count >= 0.5 * part;
    if (frequent_value) {
      cut(piece.first);
    }
    in_part += piece.count;
    if (frequent_value || in_part >= part) {
      cut(piece.second);
    }
  }
}

ColumnPartition cells_of_numbers(const ColumnEstimate& column, double rows, std::size_t most) {
  const ColumnPartition& counted = *column.cells;
  if (counted.value_cells() > most) {
    return ColumnPartition::even(counted.column(), most);
  }
  std::vector<std::uint32_t> starts;
  for (std::size_t cell = 0; cell < counted.value_cells(); ++cell) {
    const auto [first, second] = counted.range(cell);
    starts.push_back(first);
    if (column.counts[cell] > kHeavyShare * rows) {
      divide_heavy_range(*column.values, first, second, rows, starts);
    }
  }
  return ColumnPartition::ranges(counted.column(), std::move(starts));
}

ColumnPartition cells_of_categories(const ColumnEstimate& column, double rare_count,
                                    std::size_t most) {
  const ColumnPartition& counted = *column.cells;
  const std::size_t codes = counted.value_cells();
  std::vector<std::uint32_t> by_count(codes);
  std::iota(by_count.begin(), by_count.end(), 0U);
  std::stable_sort(by_count.begin(), by_count.end(), [&](std::uint32_t a, std::uint32_t b) {
    return column.counts[a] > column.counts[b];
  });
  std::vector<std::uint32_t> rare;
  for (std::size_t rank = 0; rank < codes; ++rank) {
    const std::uint32_t code = by_count[rank];
    const bool is_rare = codes > kMaxUngrouped && column.counts[code] < rare_count;
    const bool is_beyond = codes > most && rank + 1 >= most;
    if (is_rare || is_beyond) {
      rare.push_back(code);
    }
  }
  if (rare.size() < 2) {
    rare.clear();
  }
  std::sort(rare.begin(), rare.end());
  return ColumnPartition::grouped(counted.column(), std::move(rare));
}

double bytes_of_pairs(std::span<const ColumnPair> pairs,
                      std::span<const std::shared_ptr<const ColumnPartition>> cells) {
  double sum = 0.0;
  for (const auto& [first, second] : pairs) {
    sum += static_cast<double>(cells[first]->size()) * static_cast<double>(cells[second]->size());
  }
  return sum * static_cast<double>(kBytesPerJointCell);
}

}  // namespace

std::vector<std::shared_ptr<const ColumnPartition>> choose_joint_cells(
    std::span<const ColumnEstimate> columns, std::span<const ColumnPair> pairs, double rows,
    double rare_count, std::size_t max_bytes) {
  std::vector<std::shared_ptr<const ColumnPartition>> cells;
  for (std::size_t most = kMostCells; most >= 2; most /= 2) {
    cells.clear();
    for (const ColumnEstimate& column : columns) {
      cells.push_back(std::make_shared<const ColumnPartition>(
          column.values ? cells_of_numbers(column, rows, most)
                        : cells_of_categories(column, rare_count, most)));
    }
    if (bytes_of_pairs(pairs, cells) <= static_cast<double>(max_bytes)) {
      break;
    }
  }
  return cells;  // require_joint_memory() has seen to it that the fewest fit
}

void require_joint_memory(const Encoder& encoder, std::size_t max_bytes) {
  const std::size_t columns = encoder.columns().size();
  constexpr std::size_t kFewest = 9;  // two cells and one for missing values, of both columns
  const std::size_t bytes = columns * (columns - 1) / 2 * kFewest * kBytesPerJointCell;
  if (bytes > max_bytes) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("counts of all pairs of {} columns take {:.4g} MB, more than the memory "
                    "limit of {:.4g} MB; raise the limit with option 'memory', or ignore columns "
                    "in the schema",
                    columns, static_cast<double>(bytes) / 1e6,
                    static_cast<double>(max_bytes) / 1e6));
  }
}

}  // namespace mehler
