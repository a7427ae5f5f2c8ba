#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mehler/core/seeded_random.h"
#include "mehler/estimation/finer_tables.h"

namespace mehler {

/// Which finer cells a record's values lie in, given its joint cells: a Markov forest of the pairs
/// that were looked at in finer cells.
///
/// Records keep their joint cells. The finer ones of a tree's columns are drawn together, exactly
/// from their distribution given all of these, so that numbers that determine one another do so
/// within cells too. Immutable and thread-safe.
class FinerForest {
 public:
  /// No pair was looked at: the finer cells are the joint ones.
  explicit FinerForest(std::span<const std::shared_ptr<const ColumnPartition>> joint_cells);

  /// Of tables that would close a circle, those that tell less are left out.
  FinerForest(std::span<const std::shared_ptr<const ColumnPartition>> joint_cells,
              std::vector<FinerTable> tables);

  /// Per column: its finest cells, which refine the joint ones.
  const std::vector<std::shared_ptr<const ColumnPartition>>& cells() const { return cells_; }
  /// The joint cell of a column that a finer one lies within.
  std::size_t joint_cell(std::size_t column, std::size_t finer) const {
    return joint_of_[column][finer];
  }

  /// Room for draw(), to be used again for the next record.
  using Scratch = std::vector<std::vector<double>>;

  /// The finer cells of a record, all columns, into `finer`. `joint` has its joint cells;
  /// `weights`, per column, how many records each finer cell has: in each joint cell of the record
  /// one that is above 0.
  void draw(std::span<const std::uint16_t> joint,
            std::span<const std::vector<double>* const> weights, SeededRandom& random,
            Scratch& scratch, std::span<std::uint32_t> finer) const;

  /// Whether a column was looked at together with another.
  bool has(std::size_t column) const;
  /// The logarithm of how many records have these joint cells in the columns of all trees, up to a
  /// constant: what a condition leaves of it says how likely such a record meets the condition.
  double log_weight(std::span<const std::uint16_t> joint,
                    std::span<const std::vector<double>* const> weights, Scratch& scratch) const;

 private:
  /// A column of a tree, with the table that joins it to the one before it.
  struct Node {
    std::size_t column = 0;
    std::size_t parent = kNone;  ///< a node before it
    std::size_t width = 0;       ///< of the table
    /// [parent's cells][own cells]: how much more often they go together than by chance.
    std::vector<double> ratios;
    std::vector<std::uint32_t> parent_place;  ///< of each finer cell of the parent, in the table
    std::vector<std::uint32_t> place;         ///< of each own finer cell

    double ratio(std::size_t parent_cell, std::size_t cell) const {
      return ratios[parent_place[parent_cell] * width + place[cell]];
    }
  };
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  /// Of each node and cell, the weight of all that hangs below it, into `below`; returns the
  /// logarithm of what they were divided by.
  double gather(std::span<const std::uint16_t> joint,
                std::span<const std::vector<double>* const> weights, Scratch& below) const;
  std::uint32_t first_cell(std::size_t node, std::span<const std::uint16_t> joint) const {
    return first_of_joint_[nodes_[node].column][joint[nodes_[node].column]];
  }
  void grow(const std::vector<FinerTable>& tables, std::size_t root, std::vector<bool>& reached);
  Node make_node(const FinerTable& table, bool turned, std::size_t parent) const;

  std::vector<std::shared_ptr<const ColumnPartition>> cells_;
  std::vector<std::vector<std::size_t>> joint_of_;          ///< per column and finer cell
  std::vector<std::vector<std::uint32_t>> first_of_joint_;  ///< and where the next one begins
  std::vector<Node> nodes_;                                 ///< each after its parent
};

}  // namespace mehler
