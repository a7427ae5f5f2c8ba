#include "mehler/estimation/value_tree.h"

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"

namespace mehler {
namespace {

constexpr double kUnevenSigmas = 3.0;  ///< the density is even unless a difference says otherwise,
constexpr double kFilledSigmas = 2.0;  ///< and a half is empty

/// Of a range of `count` records, how many more the first half has: `even` at equal density.
///
/// A half that noise alone may have filled is empty: wide bounds are halved many times on the way
/// to the values, and each time a few records far away would move means more than all others.
double estimate_difference(double measured, double even, double count, double sigma) {
  if (std::fabs(measured - even) <= kUnevenSigmas * sigma) {
    return even;
  }
  return std::fabs(measured) > count - kFilledSigmas * sigma ? std::copysign(count, measured)
                                                             : measured;
}

}  // namespace

ValueTree::ValueTree(const ColumnPartition& cells, std::span<const double> counts)
    : leaves_(cells.leaves()) {
  MEHLER_ASSERT(counts.size() == cells.size());
  for (std::size_t cell = 0; cell < cells.value_cells(); ++cell) {
    const auto [first, second] = cells.range(cell);
    pieces_.push_back({first, second, std::max(counts[cell], 0.0)});
  }
}

std::size_t ValueTree::levels(const ColumnPartition& cells) {
  std::uint32_t widest = 1;
  for (std::size_t cell = 0; cell < cells.value_cells(); ++cell) {
    const auto [first, second] = cells.range(cell);
    widest = std::max(widest, second - first);
  }
  std::size_t levels = 0;
  while (levels < kMaxLevels && widest > 1) {
    widest = (widest + 1) / 2;
    ++levels;
  }
  return levels;
}

double ValueTree::width(std::uint32_t first, std::uint32_t second) const {
  return leaves_.is_even() ? static_cast<double>(second - first)
                           : leaves_.position(second) - leaves_.position(first);
}

RangeHalves ValueTree::next_splits(double sigma) const {
  RangeHalves result{leaves_, {}};
  for (const Piece& piece : pieces_) {
    if (piece.second - piece.first >= 2 && piece.count > 2.0 * sigma) {
      result.ranges.emplace_back(piece.first, piece.second);
    }
  }
  return result;
}

void ValueTree::split(const RangeHalves& splits, std::span<const double> differences,
                      double sigma) {
  MEHLER_ASSERT(differences.size() == splits.ranges.size());
  std::vector<Piece> finer;
  finer.reserve(pieces_.size() + splits.ranges.size());
  std::size_t next = 0;
  for (const Piece& piece : pieces_) {
    if (next == splits.ranges.size() || splits.ranges[next].first != piece.first ||
        splits.ranges[next].second != piece.second) {
      finer.push_back(piece);
      continue;
    }
    const std::uint32_t middle = RangeHalves::middle(splits.ranges[next]);
    const double first = width(piece.first, middle);
    const double second = width(middle, piece.second);
    const double even = piece.count * (first - second) / (first + second);
    const double difference = estimate_difference(differences[next], even, piece.count, sigma);
    const double left = std::clamp(0.5 * (piece.count + difference), 0.0, piece.count);
    finer.push_back({piece.first, middle, left});
    finer.push_back({middle, piece.second, piece.count - left});
    ++next;
  }
  if (next != splits.ranges.size()) {
    throw Error(ErrorCode::kInvalidRelease,
                "the release halves ranges of numbers that it did not measure before");
  }
  pieces_ = std::move(finer);
}

std::vector<double> ValueTree::counts_of(std::span<const std::uint32_t> starts) const {
  std::vector<double> counts(starts.size(), 0.0);
  for (const Piece& piece : pieces_) {
    const double whole = width(piece.first, piece.second);
    auto range = static_cast<std::size_t>(
        std::upper_bound(starts.begin(), starts.end(), piece.first) - starts.begin() - 1);
    for (std::uint32_t first = piece.first; first < piece.second; ++range) {
      const std::uint32_t end =
          range + 1 < starts.size() ? std::min(starts[range + 1], piece.second) : piece.second;
      counts[range] += piece.count * width(first, end) / whole;
      first = end;
    }
  }
  return counts;
}

}  // namespace mehler
