#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mehler/generator/clique_targets.h"
#include "mehler/kernels/row_moves.h"

namespace mehler {

/// Force tables of the cliques that have a weight: the memory behind a ForceView.
///
/// Every pair is kept twice: for each code of the one column the forces on all codes of the other,
/// beside those on the column's other partners. Columns of few codes share blocks of 16 floats, so
/// the forces of one code are a handful of vectors.
class ForceTables {
 public:
  /// All forces are 0. weights: one per clique; cliques without weight get no memory. `targets`
  /// must outlive the tables; only its sizes and columns are read.
  ForceTables(const CliqueTargets& targets, std::vector<double> weights);
  ForceTables(ForceTables&&) = default;
  ForceTables& operator=(ForceTables&&) = default;

  const ForceView& view() const { return view_; }
  double weight(std::size_t clique) const { return weights_[clique]; }

  /// Sets the forces of a clique with weight, cells in the order of its target.
  void set(std::size_t clique, std::span<const double> forces);
  /// What they are now; zeros for a clique without weight.
  void get(std::size_t clique, std::span<double> forces) const;
  /// No row moves to this code from now on. To be called after set() of the column's 1-way.
  void forbid(std::size_t column, std::size_t code);

  /// Bytes that the tables take.
  static std::size_t bytes(const CliqueTargets& targets, std::span<const double> weights);

 private:
  /// Places columns among the logits and says which blocks their force rows have.
  void lay_out();
  void place_columns();
  void find_blocks(std::size_t c);
  /// Floats of all tables.
  std::size_t floats() const;
  void allocate();
  /// visit(cell of the target, float of a table) for one oriented copy, or for all.
  template <class Visit>
  void visit_cells(std::size_t clique, bool all_copies, const Visit& visit) const;

  struct WithoutMemory {};
  ForceTables(const CliqueTargets& targets, std::vector<double> weights, WithoutMemory);

  const CliqueTargets* targets_;
  std::vector<double> weights_;
  std::vector<std::size_t> order_;         ///< of each column, its place in the view
  std::vector<std::size_t> first_triple_;  ///< of each clique, its first triple in the view
  std::vector<std::uint32_t> places_;  ///< view columns squared: lanes of partners in force rows
  std::vector<float> memory_;
  ForceView view_;
};

}  // namespace mehler
