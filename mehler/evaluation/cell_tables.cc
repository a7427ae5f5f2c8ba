#include "mehler/evaluation/cell_tables.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "mehler/features/contrasts.h"

namespace mehler {
namespace {

void insert_starts(const ColumnCells& cells, std::set<std::uint32_t>& starts) {
  starts.insert(cells.starts().begin(), cells.starts().end());
}

}  // namespace

bool CellTables::counts(const FeatureBlock& block) {
  return block.is_contrast() || block.maps.front().map.kind() == FeatureMap::Kind::kDifferences;
}

CellTables::CellTables(const Release& release, const MarginalMeasurements& measurements)
    : release_(release), measurements_(measurements), columns_(release.encoder().columns().size()) {
  const auto joint_cells = measurements.joint_cells();
  std::vector<std::set<std::uint32_t>> starts(columns_.size());
  for (const MeasuredSplits& measured : measurements.splits()) {
    for (const auto& range : measured.splits->ranges) {
      starts[measured.column].insert({range.first, ValueSplits::middle(range), range.second});
    }
  }
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    ColumnPieces& column = columns_[c];
    column.leaves.emplace(release.encoder().columns()[c]);
    if (column.leaves->column().is_number()) {
      insert_starts(*measurements.one_ways()[c].cells[0], starts[c]);
      if (joint_cells[c]) {
        insert_starts(*joint_cells[c], starts[c]);
      }
      starts[c].insert(static_cast<std::uint32_t>(column.leaves->value_leaves()));  // if missing
      column.starts.assign(starts[c].begin(), starts[c].end());
    } else {
      column.starts.resize(column.leaves->leaves());
      std::iota(column.starts.begin(), column.starts.end(), 0U);
    }
    column.counts.assign(column.starts.size(), 0);
    if (joint_cells[c]) {
      for (const std::uint32_t leaf : column.starts) {
        column.cell_of_piece.push_back(static_cast<std::uint32_t>(
            leaf < column.leaves->leaves() ? joint_cells[c]->cell_of(leaf) : 0));
      }
    }
  }
  for (const MeasuredTable& table : measurements.joint_tables()) {
    table_of_columns_[table.columns] = joint_.size();
    joint_.emplace_back(table.deviations.size(), 0);
  }
}

void CellTables::ColumnPieces::add(const EncodedColumn& values, std::size_t rows) {
  const bool is_number = leaves->column().is_number();
  cells.resize(cell_of_piece.empty() ? 0 : rows);
  for (std::size_t row = 0; row < rows; ++row) {
    std::size_t piece = leaves->leaf_of(values, row);
    if (is_number) {
      piece = static_cast<std::size_t>(
          std::upper_bound(starts.begin(), starts.end(), static_cast<std::uint32_t>(piece)) -
          starts.begin() - 1);
    }
    ++counts[piece];
    if (!cells.empty()) {
      cells[row] = cell_of_piece[piece];
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
  pool.run(columns_.size(), [&](std::size_t c) { columns_[c].add(batch.columns[c], batch.rows); });
  pool.run(joint_.size(), [&](std::size_t table) { add_joint(table, batch.rows); });
}

void CellTables::add_joint(std::size_t table, std::size_t rows) {
  const MeasuredTable& measured = measurements_.joint_tables()[table];
  std::vector<std::int64_t>& counts = joint_[table];
  const std::vector<std::size_t> shape = measured.shape();
  std::vector<const std::uint32_t*> cells;
  for (const std::size_t column : measured.columns) {
    cells.push_back(columns_[column].cells.data());
  }
  if (shape.size() == 2) {
    for (std::size_t row = 0; row < rows; ++row) {
      ++counts[cells[0][row] * shape[1] + cells[1][row]];
    }
    return;
  }
  for (std::size_t row = 0; row < rows; ++row) {
    std::size_t place = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      place = place * shape[i] + cells[i][row];
    }
    ++counts[place];
  }
}

std::vector<std::int64_t> CellTables::column_counts(std::size_t column) const {
  const ColumnPieces& pieces = columns_[column];
  const ColumnCells& cells = *measurements_.one_ways()[column].cells[0];
  std::vector<std::int64_t> result(cells.size(), 0);
  for (std::size_t piece = 0; piece < pieces.starts.size(); ++piece) {
    if (pieces.counts[piece] > 0) {
      result[cells.cell_of(pieces.starts[piece])] += pieces.counts[piece];
    }
  }
  return result;
}

BlockSums CellTables::differences(const FeatureMap& map) const {
  const ColumnPieces& column = columns_[map.column()];
  BlockSums result;
  for (const auto& range : map.splits()->ranges) {
    const std::uint32_t middle = ValueSplits::middle(range);
    const auto first = static_cast<double>(column.count_between(range.first, middle));
    const auto second = static_cast<double>(column.count_between(middle, range.second));
    result.sums.push_back(first - second);
    result.squares.push_back(first + second);
  }
  return result;
}

BlockSums CellTables::of_block(std::size_t index) const {
  const FeatureBlock& block = release_.features().blocks()[index];
  if (!block.is_contrast()) {
    return differences(block.maps.front().map);
  }
  std::vector<std::size_t> columns;
  for (const WeightedMap& member : block.maps) {
    columns.push_back(member.map.column());
  }
  const std::vector<std::int64_t> counts =
      columns.size() == 1 ? column_counts(columns[0]) : joint_[table_of_columns_.at(columns)];
  const std::vector<std::int64_t> sums = contrasts_of_counts(counts, block.shape());
  return {{sums.begin(), sums.end()}, squared_contrasts_of_counts(counts, block.shape())};
}

}  // namespace mehler
