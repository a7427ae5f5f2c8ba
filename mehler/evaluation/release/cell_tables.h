#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "mehler/core/worker_pool.h"
#include "mehler/encoding/encoded_batch.h"
#include "mehler/encoding/value_grid.h"
#include "mehler/evaluation/release/feature_sums.h"
#include "mehler/release/marginal_measurements.h"
#include "mehler/release/release.h"

namespace mehler {

/// Counts of records in the cells that a release has noisy counts of: exact, and the same for any
/// number of threads.
///
/// A record is looked up once a column, in the coarsest pieces of its values that all cells and
/// halves of ranges are made of; then once a table of several columns.
class CellTables {
 public:
  /// Both must outlive it; the measurements are those of the release, which is of counts.
  CellTables(const Release& release, const MarginalMeasurements& measurements);

  void add(const EncodedBatch& batch, WorkerPool& pool);

  /// The sums of a block of the release; of vectors none.
  BlockSums of_block(std::size_t block) const;
  /// The counts of one column, in the cells of its own table.
  std::vector<std::int64_t> column_counts(std::size_t column) const;
  /// The counts of a joint table, by its place among the measurements; the last column running
  /// fastest.
  const std::vector<std::int64_t>& joint_counts(std::size_t table) const {
    return joint_[table].counts;
  }

 private:
  /// A column in the cells of joint tables.
  struct CellView {
    std::shared_ptr<const ColumnPartition> cells;
    std::vector<std::uint32_t> cell_of_piece;
    std::vector<std::uint32_t> cell_of_row;  ///< of the batch at hand
  };
  /// A table of several columns.
  struct JointCounts {
    std::vector<std::size_t> columns;
    std::vector<std::size_t> shape;
    std::vector<std::size_t> views;  ///< of each of its columns
    std::vector<std::int64_t> counts;
  };
  struct ColumnPieces {
    std::optional<ValueGrid> leaves;
    std::vector<std::uint32_t> starts;  ///< the leaf that each piece begins with; ascending
    std::vector<std::int64_t> counts;   ///< records in each piece
    std::vector<CellView> views;        ///< one for each kind of cells in joint tables

    /// The place of the view of these cells; a new one if there is none yet.
    std::size_t view_of(const std::shared_ptr<const ColumnPartition>& cells);
    void add(const EncodedColumn& values, std::size_t rows);
    /// Records in leaves [first, second), which are whole pieces.
    std::int64_t count_between(std::uint32_t first, std::uint32_t second) const;
  };

  void add_joint(JointCounts& table, std::size_t rows) const;
  BlockSums contrasts(const Marginal& marginal, std::size_t block) const;
  BlockSums cells(const CellCounts& cells, std::size_t block) const;
  void add_table(std::vector<std::size_t> columns,
                 const std::vector<std::shared_ptr<const ColumnPartition>>& cells,
                 std::vector<std::set<std::uint32_t>>& starts);
  BlockSums differences(const HalvedRanges& ranges) const;
  /// The place of a block's table; none for blocks that have none.
  std::size_t find_table(const CountBlock& block);

  const std::vector<CountBlock>& blocks_;
  const MarginalMeasurements& measurements_;
  std::size_t rows_ = 0;
  std::vector<ColumnPieces> columns_;
  std::vector<JointCounts> joint_;  ///< joint tables, then scouts, finer looks, counts of cells
  /// By columns and views.
  std::map<std::pair<std::vector<std::size_t>, std::vector<std::size_t>>, std::size_t> places_;
  std::vector<std::size_t> place_of_block_;  ///< among the joint tables and scouts
};

}  // namespace mehler
