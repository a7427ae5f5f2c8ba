#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mehler/core/seeded_random.h"
#include "mehler/encoding/encoded_batch.h"
#include "mehler/estimation/coded_rows.h"
#include "mehler/estimation/finer_forest.h"
#include "mehler/estimation/marginal_estimates.h"
#include "mehler/estimation/value_links.h"
#include "mehler/generator/sample_conditions.h"

namespace mehler {

/// Turns cells back into values. Joint cells are first made finer, where pairs were looked at in
/// finer cells; within one, values are drawn as the column's own estimate has them. Immutable and
/// thread-safe.
class CellDecoder {
 public:
  /// What one cell is made of: parts of ranges of leaves, and the probability of all up to each.
  struct Cell {
    /// From `from` to `to` leaves after the leaf `first`.
    struct Part {
      std::uint32_t first = 0;
      double from = 0.0;
      double to = 0.0;
      bool is_frequent = false;  ///< a leaf that stands out among its neighbours

      /// Records that were found in such a leaf have one value.
      bool is_one_value() const { return is_frequent && from == 0.0 && to == 1.0; }
    };
    std::vector<Part> parts;
    std::vector<double> cumulative;
    double records = 0.0;  ///< by the column's own estimate
    /// The shares of its joint cell that lie below its beginning and its end.
    double low = 0.0;
    double high = 1.0;

    /// In leaves.
    double width() const;
  };

  /// A column whose values are held to a condition.
  struct Restriction {
    ColumnCondition condition;
    /// What is left of each finer cell; nothing where no value is allowed.
    std::vector<Cell> cells;
    std::vector<double> weights;  ///< records of each finer cell, as far as they are allowed
    std::vector<double> shares;   ///< of each joint cell's records, those that are; not all 0
  };

  /// `forest` has the cells that codes stand for, and finer ones. `links`: which columns' values go
  /// together within cells.
  CellDecoder(std::span<const ColumnEstimate> columns, FinerForest forest, ValueLinks links);

  /// What a condition leaves of its column's cells. Where the estimate has no records at all among
  /// the allowed values, all of them are alike.
  Restriction restrict(const ColumnCondition& condition) const;

  /// Whether some rows meet the restrictions better than their joint cells by themselves say: a
  /// restricted column is left in part, and was looked at in finer cells together with another.
  bool tells_rows_apart(std::span<const Restriction> restrictions) const;
  /// For each row, how much more likely it meets the restrictions than its joint cells by
  /// themselves say.
  std::vector<double> likelihoods(const CodedRows& rows,
                                  std::span<const Restriction> restrictions) const;

  /// Encoded records of rows [first, first + count). Columns with a restriction, at most one each,
  /// get allowed values; their rows are in cells that have some. Images are black: cells tell
  /// nothing of them.
  EncodedBatch decode(const CodedRows& rows, std::size_t first, std::size_t count,
                      SeededRandom& random, std::span<const Restriction> restrictions = {}) const;

 private:
  struct Decoded {
    std::uint32_t leaf = 0;
    double fraction = 0.0;  ///< within the leaf
    bool is_one_value = false;
  };

  /// The rows [first, first + count) that are decoded, and what is known of them so far.
  struct Batch {
    const CodedRows& rows;
    std::size_t first;
    std::size_t count;
    std::vector<std::uint32_t> finer;  ///< [count][columns]: cells
    /// Per column that others follow, and row: the share of its joint cell below which the value
    /// lies.
    std::vector<std::vector<double>> shares;
  };

  /// The value below which a share `quantile` of the cell lies.
  static Decoded at_quantile(const Cell& cell, double quantile);
  /// The share of a cell below a value.
  static double share_below(const Cell& cell, const Decoded& value);
  /// Records of the finer cells of all columns, as far as they are allowed.
  std::vector<const std::vector<double>*> weights_under(
      std::span<const Restriction> restrictions) const;
  /// Draws the finer cells of all rows.
  void make_finer(Batch& batch, std::span<const Restriction> restrictions,
                  SeededRandom& random) const;
  /// Of rows in one finer cell, what each draws by the column that this one follows: shares of it.
  /// Empty if it follows none, or the cell is that of missing values.
  std::vector<double> followed_shares(std::size_t column, std::size_t cell,
                                      std::span<const std::uint32_t> members, const Batch& batch,
                                      SeededRandom& random) const;
  void decode_column(std::size_t column, const std::vector<Cell>& cells, Batch& batch,
                     SeededRandom& random, EncodedColumn& out) const;
  /// What is left of a cell, and its share of the cell's records or, if not by_records, values.
  static Cell cut(const Cell& cell, const std::vector<Interval>& allowed, bool by_records,
                  double& share);
  /// The allowed values as ranges of positions, in leaves from the first one's beginning.
  std::vector<Interval> allowed_positions(const ColumnCondition& condition) const;

  /// Records of each finer cell of a column; if a joint cell has none, its values are alike.
  std::vector<double> records_of(std::size_t column) const;
  /// Sets where finer cells lie in their joint ones.
  void place_in_joint_cells(std::size_t column);

  FinerForest forest_;
  std::vector<ValueGrid> leaves_;
  std::vector<std::vector<Cell>> cells_;      ///< per column, finer ones
  std::vector<std::vector<double>> weights_;  ///< of these
  ValueLinks links_;
  std::vector<bool> is_followed_;  ///< per column
};

}  // namespace mehler
