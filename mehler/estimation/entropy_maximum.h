#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "mehler/estimation/marginal_estimates.h"

namespace mehler {

/// Expected three-way counts given the counts of pairs: those of maximum entropy.
class PairMeans {
 public:
  /// `pairs` are tables of two columns; `counts` are the columns' own, in the same cells.
  PairMeans(std::span<const MarginalEstimate> pairs, std::vector<std::vector<double>> counts,
            double rows);

  /// The counts of three columns, ascending, with the largest entropy among those whose pairs have
  /// the posterior means of the measured ones; columns of a pair without a table are independent.
  /// The last column runs fastest. By iterative proportional fitting.
  std::vector<double> expect(std::span<const std::size_t> triple) const;

 private:
  std::vector<double> mean_of(std::size_t first, std::size_t second) const;

  std::vector<std::vector<double>> counts_;
  double rows_;
  std::map<std::pair<std::size_t, std::size_t>, std::vector<double>> means_;
};

}  // namespace mehler
