#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mehler/estimation/coded_rows.h"

namespace mehler {

/// What the counts of one, two or three columns of a table should be, and how much that matters.
struct CliqueTarget {
  std::vector<std::size_t> columns;  ///< 1 to 3, ascending
  double weight = 0.0;               ///< at least 0; an error of one count costs weight / 2
  std::vector<double> target;        ///< counts, row-major, last column fastest; may be negative
  std::vector<bool> forbidden = {};  ///< cells that no row may be in; empty if there are none
  /// Of a pair of ordered columns: the scores of their cells (rank_moments.h), and how much the sum
  /// of their products over all records matters besides; an error of 1 costs moment_weight / 2.
  std::vector<double> first_scores = {};
  std::vector<double> second_scores = {};
  double moment_weight = 0.0;

  /// The sum of products of scores over records with these counts.
  double moment(const std::vector<double>& counts) const;
};

/// Everything a table of codes is fitted to.
struct CliqueTargets {
  std::vector<std::size_t> sizes;     ///< codes of each column, 1 to 65536
  std::size_t rows = 0;               ///< of the table that the targets count
  std::vector<CliqueTarget> cliques;  ///< the 1-ways of all columns in order; pairs; triples

  /// Throws Error(kInvalidArgument) unless everything above holds, every weight and target is
  /// finite, and no clique is named twice.
  void validate() const;

  /// The cells of a clique.
  std::size_t cells(std::size_t clique) const;
};

/// A number for each cell of each clique, in the order of CliqueTargets.
using CliqueValues = std::vector<std::vector<double>>;

/// The weights of all cliques.
std::vector<double> weights_of(const CliqueTargets& targets);

/// The targets of a table with another number of rows but the same distribution: with f the ratio
/// of rows, counts times f and weights / f.
CliqueTargets scaled_targets(CliqueTargets targets, std::size_t rows);

/// 0 for every cell of every clique.
CliqueValues zero_values(const CliqueTargets& targets);

/// values times a factor.
CliqueValues times(CliqueValues values, double factor);

/// sum += values.
void add_to(const CliqueValues& values, CliqueValues& sum);

/// Adds the counts of rows [first, first + count), each times `factor`. Linear in rows x cliques.
void add_counts(const CliqueTargets& targets, const CodedRows& rows, std::size_t first,
                std::size_t count, double factor, CliqueValues& counts);

}  // namespace mehler
