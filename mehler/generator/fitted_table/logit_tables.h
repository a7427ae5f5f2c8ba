#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mehler/estimation/clique_targets.h"
#include "mehler/simd/row_moves.h"

namespace mehler {

/// Force tables of the cliques that have a weight: the memory behind a LogitView.
///
/// Every pair is kept twice: for each code of the one column the forces on all codes of the other,
/// beside those on the column's other partners. Columns of few codes share blocks of 16 floats, so
/// the forces of one code are a handful of vectors.
class LogitTables {
 public:
  /// All forces are 0, except that nothing moves into forbidden cells, now or after set().
  /// weights: one per clique; cliques without weight and forbidden cells get no memory, unless
  /// `fixed` names them: those have forces that do not depend on the rows. Of the targets only
  /// sizes, columns and forbidden cells are read.
  explicit LogitTables(const CliqueTargets& targets, std::vector<double> weights,
                       std::vector<bool> fixed = {});
  LogitTables(LogitTables&&) = default;
  LogitTables& operator=(LogitTables&&) = default;

  const LogitView& view() const { return view_; }
  double weight(std::size_t clique) const { return weights_[clique]; }

  /// Whether the clique has forces.
  bool has(std::size_t clique) const { return has_[clique]; }

  /// Sets the forces of a clique that has some, cells in the order of its target.
  void set(std::size_t clique, std::span<const double> forces);
  /// What they are now; zeros for a clique that has none.
  void get(std::size_t clique, std::span<double> forces) const;
  /// No row moves to this code from now on. To be called after set() of the column's 1-way.
  void forbid(std::size_t column, std::size_t code);
  /// Adds to the potential of a code. To be called after set() of the column's 1-way, too.
  void favour(std::size_t column, std::size_t code, double potential);

  /// Potentials of the codes of a column for a row, in double: singles, pairs and triples.
  void logits(std::span<const std::uint16_t> row, std::size_t column,
              std::vector<double>& result) const;

  /// Bytes that the tables take.
  static std::size_t bytes(const CliqueTargets& targets, std::span<const double> weights);

 private:
  /// Gives columns their lanes among the logits.
  void place_columns();
  /// Says what their force rows hold.
  void lay_out();
  void find_tiles(std::size_t c);
  /// Floats of all tables.
  std::size_t floats() const;
  void allocate();
  std::size_t cells(std::size_t clique) const;
  /// visit(cell of the target, float of a table) for one oriented copy, or for all.
  template <class Visit>
  void visit_cells(std::size_t clique, bool all_copies, const Visit& visit) const;

  struct WithoutMemory {};
  LogitTables(const CliqueTargets& targets, std::vector<double> weights, std::vector<bool> fixed,
              WithoutMemory);

  std::vector<std::size_t> sizes_;                 ///< codes of each column
  std::vector<std::vector<std::size_t>> cliques_;  ///< columns of each clique
  std::vector<double> weights_;
  std::vector<bool> has_;
  std::vector<std::vector<bool>> forbidden_;  ///< of each clique: empty, or for each cell
  std::vector<std::size_t> order_;            ///< of each column, its place in the view
  std::vector<std::size_t> first_triple_;     ///< of each clique, its first triple in the view
  std::vector<std::uint32_t> places_;  ///< view columns squared: lanes of partners in force rows
  std::vector<float> memory_;
  LogitView view_;
};

}  // namespace mehler
