#include "mehler/release/marginal_measurements.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/counts/contrasts.h"

namespace mehler {
namespace {

MeasuredMarginal read_contrasts(const Marginal& marginal, const NoisyBlock& noisy, double sigma) {
  MeasuredMarginal table;
  for (const CountedColumn& counted : marginal.columns) {
    table.columns.push_back(counted.column);
    table.cells.push_back(counted.cells);
  }
  std::vector<double> contrasts(noisy.columns);
  for (std::size_t i = 0; i < contrasts.size(); ++i) {
    contrasts[i] = noisy.at(0, i);
  }
  table.precision = 1.0 / (sigma * sigma);
  table.deviations = cells_of_contrasts(contrasts, table.shape());
  return table;
}

/// Subtracts from a table what its totals over each column explain.
void subtract_totals(std::vector<double>& table, const std::vector<std::size_t>& shape) {
  std::size_t inner = table.size();
  for (const std::size_t size : shape) {
    const std::size_t stride = inner / size;
    for (std::size_t place = 0; place < table.size(); ++place) {
      if (place % inner < stride) {
        double sum = 0.0;
        for (std::size_t k = 0; k < size; ++k) {
          sum += table[place + k * stride];
        }
        for (std::size_t k = 0; k < size; ++k) {
          table[place + k * stride] -= sum / static_cast<double>(size);
        }
      }
    }
    inner = stride;
  }
}

/// The table over some of the columns, by their places, as deviations from its own totals.
MeasuredMarginal margin_of(const CellCounts& cells, const NoisyBlock& noisy, double sigma,
                           const std::vector<std::size_t>& kept) {
  const std::vector<std::size_t> shape = cells.shape();
  std::vector<std::size_t> strides(shape.size(), 0);
  std::size_t size = 1;
  for (std::size_t i = kept.size(); i-- > 0;) {
    strides[kept[i]] = size;
    size *= shape[kept[i]];
  }
  MeasuredMarginal table;
  for (const std::size_t i : kept) {
    table.columns.push_back(cells.columns[i].column);
    table.cells.push_back(cells.columns[i].cells);
  }
  table.deviations.assign(size, 0.0);
  for (std::size_t place = 0; place < noisy.columns; ++place) {
    std::size_t rest = place;
    std::size_t to = 0;
    for (std::size_t i = shape.size(); i-- > 0;) {
      to += rest % shape[i] * strides[i];
      rest /= shape[i];
    }
    table.deviations[to] += noisy.at(0, place);
  }
  // Each of its cells is the sum of so many.
  const auto others = static_cast<double>(noisy.columns / size);
  table.precision = 1.0 / (sigma * sigma * others);
  subtract_totals(table.deviations, table.shape());
  return table;
}

bool same_cells(const MeasuredMarginal& a, const MeasuredMarginal& b) {
  return std::equal(a.cells.begin(), a.cells.end(), b.cells.begin(), b.cells.end(),
                    [](const auto& x, const auto& y) { return x == y || *x == *y; });
}

/// Whether each cell of a table lies within one of another table of the same columns, which is not
/// in the same cells.
bool is_finer(const MeasuredMarginal& fine, const MeasuredMarginal& coarse) {
  for (std::size_t i = 0; i < fine.cells.size(); ++i) {
    if (!fine.cells[i]->refines(*coarse.cells[i])) {
      return false;
    }
  }
  return !same_cells(fine, coarse);
}

/// Averages a second measurement into the first, by precision. Throws unless they are of the same
/// cells.
void merge_same(MeasuredMarginal& into, const MeasuredMarginal& other, const std::string& block) {
  if (!same_cells(into, other)) {
    throw Error(
        ErrorCode::kInvalidRelease,
        fmt::format("block '{}' counts the same columns as another, in other cells", shown(block)));
  }
  const double sum = into.precision + other.precision;
  for (std::size_t i = 0; i < into.deviations.size(); ++i) {
    into.deviations[i] =
        (into.precision * into.deviations[i] + other.precision * other.deviations[i]) / sum;
  }
  into.precision = sum;
}

}  // namespace

std::vector<std::size_t> MeasuredMarginal::shape() const {
  std::vector<std::size_t> sizes;
  for (const auto& of_column : cells) {
    sizes.push_back(of_column->size());
  }
  return sizes;
}

double MeasuredMarginal::cell_variance() const {
  return squared_contrast_norm(shape()) / precision;
}

MarginalMeasurements::MarginalMeasurements(const Encoder& encoder)
    : one_ways_(encoder.columns().size()), pair_cells_(encoder.columns().size()) {
  for (std::size_t c = 0; c < one_ways_.size(); ++c) {
    // A column of a single cell has no contrasts to measure.
    const ColumnPartition cells = ColumnPartition::even(encoder.columns()[c], 2);
    if (cells.size() == 1) {
      one_ways_[c] = {{c}, {std::make_shared<const ColumnPartition>(cells)}, 0.0, {}};
    }
  }
}

MarginalMeasurements::MarginalMeasurements(const Release& release)
    : MarginalMeasurements(release.encoder()) {
  if (release.statement().public_rows) {
    set_public_rows(static_cast<double>(*release.statement().public_rows));
  }
  const NoisyCounts& noisy = release.counts();
  for (std::size_t i = 0; i < noisy.blocks.size(); ++i) {
    add(noisy.counts.blocks()[i], noisy.blocks[i], release.statement().noise_of(i).sigma);
  }
  for (std::size_t c = 0; c < one_ways_.size(); ++c) {
    if (one_ways_[c].cells.empty()) {
      throw Error(ErrorCode::kInvalidRelease,
                  fmt::format("the release has no counts of column '{}'",
                              release.encoder().columns()[c].name));
    }
  }
}

void MarginalMeasurements::set_public_rows(double rows) { rows_ = rows; }

bool MarginalMeasurements::is_scout(const MeasuredMarginal& table) const {
  if (table.columns.size() != 3) {
    return false;
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const std::shared_ptr<const ColumnPartition>& known = pair_cells_[table.columns[i]];
    if (known && known != table.cells[i] && !(*known == *table.cells[i])) {
      return true;
    }
  }
  return false;
}

void MarginalMeasurements::add(const CountBlock& block, const NoisyBlock& noisy, double sigma) {
  if (const Marginal* marginal = block.marginal()) {
    MeasuredMarginal table = read_contrasts(*marginal, noisy, sigma);
    if (table.columns.size() == 1) {
      add_column(std::move(table), block.name);
    } else {
      add_joint(std::move(table), block.name);
    }
  } else if (const CellCounts* cells = block.cell_counts()) {
    add_cells(*cells, noisy, sigma, block.name);
  } else if (const auto* ranges = std::get_if<HalvedRanges>(&block.counted)) {
    MeasuredSplits measured{ranges->column, ranges->halves, {}, sigma};
    for (std::size_t i = 0; i < noisy.columns; ++i) {
      measured.differences.push_back(noisy.at(0, i));
    }
    splits_.push_back(std::move(measured));
  } else if (std::holds_alternative<RecordCount>(block.counted)) {
    rows_ = noisy.at(0, 0);
  }
}

void MarginalMeasurements::add_cells(const CellCounts& cells, const NoisyBlock& noisy, double sigma,
                                     const std::string& block) {
  std::vector<std::vector<std::size_t>> sets = {{}};
  for (std::size_t size = 1; size <= kMaxMarginalColumns; ++size) {
    std::vector<std::vector<std::size_t>> longer;
    for (const std::vector<std::size_t>& set : sets) {
      for (std::size_t i = set.empty() ? 0 : set.back() + 1; i < cells.columns.size(); ++i) {
        if (cells.columns[i].cells->size() > 1) {
          longer.push_back(set);
          longer.back().push_back(i);
        }
      }
    }
    sets = std::move(longer);
    for (const std::vector<std::size_t>& set : sets) {
      MeasuredMarginal table = margin_of(cells, noisy, sigma, set);
      if (size == 1) {
        add_column(std::move(table), block);
      } else {
        add_joint(std::move(table), block);
      }
    }
  }
}

void MarginalMeasurements::add_column(MeasuredMarginal table, const std::string& block) {
  MeasuredMarginal& known = one_ways_.at(table.columns[0]);
  if (known.cells.empty()) {
    known = std::move(table);
  } else {
    merge_same(known, table, block);
  }
}

void MarginalMeasurements::add_joint(MeasuredMarginal table, const std::string& block) {
  if (is_scout(table)) {
    scouts_.push_back(std::move(table));
    return;
  }
  if (table.columns.size() == 2) {
    const auto known = joint_places_.find(table.columns);
    if (known != joint_places_.end() && is_finer(table, joint_tables_[known->second])) {
      finer_looks_.push_back(std::move(table));
      return;
    }
    pair_cells_[table.columns[0]] = table.cells[0];
    pair_cells_[table.columns[1]] = table.cells[1];
  }
  const auto [place, is_new] = joint_places_.emplace(table.columns, joint_tables_.size());
  if (is_new) {
    joint_tables_.push_back(std::move(table));
  } else {
    merge_same(joint_tables_[place->second], table, block);
  }
}

std::vector<std::shared_ptr<const ColumnPartition>> MarginalMeasurements::joint_cells() const {
  std::vector<std::shared_ptr<const ColumnPartition>> result(one_ways_.size());
  for (const MeasuredMarginal& table : joint_tables_) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      std::shared_ptr<const ColumnPartition>& known = result[table.columns[i]];
      if (known && known != table.cells[i] && !(*known == *table.cells[i])) {
        throw Error(ErrorCode::kInvalidRelease,
                    fmt::format("the release counts column '{}' in different cells",
                                table.cells[i]->column().name));
      }
      known = table.cells[i];
    }
  }
  return result;
}

}  // namespace mehler
