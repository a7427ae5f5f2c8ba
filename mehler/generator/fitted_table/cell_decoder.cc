#include "mehler/generator/fitted_table/cell_decoder.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mehler/core/error.h"

namespace mehler {

CellDecoder::CellDecoder(std::span<const ColumnEstimate> columns,
                         std::span<const std::shared_ptr<const ColumnPartition>> cells) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const ColumnPartition& meant = *cells[c];
    std::vector<Cell> made(meant.size());
    std::vector<std::vector<double>> masses(meant.size());
    const auto add = [&](std::size_t cell, std::uint32_t first, std::uint32_t second, double mass) {
      made[cell].ranges.emplace_back(first, second);
      masses[cell].push_back(mass);
    };
    if (columns[c].values) {
      for (const ValueTree::Piece& piece : columns[c].values->pieces()) {
        // A piece may reach over several cells.
        for (std::uint32_t first = piece.first; first < piece.second;) {
          const std::size_t cell = meant.cell_of(first);
          const std::uint32_t second = std::min(meant.range(cell).second, piece.second);
          add(cell, first, second,
              piece.count * static_cast<double>(second - first) /
                  static_cast<double>(piece.second - piece.first));
          first = second;
        }
      }
      if (meant.column().missing) {
        const auto missing = static_cast<std::uint32_t>(meant.leaves().value_leaves());
        add(meant.size() - 1, missing, missing + 1, 1.0);
      }
    } else {
      for (std::uint32_t code = 0; code < meant.leaves().leaves(); ++code) {
        add(meant.cell_of(code), code, code + 1, columns[c].counts[code]);
      }
    }
    for (std::size_t cell = 0; cell < made.size(); ++cell) {
      double sum = 0.0;
      for (const double mass : masses[cell]) {
        sum += mass;
      }
      double below = 0.0;
      for (std::size_t i = 0; i < masses[cell].size(); ++i) {
        const auto& [first, second] = made[cell].ranges[i];
        // Without any records, all values of the cell are alike.
        below += sum > 0.0 ? masses[cell][i] : static_cast<double>(second - first);
        made[cell].cumulative.push_back(below);
      }
      for (double& share : made[cell].cumulative) {
        share /= below;
      }
    }
    leaves_.push_back(meant.leaves());
    cells_.push_back(std::move(made));
  }
}

CellDecoder::Decoded CellDecoder::at_quantile(const Cell& cell, double quantile) {
  auto place = std::upper_bound(cell.cumulative.begin(), cell.cumulative.end(), quantile);
  if (place == cell.cumulative.end()) {
    --place;
  }
  const auto i = static_cast<std::size_t>(place - cell.cumulative.begin());
  const double below = i == 0 ? 0.0 : cell.cumulative[i - 1];
  const double share = cell.cumulative[i] - below;
  const auto& [first, second] = cell.ranges[i];
  const auto width = static_cast<double>(second - first);
  const double inside = share > 0.0 ? std::clamp((quantile - below) / share, 0.0, 1.0) : 0.0;
  const double offset = std::min(std::floor(inside * width), width - 1.0);
  return {first + static_cast<std::uint32_t>(offset),
          std::clamp(inside * width - offset, 0.0, 1.0 - 1e-9)};
}

void CellDecoder::decode_column(std::size_t column, const CodedRows& rows, std::size_t first,
                                std::size_t count, SeededRandom& random, EncodedColumn& out) const {
  const bool is_number = leaves_[column].column().is_number();
  const std::vector<Cell>& cells = cells_[column];
  // The rows of a cell get quantiles that are spread evenly, in random order: as many small values
  // as the estimate says, not only on average.
  std::vector<std::vector<std::uint32_t>> rows_of_cell(cells.size());
  for (std::size_t i = 0; i < count; ++i) {
    rows_of_cell[rows.row(first + i)[column]].push_back(static_cast<std::uint32_t>(i));
  }
  if (is_number) {
    out.numbers.resize(count);
  } else {
    out.codes.resize(count);
  }
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    std::vector<std::uint32_t>& members = rows_of_cell[cell];
    for (std::size_t i = members.size(); i > 1; --i) {
      std::swap(members[i - 1], members[static_cast<std::size_t>(random.next_word() % i)]);
    }
    for (std::size_t i = 0; i < members.size(); ++i) {
      const double quantile =
          (static_cast<double>(i) + random.uniform()) / static_cast<double>(members.size());
      const Decoded value = at_quantile(cells[cell], quantile);
      if (!is_number) {
        out.codes[members[i]] = static_cast<std::int32_t>(value.leaf);
      } else {
        out.numbers[members[i]] = leaves_[column].is_missing(value.leaf)
                                      ? std::numeric_limits<double>::quiet_NaN()
                                      : leaves_[column].coordinate(value.leaf, value.fraction);
      }
    }
  }
}

EncodedBatch CellDecoder::decode(const CodedRows& rows, std::size_t first, std::size_t count,
                                 SeededRandom& random) const {
  MEHLER_ASSERT(rows.columns == leaves_.size() && first + count <= rows.rows);
  EncodedBatch batch;
  batch.rows = count;
  batch.columns.resize(leaves_.size());
  for (std::size_t c = 0; c < leaves_.size(); ++c) {
    decode_column(c, rows, first, count, random, batch.columns[c]);
  }
  return batch;
}

}  // namespace mehler
