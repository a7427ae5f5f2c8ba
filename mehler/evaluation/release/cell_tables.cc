#include "mehler/evaluation/release/cell_tables.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "mehler/counts/contrasts.h"

namespace mehler {
namespace {

void insert_starts(const ColumnPartition& cells, std::set<std::uint32_t>& starts) {
  starts.insert(cells.starts().begin(), cells.starts().end());
}

}  // namespace

bool CellTables::counts(const FeatureBlock& block) {
  return block.is_contrast() || block.maps.front().map.kind() == FeatureMap::Kind::kDifferences;
}

CellTables::CellTables(const Release& release, const MarginalMeasurements& measurements)
    : release_(release), measurements_(measurements), columns_(release.encoder().columns().size()) {
  std::vector<const MeasuredMarginal*> tables;
  for (const MeasuredMarginal& table : measurements.joint_tables()) {
    tables.push_back(&table);
  }
  for (const MeasuredMarginal& table : measurements.scouts()) {
    tables.push_back(&table);
  }
  std::vector<std::set<std::uint32_t>> starts(columns_.size());
  for (const MeasuredSplits& measured : measurements.splits()) {
    for (const auto& range : measured.splits->ranges) {
      starts[measured.column].insert({range.first, RangeHalves::middle(range), range.second});
    }
  }
  for (const MeasuredMarginal* table : tables) {
    JointCounts& joint = joint_.emplace_back();
    joint.measured = table;
    joint.counts.assign(table->deviations.size(), 0);
    for (std::size_t i = 0; i < table->columns.size(); ++i) {
      insert_starts(*table->cells[i], starts[table->columns[i]]);
      joint.views.push_back(columns_[table->columns[i]].view_of(table->cells[i]));
    }
    places_[{table->columns, joint.views}] = joint_.size() - 1;
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
  for (std::size_t b = 0; b < release.blocks().size(); ++b) {
    place_of_block_.push_back(find_table(release.features().blocks()[b]));
  }
}

std::size_t CellTables::find_table(const FeatureBlock& block) {
  if (!block.is_contrast() || block.maps.size() < 2) {
    return joint_.size();
  }
  std::vector<std::size_t> columns;
  std::vector<std::size_t> views;
  for (const WeightedMap& member : block.maps) {
    columns.push_back(member.map.column());
    views.push_back(columns_[member.map.column()].view_of(member.map.cells()));
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
  pool.run(columns_.size(), [&](std::size_t c) { columns_[c].add(batch.columns[c], batch.rows); });
  pool.run(joint_.size(), [&](std::size_t table) { add_joint(joint_[table], batch.rows); });
}

void CellTables::add_joint(JointCounts& table, std::size_t rows) const {
  std::vector<std::int64_t>& counts = table.counts;
  const std::vector<std::size_t> shape = table.measured->shape();
  std::vector<const std::uint32_t*> cells;
  for (std::size_t i = 0; i < table.views.size(); ++i) {
    cells.push_back(columns_[table.measured->columns[i]].views[table.views[i]].cell_of_row.data());
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
  const ColumnPartition& cells = *measurements_.one_ways()[column].cells[0];
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
    const std::uint32_t middle = RangeHalves::middle(range);
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
  const std::vector<std::int64_t> counts = block.maps.size() == 1
                                               ? column_counts(block.maps[0].map.column())
                                               : joint_[place_of_block_[index]].counts;
  const std::vector<std::int64_t> sums = contrasts_of_counts(counts, block.shape());
  return {{sums.begin(), sums.end()}, squared_contrasts_of_counts(counts, block.shape())};
}

}  // namespace mehler
