// Simulated tables of codes, for tests and benchmarks.

#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mehler/core/seeded_random.h"
#include "mehler/estimation/clique_targets.h"

namespace mehler {

/// Rows of dependent codes: a hidden number moves every column.
inline CodedRows dependent_rows(std::size_t rows, const std::vector<std::size_t>& sizes,
                                std::uint64_t seed) {
  SeededRandom random(seed);
  CodedRows table(rows, sizes.size());
  for (std::size_t r = 0; r < rows; ++r) {
    const double hidden = random.normal();
    for (std::size_t c = 0; c < sizes.size(); ++c) {
      const double place = 0.5 + 0.2 * hidden + 0.15 * random.normal();
      const double code = std::floor(place * static_cast<double>(sizes[c]));
      table.row(r)[c] = static_cast<std::uint16_t>(
          std::min(std::max(code, 0.0), static_cast<double>(sizes[c] - 1)));
    }
  }
  return table;
}

/// Cliques of the 1-ways, with weight 1, and of all pairs; without counts.
inline CliqueTargets all_pairs(const std::vector<std::size_t>& sizes, std::size_t rows,
                               double pair_weight) {
  CliqueTargets targets;
  targets.sizes = sizes;
  targets.rows = rows;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    targets.cliques.push_back({{i}, 1.0, {}});
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    for (std::size_t j = i + 1; j < sizes.size(); ++j) {
      targets.cliques.push_back({{i, j}, pair_weight, {}});
    }
  }
  for (std::size_t k = 0; k < targets.cliques.size(); ++k) {
    targets.cliques[k].target.assign(targets.cells(k), 0.0);
  }
  return targets;
}

/// The counts of a table as targets.
inline CliqueTargets targets_of(const CodedRows& table, const std::vector<std::size_t>& sizes,
                                double pair_weight) {
  CliqueTargets targets = all_pairs(sizes, table.rows, pair_weight);
  CliqueValues counts = zero_values(targets);
  add_counts(targets, table, 0, table.rows, 1.0, counts);
  for (std::size_t k = 0; k < counts.size(); ++k) {
    targets.cliques[k].target = counts[k];
  }
  return targets;
}

/// Mean over the cliques of half the L1 distance between shares of two tables.
inline double mean_distance(const CliqueTargets& shape, const CodedRows& a, const CodedRows& b) {
  CliqueValues difference = zero_values(shape);
  add_counts(shape, a, 0, a.rows, 1.0 / static_cast<double>(a.rows), difference);
  add_counts(shape, b, 0, b.rows, -1.0 / static_cast<double>(b.rows), difference);
  double sum = 0.0;
  for (const std::vector<double>& cells : difference) {
    for (const double cell : cells) {
      sum += 0.5 * std::abs(cell);
    }
  }
  return sum / static_cast<double>(difference.size());
}

/// Whether every code is one of its column's.
inline bool codes_fit(const CodedRows& rows, const std::vector<std::size_t>& sizes) {
  for (std::size_t i = 0; i < rows.codes.size(); ++i) {
    if (rows.codes[i] >= sizes[i % sizes.size()]) {
      return false;
    }
  }
  return rows.codes.size() == rows.rows * sizes.size();
}

}  // namespace mehler
