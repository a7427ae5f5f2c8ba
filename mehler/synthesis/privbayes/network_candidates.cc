#include "mehler/synthesis/privbayes/network_candidates.h"

#include <algorithm>

namespace mehler {
namespace {

/// Sets of parents, by adding columns in their order.
class ParentSets {
 public:
  ParentSets(std::size_t column, std::span<const std::size_t> known,
             std::span<const std::shared_ptr<const ColumnPartition>> cells,
             const ParentLimits& limits)
      : column_(column), known_(known.begin(), known.end()), cells_(cells), limits_(limits) {
    std::sort(known_.begin(), known_.end());
  }

  std::vector<NetworkCandidate> all() {
    extend(0, static_cast<double>(cells_[column_]->size()));
    if (found_.empty()) {
      found_.push_back({column_, {}});
    }
    return std::move(found_);
  }

 private:
  double size_with(double size, std::size_t column) const {
    return size * static_cast<double>(cells_[column]->size());
  }

  bool is_largest(double size) const {
    return parents_.size() == limits_.most_parents ||
           std::none_of(known_.begin(), known_.end(), [&](std::size_t other) {
             return !std::binary_search(parents_.begin(), parents_.end(), other) &&
                    size_with(size, other) <= limits_.most_cells;
           });
  }

  void extend(std::size_t next, double size) {
    if (!parents_.empty() && (!limits_.only_largest || is_largest(size))) {
      found_.push_back({column_, parents_});
    }
    if (parents_.size() == limits_.most_parents) {
      return;
    }
    for (std::size_t i = next; i < known_.size(); ++i) {
      if (size_with(size, known_[i]) <= limits_.most_cells) {
        parents_.push_back(known_[i]);
        extend(i + 1, size_with(size, known_[i]));
        parents_.pop_back();
      }
    }
  }

  std::size_t column_;
  std::vector<std::size_t> known_;
  std::span<const std::shared_ptr<const ColumnPartition>> cells_;
  const ParentLimits& limits_;
  std::vector<std::size_t> parents_;
  std::vector<NetworkCandidate> found_;
};

}  // namespace

double candidates_at_most(std::size_t columns, std::size_t parents, bool only_largest) {
  double most = 0.0;
  for (std::size_t known = 1; known < columns; ++known) {
    double sets_of_size = 1.0;
    double sets = only_largest ? 1.0 : 0.0;
    for (std::size_t size = 1; size <= std::min(parents, known); ++size) {
      sets_of_size *= static_cast<double>(known - size + 1) / static_cast<double>(size);
      // Of sets that do not contain one another there are at most as many as of one size.
      sets = only_largest ? std::max(sets, sets_of_size) : sets + sets_of_size;
    }
    most = std::max(most, static_cast<double>(columns - known) * sets);
  }
  return most;
}

std::vector<NetworkCandidate> candidates_of(
    std::size_t column, std::span<const std::size_t> known,
    std::span<const std::shared_ptr<const ColumnPartition>> cells, const ParentLimits& limits) {
  return ParentSets(column, known, cells, limits).all();
}

}  // namespace mehler
