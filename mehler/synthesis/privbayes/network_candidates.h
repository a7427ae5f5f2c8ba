#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "mehler/counts/column_partition.h"

namespace mehler {

/// A column and the ones that it could be counted together with.
struct NetworkCandidate {
  std::size_t column = 0;
  std::vector<std::size_t> parents;  ///< ascending

  bool operator==(const NetworkCandidate&) const = default;
  auto operator<=>(const NetworkCandidate&) const = default;
};

/// Candidates of one choice, at most.
inline constexpr std::size_t kMostCandidates = 200'000;

/// At least as many as any choice in a network of so many columns has candidates: for each column
/// that is left, all sets of up to `parents` known ones, or, where sets may not contain another,
/// as many as there can be of these. Known from public numbers, before anything is measured.
double candidates_at_most(std::size_t columns, std::size_t parents, bool only_largest);

/// What sets of parents may be. All of it is public.
struct ParentLimits {
  std::size_t most_parents = 3;
  double most_cells = 20'000.0;  ///< of the column and its parents together
  /// Only sets that no column can be added to.
  bool only_largest = false;
};

/// The sets of parents among `known` that a column may have, in a fixed order; none but the empty
/// one where no other is allowed.
std::vector<NetworkCandidate> candidates_of(
    std::size_t column, std::span<const std::size_t> known,
    std::span<const std::shared_ptr<const ColumnPartition>> cells, const ParentLimits& limits);

}  // namespace mehler
