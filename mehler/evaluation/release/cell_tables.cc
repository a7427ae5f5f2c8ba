#include "mehler/evaluation/release/cell_tables.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "mehler/core/overloaded.h"
#include "mehler/counts/contrasts.h"
#include "mehler/counts/count_rows.h"

namespace mehler {
namespace {

void insert_starts(const ColumnPartition& cells, std::set<std::uint32_t>& starts) {
  starts.insert(cells.starts().begin(), cells.starts().end());
}

}  // namespace

CellTables::CellTables(const Release& release, const MarginalMeasurements& measurements)
    : blocks_(release.counts().counts.blocks()),
      measurements_(measurements),
      columns_(release.encoder().columns().size()) {
  std::vector<const MeasuredMarginal*> tables;
  for (const MeasuredMarginal& table : measurements.joint_tables()) {
    tables.push_back(&table);
  }
  for (const MeasuredMarginal& table : measurements.scouts()) {
    tables.push_back(&table);
  }
  for (const MeasuredMarginal& table : measurements.finer_looks()) {
    tables.push_back(&table);
  }
  std::vector<std::set<std::uint32_t>> starts(columns_.size());
  for (const MeasuredSplits& measured : measurements.splits()) {
    for (const auto& range : measured.splits->ranges) {
      starts[measured.column].insert({range.first, RangeHalves::middle(range), range.second});
    }
  }
  for (const MeasuredMarginal* table : tables) {
    add_table(table->columns, table->cells, starts);
  }
  for (const CountBlock& block : blocks_) {
    if (const CellCounts* counted = block.cell_counts(); counted && counted->columns.size() > 3) {
      std::vector<std::size_t> columns;
      std::vector<std::shared_ptr<const ColumnPartition>> cells;
      for (const CountedColumn& column : counted->columns) {
        columns.push_back(column.column);
        cells.push_back(column.cells);
      }
      add_table(std::move(columns), cells, starts);
    }
  }
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    ColumnPieces& column = columns_[c];
    column.leaves.emplace(release.encoder().columns()[c]);
    if (column.leaves->column().is_number()) {
      insert_starts(*measurements.one_ways()[c].cells[0], starts[c]);
      starts[c].insert(static_cast<std::uint32_t>(column.leaves->value_leaves()));  // if missing
      column.starts.assign(starts[c].begin(), starts[c].end());
    } else {
      column.starts.resize(column.leaves->leaves());
      std::iota(column.starts.begin(), column.starts.end(), 0U);
    }
    column.counts.assign(column.starts.size(), 0);
    for (CellView& view : column.views) {
      for (const std::uint32_t leaf : column.starts) {
        view.cell_of_piece.push_back(static_cast<std::uint32_t>(
            leaf < column.leaves->leaves() ? view.cells->cell_of(leaf) : 0));
      }
    }
  }
  for (const CountBlock& block : blocks_) {
    place_of_block_.push_back(find_table(block));
  }
}

void CellTables::add_table(std::vector<std::size_t> columns,
                           const std::vector<std::shared_ptr<const ColumnPartition>>& cells,
                           std::vector<std::set<std::uint32_t>>& starts) {
  JointCounts joint;
  std::size_t size = 1;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    insert_starts(*cells[i], starts[columns[i]]);
    joint.views.push_back(columns_[columns[i]].view_of(cells[i]));
    joint.shape.push_back(cells[i]->size());
    size *= cells[i]->size();
  }
  joint.columns = std::move(columns);
  joint.counts.assign(size, 0);
  places_[{joint.columns, joint.views}] = joint_.size();
  joint_.push_back(std::move(joint));
}

std::size_t CellTables::find_table(const CountBlock& block) {
  std::vector<CountedColumn> of_block;
  if (const Marginal* marginal = block.marginal()) {
    of_block = marginal->columns;
  } else if (const CellCounts* counted = block.cell_counts()) {
    of_block = counted->columns;
  }
  if (of_block.size() < 2) {
    return joint_.size();
  }
  std::vector<std::size_t> columns;
  std::vector<std::size_t> views;
  for (const CountedColumn& counted : of_block) {
    columns.push_back(counted.column);
    views.push_back(columns_[counted.column].view_of(counted.cells));
  }
  return places_.at({columns, views});
}

std::size_t CellTables::ColumnPieces::view_of(const std::shared_ptr<const ColumnPartition>& cells) {
  const auto same = [&](const CellView& view) {
    return view.cells == cells || *view.cells == *cells;
  };
  const auto known = std::find_if(views.begin(), views.end(), same);
  const auto place = static_cast<std::size_t>(known - views.begin());
  if (known == views.end()) {
    views.push_back({cells, {}, {}});
  }
  return place;
}

