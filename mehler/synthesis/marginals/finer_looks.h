#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "mehler/estimation/finer_tables.h"
#include "mehler/measurement/measurement_rounds.h"
#include "mehler/synthesis/marginals/joint_cells.h"

namespace mehler {

/// Measures the pairs that tell most of one another once more, in finer cells.
///
/// Cells of pairs are as coarse as an ordinary dependence needs. Where two columns determine one
/// another few of their cells are filled, and these stand out of the noise in far finer tables. A
/// pair with information I (nats) gets up to n e^I / (3 sigma) cells: then its filled cells have
/// about three times the noise. The pairs that are looked at form a forest, the strongest first; a
/// pair is left alone unless its table becomes four times as large, or twice if only one of its
/// columns can be divided. What a look finds decides on the next, at most three.
///
/// Each look has its own small share of what is left of the budget; one without pairs costs
/// nothing. All choices follow from what has been released.
class FinerLooks {
 public:
  /// `pairs`: the estimates of joint tables, in `cells`; all must outlive it. `max_cells`: of the
  /// tables of one look.
  FinerLooks(const Encoder& encoder, std::span<const ColumnEstimate> columns,
             std::span<const std::shared_ptr<const ColumnPartition>> cells,
             std::span<const MarginalEstimate> pairs, std::size_t max_cells,
             MeasurementRounds& rounds);

  void measure(const Context& context);

 private:
  struct Pair {
    const MarginalEstimate* estimate = nullptr;
    double information = 0.0;
    std::shared_ptr<const ColumnPartition> first_cells;
    std::shared_ptr<const ColumnPartition> second_cells;

    double cells() const {
      return static_cast<double>(first_cells->size()) * static_cast<double>(second_cells->size());
    }
  };

  bool is_divisible(std::size_t column, const ColumnPartition& cells) const;
  /// The cells that the noise allows a pair; 0 if they are not worth a look.
  double cells_worth(const Pair& pair, double sigma) const;
  /// Divides a pair's columns into at most so many cells together. False if that changes little.
  bool divide(Pair& pair, double cells) const;
  /// False if there is nothing to look at.
  bool look(int number, double mu_squared, const Context& context);

  const Encoder& encoder_;
  std::span<const ColumnEstimate> columns_;
  std::span<const std::shared_ptr<const ColumnPartition>> cells_;
  std::size_t max_cells_;
  MeasurementRounds& rounds_;
  std::vector<Pair> pairs_;  ///< a forest
};

}  // namespace mehler
