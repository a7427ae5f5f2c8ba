#pragma once

#include <cstdint>
#include <vector>

#include "mehler/core/seeded_random.h"
#include "mehler/estimation/clique_targets.h"
#include "mehler/generator/fitted_table/logit_tables.h"

namespace mehler {

/// Rows that move under the forces of their own counts: a Markov chain over tables.
class TableChain {
 public:
  /// The chain of `rows` has the targets times `factor`, and weights / factor. Only rows that the
  /// chain holds are counted. `targets` must outlive the chain.
  TableChain(const CliqueTargets& targets, std::vector<double> weights, double factor,
             CodedRows rows);

  const CodedRows& rows() const { return rows_; }
  CodedRows take_rows() { return std::move(rows_); }

  /// Counts the rows anew and sets the forces toward goals times `factor`.
  void set_forces(const CliqueValues& goals, double factor);
  /// The same, toward the chain's share of the targets.
  void set_forces();

  /// Moves every row once, in random order.
  void sweep(double temperature, std::uint64_t seed);

  /// Sum of weight / 2 (count - target)^2.
  double energy() const;

 private:
  void set_force(std::size_t clique, const std::vector<double>& goal, double factor,
                 const std::vector<double>& counts);

  const CliqueTargets& targets_;
  double factor_;
  CodedRows rows_;
  LogitTables tables_;
  std::vector<std::uint64_t> changes_;
};

/// A whole number in [0, bound).
std::size_t uniform_below(SeededRandom& random, std::size_t bound);

/// 0, .. count - 1 in random order.
std::vector<std::uint32_t> random_order(std::size_t count, std::uint64_t seed);

/// `count` of the rows, chosen at random, in random order.
CodedRows some_rows(const CodedRows& rows, std::size_t count, std::uint64_t seed);

/// rows, followed by more of as many columns.
void append_rows(const CodedRows& more, CodedRows& rows);

/// Rows whose columns have the 1-way targets, rounded, each in an order of its own.
CodedRows independent_rows(const CliqueTargets& targets, std::size_t rows, std::uint64_t seed);

}  // namespace mehler
