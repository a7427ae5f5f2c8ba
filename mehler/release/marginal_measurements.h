#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "mehler/counts/count_block.h"
#include "mehler/encoding/encoder.h"
#include "mehler/release/payload.h"

namespace mehler {

/// Noisy contrasts of a table of counts, measured once or several times.
struct MeasuredMarginal {
  std::vector<std::size_t> columns;  ///< of the encoder, ascending
  std::vector<std::shared_ptr<const ColumnPartition>> cells;
  /// 1 / variance of each orthonormal contrast; measurements of one table are averaged by it.
  double precision = 0.0;
  /// The contrasts as a table of counts whose totals over each column are 0, the last column
  /// running fastest.
  std::vector<double> deviations;

  std::vector<std::size_t> shape() const;
  /// Variance of the noise of one cell: prod (1 - 1/d) / precision.
  double cell_variance() const;
};

/// Noisy differences between halves of ranges of a number.
struct MeasuredSplits {
  std::size_t column = 0;
  std::shared_ptr<const RangeHalves> splits;
  std::vector<double> differences;
  double sigma = 0.0;  ///< standard deviation of each
};

/// What a release says of counts: of all records, of each column, of pairs and triples of columns.
class MarginalMeasurements {
 public:
  explicit MarginalMeasurements(const Encoder& encoder);
  /// Everything in a release. Throws Error(kInvalidRelease) if it is not of counts, lacks a column,
  /// or measures a pair in two ways.
  explicit MarginalMeasurements(const Release& release);

  /// Adds a block. Triples and finer looks come after the pairs of their columns.
  void add(const CountBlock& block, const NoisyBlock& noisy, double sigma);
  /// Sets the number of records where it is public.
  void set_public_rows(double rows);

  /// The number of records, as far as it is known; at least 1.
  double rows() const { return rows_ < 1.0 ? 1.0 : rows_; }
  /// Per column of the encoder; without deviations where a column has a single cell.
  const std::vector<MeasuredMarginal>& one_ways() const { return one_ways_; }
  /// Tables of two or three columns, in the order in which they were first measured.
  const std::vector<MeasuredMarginal>& joint_tables() const { return joint_tables_; }
  /// Tables of three columns in coarser cells than those of their pairs.
  const std::vector<MeasuredMarginal>& scouts() const { return scouts_; }
  /// Tables of two columns in finer cells than those of other pairs, in the order of measuring: of
  /// two with the same columns, the later is the finer.
  const std::vector<MeasuredMarginal>& finer_looks() const { return finer_looks_; }
  /// Per column of the encoder: its cells in joint tables; nothing where it is in none. Throws
  /// Error(kInvalidRelease) if tables have different ones.
  std::vector<std::shared_ptr<const ColumnPartition>> joint_cells() const;
  /// In the order of measuring: wide ranges come before their halves.
  const std::vector<MeasuredSplits>& splits() const { return splits_; }

 private:
  void add_column(MeasuredMarginal table, const std::string& block);
  /// Of counts of cells: the contrasts of all sets of up to three of the columns. These are
  /// orthogonal, so that their noise is independent.
  void add_cells(const CellCounts& cells, const NoisyBlock& noisy, double sigma,
                 const std::string& block);
  void add_joint(MeasuredMarginal table, const std::string& block);
  /// Whether a table of three columns is in other cells than their pairs.
  bool is_scout(const MeasuredMarginal& table) const;

  double rows_ = 0.0;
  std::vector<MeasuredMarginal> one_ways_;
  std::vector<MeasuredMarginal> joint_tables_;
  std::map<std::vector<std::size_t>, std::size_t> joint_places_;  ///< by columns
  std::vector<MeasuredMarginal> scouts_;
  std::vector<MeasuredMarginal> finer_looks_;
  /// Per column: its cells in pairs, as far as it is in any.
  std::vector<std::shared_ptr<const ColumnPartition>> pair_cells_;
  std::vector<MeasuredSplits> splits_;
};

}  // namespace mehler
