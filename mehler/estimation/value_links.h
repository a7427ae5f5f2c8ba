#pragma once

#include <cstddef>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "mehler/core/seeded_random.h"
#include "mehler/estimation/marginal_estimates.h"

namespace mehler {

/// How the values of two columns of numbers go together within the cells that they were counted in.
///
/// Counts of pairs say which cells go together; within cells values would be independent, and a
/// correlation of 1 would come back as one of cells. But neighbouring cells tell how the one column
/// moves with the other: on a common scale z (the logit of a column's distribution function) the
/// second column has, given the first, a mean that is interpolated between the cells' means, and a
/// variance that is what the mean's slope within a cell leaves unexplained. Immutable and
/// thread-safe.
class ValueLink {
 public:
  /// `counts` of the pair, the second column running fastest; those below 0 are taken for 0.
  /// `first` and `second`: the cells of both; `first_counts` and `second_counts`: their own counts.
  ValueLink(const ColumnPartition& first, std::span<const double> first_counts,
            const ColumnPartition& second, std::span<const double> second_counts,
            std::span<const double> counts);

  /// The share of the second column's variance that the cells of the first explain, in [0, 1].
  double explained() const { return explained_; }

  /// Where a record's value lies, given the cell of the first column and the share of that cell
  /// below it: a share in [0, 1) of the part of the second column's cell between two shares of it.
  /// Cells are cells of values.
  double draw_share(std::size_t first_cell, double first_share, std::size_t second_cell,
                    double low_share, double high_share, SeededRandom& random) const;

 private:
  double mean_at(std::size_t cell, double place) const;

  /// Of each cell of values, where it ends in the distribution function, between 0 and 1.
  std::vector<double> first_ends_;
  std::vector<double> second_ends_;
  // Per cell of the first column.
  std::vector<double> places_;  ///< its mean place z
  std::vector<double> means_;   ///< of the second column's z given the cell
  std::vector<double> slopes_;
  std::vector<double> scales_;  ///< of the second column's z given the first's
  double explained_ = 0.0;
};

/// For each column, the one that its values follow, if any: a forest, so that columns can be drawn
/// one after the other.
struct ValueLinks {
  struct Follower {
    std::size_t column = 0;  ///< that it follows
    ValueLink link;
  };

  ValueLinks() = default;
  /// No column follows another.
  explicit ValueLinks(std::size_t columns) : of_column(columns), order(columns) {
    std::iota(order.begin(), order.end(), std::size_t{0});
  }

  std::vector<std::optional<Follower>> of_column;
  std::vector<std::size_t> order;  ///< all columns, each after the one that it follows
};

/// Links numbers by the strongest of the measured pairs first. `cells` are those of joint tables,
/// `tables` the estimates of pairs and triples, of which the latter are not used.
ValueLinks link_values(std::span<const ColumnEstimate> columns,
                       std::span<const std::shared_ptr<const ColumnPartition>> cells,
                       std::span<const MarginalEstimate> tables);

}  // namespace mehler
