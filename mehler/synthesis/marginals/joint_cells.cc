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
/// Numbers keep at least so many parts, and categories so many of the most frequent: a rare but
/// telling value would disappear.
constexpr std::size_t kFewestParts = 4;
constexpr std::size_t kFrequentCategories = 3;
constexpr double kManyRareSigmas = 2.0;  ///< of a column with many categories

/// A table of two columns with K cells each has n / K^2 records a cell: this many times the noise
/// is what a dependence of ordinary strength needs to be seen.
constexpr double kRecordsOverNoise = 16.0;
/// The most parts of equal mass. Values go together within cells too (value_links.h), so more would
/// cost the fit more than they tell.
constexpr double kMostParts = 16.0;
constexpr double kHeavyPart = 1.5;         ///< a range with so many times a part is divided,
constexpr double kHeavyRange = 0.75;       ///< or one with this share of all records
constexpr double kLightPart = 1.0 / 16.0;  ///< ranges with less than this of a part are joined

/// Begins parts of about `part` records in a range, besides the range itself; frequent values are
/// alone.
void divide_range(const ValueTree& values, std::uint32_t first, std::uint32_t second, double part,
                  std::vector<std::uint32_t>& starts) {
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
    const std::uint32_t width = piece.second - piece.first;
    if (width == 1 && piece.count >= 0.5 * part) {
      cut(piece.first);
      cut(piece.second);
      continue;
    }
    // Of a piece that holds several parts, records lie evenly over the values.
    const double per_leaf = piece.count / static_cast<double>(width);
    std::uint32_t from = piece.first;
    while (in_part + per_leaf * static_cast<double>(piece.second - from) >= part) {
      const double leaves = std::max(1.0, std::round((part - in_part) / per_leaf));
      if (leaves >= static_cast<double>(piece.second - from)) {
        break;
      }
      from += static_cast<std::uint32_t>(leaves);
      cut(from);
      in_part = 0.0;
    }
    in_part += per_leaf * static_cast<double>(piece.second - from);
    if (in_part >= part) {
      cut(piece.second);
    }
  }
}

/// Joins parts of a number, the smallest with the smaller of its neighbours, until they are at most
/// `most` and each has `least` records, but not below kFewestParts unless one is empty: of that
/// a table of pairs would hold nothing but noise.
void join_parts(std::size_t most, double least, std::vector<std::uint32_t>& starts,
                std::vector<double>& counts) {
  while (starts.size() > 1) {
    const auto smallest = std::min_element(counts.begin(), counts.end());
    const bool is_large = *smallest > 0.0 && (starts.size() <= kFewestParts || *smallest >= least);
    if (starts.size() <= most && is_large) {
      return;
    }
    const auto i = static_cast<std::size_t>(smallest - counts.begin());
    const bool with_next = i == 0 || (i + 1 < counts.size() && counts[i + 1] < counts[i - 1]);
    const std::size_t second = with_next ? i + 1 : i;  // joins the part before it
    counts[second - 1] += counts[second];
    counts.erase(counts.begin() + static_cast<std::ptrdiff_t>(second));
    starts.erase(starts.begin() + static_cast<std::ptrdiff_t>(second));
  }
}

/// Divides the ranges that begin at `starts` and have more than `heavy` records into parts.
std::vector<std::uint32_t> divide_heavy(const ColumnEstimate& column,
                                        std::span<const std::uint32_t> starts,
                                        std::span<const double> counts, double heavy, double part) {
  const auto leaves = static_cast<std::uint32_t>(column.cells->leaves().value_leaves());
  std::vector<std::uint32_t> finer;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    finer.push_back(starts[i]);
    if (counts[i] > heavy) {
      divide_range(*column.values, starts[i], i + 1 < starts.size() ? starts[i + 1] : leaves, part,
                   finer);
    }
  }
  return finer;
}

/// Joins parts without records with a neighbour, but none across one of `fixed`.
std::vector<std::uint32_t> without_empty(const ColumnEstimate& column,
                                         const std::vector<std::uint32_t>& starts,
                                         std::span<const std::uint32_t> fixed) {
  const std::vector<double> counts = column.values->counts_of(starts);
  std::vector<std::uint32_t> result;
  double before = 0.0;  // records since the last start that was kept
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const bool is_fixed = std::binary_search(fixed.begin(), fixed.end(), starts[i]);
    if (is_fixed || (before > 0.0 && counts[i] > 0.0)) {
      result.push_back(starts[i]);
      before = 0.0;
    }
    before += counts[i];
  }
  return result;
}

ColumnPartition cells_of_numbers(const ColumnEstimate& column, const JointCellLimits& limits,
                                 std::size_t most) {
  const ColumnPartition& counted = *column.cells;
  const double parts = std::sqrt(limits.rows / (kRecordsOverNoise * limits.sigma));
  std::vector<std::uint32_t> starts = counted.starts();
  std::vector<double> counts = column.values->counts_of(starts);
  join_parts(std::min(most, limits.most_ranges),
             std::max(limits.sigma, kLightPart * limits.rows / parts), starts, counts);
  const double part = std::max(limits.rows / std::min(parts, kMostParts), limits.sigma);
  const double heavy = std::min(kHeavyPart * part, kHeavyRange * limits.rows);
  std::vector<std::uint32_t> finer =
      divide_heavy(column, starts, counts, heavy, std::min(part, 0.5 * limits.rows));
  counts = column.values->counts_of(finer);
  join_parts(most, limits.sigma, finer, counts);
  return ColumnPartition::ranges(counted.column(), std::move(finer));
}

ColumnPartition cells_of_categories(const ColumnEstimate& column, const JointCellLimits& limits,
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
    const bool is_rare = codes > kMaxUngrouped
                             ? column.counts[code] < kManyRareSigmas * limits.sigma
                             : rank >= kFrequentCategories && column.counts[code] < limits.sigma;
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
    std::span<const ColumnEstimate> columns, std::span<const ColumnPair> pairs,
    const JointCellLimits& limits) {
  std::vector<std::shared_ptr<const ColumnPartition>> cells;
  for (std::size_t most = kMostCells; most >= 2; most /= 2) {
    cells.clear();
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const ColumnEstimate& column = columns[c];
      if (limits.apart == c) {
        cells.push_back(column.cells);
        continue;
      }
      cells.push_back(std::make_shared<const ColumnPartition>(
          column.values ? cells_of_numbers(column, limits, most)
                        : cells_of_categories(column, limits, most)));
    }
    if (bytes_of_pairs(pairs, cells) <= static_cast<double>(limits.max_bytes)) {
      break;
    }
  }
  return cells;  // require_joint_memory() has seen to it that the fewest fit
}

ColumnPartition divide_further(const ColumnEstimate& column, const ColumnPartition& cells,
                               std::size_t most) {
  constexpr double kFewer = 1.2;  // times as much in a part, until they are few enough
  const std::vector<double> counts = column.values->counts_of(cells.starts());
  const double all = std::accumulate(counts.begin(), counts.end(), 0.0);
  const std::size_t missing = cells.size() - cells.value_cells();
  for (double part = all / static_cast<double>(most); part > 0.0 && part < all; part *= kFewer) {
    std::vector<std::uint32_t> finer =
        without_empty(column, divide_heavy(column, cells.starts(), counts, kHeavyPart * part, part),
                      cells.starts());
    if (finer.size() + missing <= most) {
      return ColumnPartition::ranges(cells.column(), std::move(finer));
    }
  }
  return cells;
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