void CellTables::ColumnPieces::add(const EncodedColumn& values, std::size_t rows) {
  const bool is_number = leaves->column().is_number();
  for (CellView& view : views) {
    view.cell_of_row.resize(rows);
  }
  for (std::size_t row = 0; row < rows; ++row) {
    std::size_t piece = leaves->leaf_of(values, row);
    if (is_number) {
      piece = static_cast<std::size_t>(
          std::upper_bound(starts.begin(), starts.end(), static_cast<std::uint32_t>(piece)) -
          starts.begin() - 1);
    }
    ++counts[piece];
    for (CellView& view : views) {
      view.cell_of_row[row] = view.cell_of_piece[piece];
    }
  }
}

std::int64_t CellTables::ColumnPieces::count_between(std::uint32_t first,
                                                     std::uint32_t second) const {
  std::int64_t count = 0;
  auto piece = std::lower_bound(starts.begin(), starts.end(), first) - starts.begin();
  for (; piece < std::ssize(starts) && starts[static_cast<std::size_t>(piece)] < second; ++piece) {
    count += counts[static_cast<std::size_t>(piece)];
  }
  return count;
}

void CellTables::add(const EncodedBatch& batch, WorkerPool& pool) {
  rows_ += batch.rows;
  pool.run(columns_.size(), [&](std::size_t c) { columns_[c].add(batch.columns[c], batch.rows); });
  pool.run(joint_.size(), [&](std::size_t table) { add_joint(joint_[table], batch.rows); });
}

void CellTables::add_joint(JointCounts& table, std::size_t rows) const {
  std::vector<const std::uint32_t*> cells;
  for (std::size_t i = 0; i < table.views.size(); ++i) {
    cells.push_back(columns_[table.columns[i]].views[table.views[i]].cell_of_row.data());
  }
  count_rows<std::uint32_t>(cells, table.shape, rows, table.counts.data());
}

std::vector<std::int64_t> CellTables::column_counts(std::size_t column) const {
  const ColumnPieces& pieces = columns_[column];
  const ColumnPartition& cells = *measurements_.one_ways()[column].cells[0];
  std::vector<std::int64_t> result(cells.size(), 0);
  for (std::size_t piece = 0; piece < pieces.starts.size(); ++piece) {
    if (pieces.counts[piece] > 0) {
      result[cells.cell_of(pieces.starts[piece])] += pieces.counts[piece];
    }
  }
  return result;
}

BlockSums CellTables::differences(const HalvedRanges& ranges) const {
  const ColumnPieces& column = columns_[ranges.column];
  BlockSums result;
  for (const auto& range : ranges.halves->ranges) {
    const std::uint32_t middle = RangeHalves::middle(range);
    const auto first = static_cast<double>(column.count_between(range.first, middle));
    const auto second = static_cast<double>(column.count_between(middle, range.second));
    result.sums.push_back(first - second);
    result.squares.push_back(first + second);
  }
  return result;
}

BlockSums CellTables::contrasts(const Marginal& marginal, std::size_t block) const {
  const std::vector<std::int64_t> counts = marginal.columns.size() == 1
                                               ? column_counts(marginal.columns[0].column)
                                               : joint_[place_of_block_[block]].counts;
  const std::vector<std::int64_t> sums = contrasts_of_counts(counts, marginal.shape());
  return {{sums.begin(), sums.end()}, squared_contrasts_of_counts(counts, marginal.shape())};
}

BlockSums CellTables::cells(const CellCounts& cells, std::size_t block) const {
  const std::vector<std::int64_t> counts = cells.columns.size() == 1
                                               ? column_counts(cells.columns[0].column)
                                               : joint_[place_of_block_[block]].counts;
  const std::vector<double> sums(counts.begin(), counts.end());
  return {sums, sums};
}

BlockSums CellTables::of_block(std::size_t block) const {
  return std::visit(Overloaded{[&](const RecordCount&) {
                                 const auto rows = static_cast<double>(rows_);
                                 return BlockSums{{rows}, {rows}};
                               },
                               [&](const Marginal& marginal) { return contrasts(marginal, block); },
                               [&](const HalvedRanges& ranges) { return differences(ranges); },
                               [&](const CellCounts& counted) { return cells(counted, block); },
                               [&](const VectorSum&) { return BlockSums(); }},
                    blocks_[block].counted);
}

}  // namespace mehler
