#include "mehler/generator/fitted_table/cell_decoder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mehler/core/error.h"

namespace mehler {
namespace {

/// Whether a piece is a leaf with far more records than its neighbours, as a value has that is
/// frequent by itself. Else a leaf of many values is a part of a distribution like any other, of
/// which bounds that are far too wide leave a few leaves.
bool is_frequent_leaf(std::span<const ValueTree::Piece> pieces, std::size_t place) {
  constexpr double kTimes = 10.0;
  const ValueTree::Piece& piece = pieces[place];
  if (piece.second - piece.first != 1) {
    return false;
  }
  const auto density = [&](std::size_t i) {
    return pieces[i].count / static_cast<double>(pieces[i].second - pieces[i].first);
  };
  return (place == 0 || piece.count > kTimes * density(place - 1)) &&
         (place + 1 == pieces.size() || piece.count > kTimes * density(place + 1));
}

}  // namespace

double CellDecoder::Cell::width() const {
  double sum = 0.0;
  for (const Part& part : parts) {
    sum += part.to - part.from;
  }
  return sum;
}

CellDecoder::CellDecoder(std::span<const ColumnEstimate> columns, FinerForest forest,
                         ValueLinks links)
    : forest_(std::move(forest)), links_(std::move(links)), is_followed_(columns.size()) {
  for (const auto& follower : links_.of_column) {
    if (follower) {
      is_followed_[follower->column] = true;
    }
  }
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const ColumnPartition& meant = *forest_.cells()[c];
    std::vector<Cell> made(meant.size());
    std::vector<std::vector<double>> masses(meant.size());
    const auto add = [&](std::size_t cell, std::uint32_t first, std::uint32_t second, double mass,
                         bool is_frequent = false) {
      made[cell].parts.push_back({first, 0.0, static_cast<double>(second - first), is_frequent});
      masses[cell].push_back(mass);
    };
    if (columns[c].values) {
      const std::vector<ValueTree::Piece>& pieces = columns[c].values->pieces();
      for (std::size_t i = 0; i < pieces.size(); ++i) {
        const ValueTree::Piece& piece = pieces[i];
        // A piece may reach over several cells.
        for (std::uint32_t first = piece.first; first < piece.second;) {
          const std::size_t cell = meant.cell_of(first);
          const std::uint32_t second = std::min(meant.range(cell).second, piece.second);
          add(cell, first, second,
              piece.count * static_cast<double>(second - first) /
                  static_cast<double>(piece.second - piece.first),
              is_frequent_leaf(pieces, i));
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
      for (const double mass : masses[cell]) {
        made[cell].records += mass;
      }
      double below = 0.0;
      for (std::size_t i = 0; i < masses[cell].size(); ++i) {
        // Without any records, all values of the cell are alike.
        below += made[cell].records > 0.0 ? masses[cell][i] : made[cell].parts[i].to;
        made[cell].cumulative.push_back(below);
      }
      for (double& share : made[cell].cumulative) {
        share /= below;
      }
    }
    leaves_.push_back(meant.leaves());
    cells_.push_back(std::move(made));
    weights_.push_back(records_of(c));
    place_in_joint_cells(c);
  }
}

std::vector<double> CellDecoder::records_of(std::size_t column) const {
  std::vector<double> of_joint(cells_[column].size());
  for (std::size_t cell = 0; cell < cells_[column].size(); ++cell) {
    of_joint[forest_.joint_cell(column, cell)] += cells_[column][cell].records;
  }
  std::vector<double> result;
  for (std::size_t cell = 0; cell < cells_[column].size(); ++cell) {
    const Cell& own = cells_[column][cell];
    result.push_back(of_joint[forest_.joint_cell(column, cell)] > 0.0 ? own.records : own.width());
  }
  return result;
}

void CellDecoder::place_in_joint_cells(std::size_t column) {
  std::vector<double> of_joint(cells_[column].size());
  for (std::size_t cell = 0; cell < cells_[column].size(); ++cell) {
    of_joint[forest_.joint_cell(column, cell)] += weights_[column][cell];
  }
  double below = 0.0;
  for (std::size_t cell = 0; cell < cells_[column].size(); ++cell) {
    const std::size_t joint = forest_.joint_cell(column, cell);
    const bool begins = cell == 0 || forest_.joint_cell(column, cell - 1) != joint;
    below = begins ? 0.0 : below;
    cells_[column][cell].low = below;
    below = std::min(1.0, below + weights_[column][cell] / of_joint[joint]);
    cells_[column][cell].high = below;
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
  const Cell::Part& part = cell.parts[i];
  const double inside = share > 0.0 ? std::clamp((quantile - below) / share, 0.0, 1.0) : 0.0;
  const double leaves = part.from + inside * (part.to - part.from);
  const double offset = std::min(std::floor(leaves), std::ceil(part.to) - 1.0);
  return {part.first + static_cast<std::uint32_t>(offset),
          std::clamp(leaves - offset, 0.0, 1.0 - 1e-9), part.is_one_value()};
}

std::vector<Interval> CellDecoder::allowed_positions(const ColumnCondition& condition) const {
  // A single number where leaves hold many is as good as this part of its leaf.
  constexpr double kNarrow = 1e-6;
  const ValueGrid& grid = leaves_[condition.column];
  std::vector<Interval> result;
  if (!grid.column().is_number()) {
    for (std::size_t code = 0; code < condition.codes.size(); ++code) {
      if (condition.codes[code]) {
        result.push_back({static_cast<double>(code), static_cast<double>(code) + 1.0});
      }
    }
    return result;
  }
  const auto leaves = static_cast<double>(grid.value_leaves());
  // A leaf of its own for each value has one coordinate.
  const bool is_grid = grid.coordinate(0, 0.0) == grid.coordinate(0, 0.5);
  for (const Interval& range : condition.ranges) {
    if (is_grid) {
      result.push_back({static_cast<double>(grid.leaf_of_coordinate(range.low)),
                        static_cast<double>(grid.leaf_of_coordinate(range.high)) + 1.0});
      continue;
    }
    Interval positions{0.5 * (range.low + 1.0) * leaves, 0.5 * (range.high + 1.0) * leaves};
    if (positions.width() < kNarrow) {
      positions.low = std::min(positions.low, leaves - kNarrow);
      positions.high = positions.low + kNarrow;
    }
    result.push_back(positions);
  }
  if (condition.missing) {
    result.push_back({leaves, leaves + 1.0});
  }
  return result;
}

CellDecoder::Cell CellDecoder::cut(const Cell& cell, const std::vector<Interval>& allowed,
                                   bool by_records, double& share) {
  const double width = cell.width();
  share = 0.0;
  Cell left;
  left.low = cell.low;
  left.high = cell.high;
  for (std::size_t i = 0; i < cell.parts.size(); ++i) {
    const Cell::Part& part = cell.parts[i];
    const double mass = by_records ? cell.cumulative[i] - (i == 0 ? 0.0 : cell.cumulative[i - 1])
                                   : (part.to - part.from) / width;
    auto range = std::upper_bound(
        allowed.begin(), allowed.end(), part.first + part.from,
        [](double place, const Interval& interval) { return place < interval.high; });
    for (; range != allowed.end() && range->low < part.first + part.to; ++range) {
      const Cell::Part piece{part.first, std::max(part.from, range->low - part.first),
                             std::min(part.to, range->high - part.first), part.is_frequent};
      const double piece_share = mass * (piece.to - piece.from) / (part.to - part.from);
      if (piece_share > 0.0) {
        share += piece_share;
        left.parts.push_back(piece);
        left.cumulative.push_back(share);
      }
    }
  }
  for (double& below : left.cumulative) {
    below /= share;
  }
  return left;
}

CellDecoder::Restriction CellDecoder::restrict(const ColumnCondition& condition) const {
  const std::vector<Interval> allowed = allowed_positions(condition);
  const std::vector<Cell>& cells = cells_[condition.column];
  const std::size_t joint_cells = forest_.joint_cell(condition.column, cells.size() - 1) + 1;
  Restriction result{condition, std::vector<Cell>(cells.size()), std::vector<double>(cells.size()),
                     std::vector<double>(joint_cells)};
  for (const bool by_records : {true, false}) {
    double sum = 0.0;
    std::vector<double> of_joint(joint_cells);
    std::fill(result.shares.begin(), result.shares.end(), 0.0);
    for (std::size_t c = 0; c < cells.size(); ++c) {
      double share = 0.0;
      result.cells[c] = cut(cells[c], allowed, by_records, share);
      const double weight = by_records ? weights_[condition.column][c] : cells[c].width();
      const std::size_t joint = forest_.joint_cell(condition.column, c);
      result.weights[c] = weight * share;
      result.shares[joint] += result.weights[c];
      of_joint[joint] += weight;
      sum += result.weights[c];
    }
    for (std::size_t joint = 0; joint < joint_cells; ++joint) {
      result.shares[joint] /= of_joint[joint];
    }
    if (sum > 0.0) {
      break;
    }
  }
  return result;
}

double CellDecoder::share_below(const Cell& cell, const Decoded& value) {
  const auto after = std::upper_bound(
      cell.parts.begin() + 1, cell.parts.end(), value.leaf,
      [](std::uint32_t leaf, const Cell::Part& part) { return leaf < part.first; });
  const auto i = static_cast<std::size_t>(after - cell.parts.begin()) - 1;
  const Cell::Part& part = cell.parts[i];
  const double inside = static_cast<double>(value.leaf - part.first) + value.fraction;
  const double below = i == 0 ? 0.0 : cell.cumulative[i - 1];
  const double share = std::clamp((inside - part.from) / (part.to - part.from), 0.0, 1.0);
  return below + share * (cell.cumulative[i] - below);
}

std::vector<const std::vector<double>*> CellDecoder::weights_under(
    std::span<const Restriction> restrictions) const {
  std::vector<const std::vector<double>*> weights;
  for (const std::vector<double>& of_column : weights_) {
    weights.push_back(&of_column);
  }
  for (const Restriction& restriction : restrictions) {
    weights[restriction.condition.column] = &restriction.weights;
  }
  return weights;
}

bool CellDecoder::tells_rows_apart(std::span<const Restriction> restrictions) const {
  return std::any_of(restrictions.begin(), restrictions.end(), [&](const Restriction& one) {
    return forest_.has(one.condition.column) &&
           std::any_of(one.shares.begin(), one.shares.end(),
                       [](double share) { return share > 0.0 && share < 1.0; });
  });
}

std::vector<double> CellDecoder::likelihoods(const CodedRows& rows,
                                             std::span<const Restriction> restrictions) const {
  const std::vector<const std::vector<double>*> all = weights_under({});
  const std::vector<const std::vector<double>*> allowed = weights_under(restrictions);
  FinerForest::Scratch scratch;
  std::vector<double> result;
  for (std::size_t r = 0; r < rows.rows; ++r) {
    const auto row = rows.row(r);
    double likelihood =
        std::exp(forest_.log_weight(row, allowed, scratch) - forest_.log_weight(row, all, scratch));
    for (const Restriction& one : restrictions) {
      likelihood /= forest_.has(one.condition.column) ? one.shares[row[one.condition.column]] : 1.0;
    }
    result.push_back(likelihood);
  }
  return result;
}

void CellDecoder::make_finer(Batch& batch, std::span<const Restriction> restrictions,
                             SeededRandom& random) const {
  const std::size_t columns = leaves_.size();
  const std::vector<const std::vector<double>*> weights = weights_under(restrictions);
  batch.finer.resize(batch.count * columns);
  FinerForest::Scratch scratch;
  for (std::size_t i = 0; i < batch.count; ++i) {
    forest_.draw(batch.rows.row(batch.first + i), weights, random, scratch,
                 {&batch.finer[i * columns], columns});
  }
}

std::vector<double> CellDecoder::followed_shares(std::size_t column, std::size_t cell,
                                                 std::span<const std::uint32_t> members,
                                                 const Batch& batch, SeededRandom& random) const {
  const auto& follower = links_.of_column[column];
  const Cell& own = cells_[column][cell];
  if (!follower || leaves_[column].is_missing(own.parts.front().first)) {
    return {};
  }
  const std::size_t other = follower->column;
  std::vector<double> shares;
  for (const std::uint32_t i : members) {
    const double other_share = batch.shares[other][i];
    shares.push_back(std::isnan(other_share)
                         ? random.uniform()
                         : follower->link.draw_share(batch.rows.row(batch.first + i)[other],
                                                     other_share, forest_.joint_cell(column, cell),
                                                     own.low, own.high, random));
  }
  return shares;
}

void CellDecoder::decode_column(std::size_t column, const std::vector<Cell>& cells, Batch& batch,
                                SeededRandom& random, EncodedColumn& out) const {
  // Fewer rows of a cell than this take the shares that they draw as they are.
  constexpr std::size_t kFewestToOrder = 16;
  const Column& decoded = leaves_[column].column();
  if (decoded.is_image()) {
    out.pixels.resize(batch.count * decoded.shape->size());
    return;
  }
  const bool is_number = decoded.is_number();
  std::vector<std::vector<std::uint32_t>> rows_of_cell(cells.size());
  for (std::size_t i = 0; i < batch.count; ++i) {
    rows_of_cell[batch.finer[i * leaves_.size() + column]].push_back(static_cast<std::uint32_t>(i));
  }
  if (is_number) {
    out.numbers.resize(batch.count);
  } else {
    out.codes.resize(batch.count);
  }
  if (is_followed_[column]) {
    batch.shares[column].assign(batch.count, std::numeric_limits<double>::quiet_NaN());
  }
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    std::vector<std::uint32_t>& members = rows_of_cell[cell];
    MEHLER_ASSERT(members.empty() || !cells[cell].parts.empty());
    for (std::size_t i = members.size(); i > 1; --i) {
      std::swap(members[i - 1], members[static_cast<std::size_t>(random.next_word() % i)]);
    }
    if (members.empty()) {
      continue;
    }
    // The rows of a cell get quantiles that are spread evenly, in random order or in that of the
    // shares that they draw: as many small values as the estimate says, not only on average.
    std::vector<double> drawn = followed_shares(column, cell, members, batch, random);
    const bool in_order = drawn.size() >= kFewestToOrder;
    if (in_order) {
      std::vector<std::size_t> by_share(members.size());
      std::iota(by_share.begin(), by_share.end(), 0U);
      std::stable_sort(by_share.begin(), by_share.end(),
                       [&](std::size_t a, std::size_t b) { return drawn[a] < drawn[b]; });
      const std::vector<std::uint32_t> shuffled = members;
      for (std::size_t i = 0; i < members.size(); ++i) {
        members[i] = shuffled[by_share[i]];
      }
    }
    for (std::size_t i = 0; i < members.size(); ++i) {
      const double quantile =
          drawn.empty() || in_order
              ? (static_cast<double>(i) + random.uniform()) / static_cast<double>(members.size())
              : drawn[i];
      const Decoded value = at_quantile(cells[cell], quantile);
      if (!is_number) {
        out.codes[members[i]] = static_cast<std::int32_t>(value.leaf);
        continue;
      }
      if (leaves_[column].is_missing(value.leaf)) {
        out.numbers[members[i]] = std::numeric_limits<double>::quiet_NaN();
        continue;
      }
      out.numbers[members[i]] = value.is_one_value
                                    ? leaves_[column].frequent_coordinate(value.leaf)
                                    : leaves_[column].coordinate(value.leaf, value.fraction);
      if (is_followed_[column]) {
        const Cell& whole = cells_[column][cell];
        batch.shares[column][members[i]] =
            whole.low + (whole.high - whole.low) * share_below(whole, value);
      }
    }
  }
}

EncodedBatch CellDecoder::decode(const CodedRows& rows, std::size_t first, std::size_t count,
                                 SeededRandom& random,
                                 std::span<const Restriction> restrictions) const {
  MEHLER_ASSERT(rows.columns == leaves_.size() && first + count <= rows.rows);
  EncodedBatch batch;
  batch.rows = count;
  batch.columns.resize(leaves_.size());
  Batch known{rows, first, count, {}, std::vector<std::vector<double>>(leaves_.size())};
  make_finer(known, restrictions, random);
  for (const std::size_t c : links_.order) {
    const auto restriction =
        std::find_if(restrictions.begin(), restrictions.end(),
                     [&](const Restriction& one) { return one.condition.column == c; });
    const bool is_held = restriction != restrictions.end();
    decode_column(c, is_held ? restriction->cells : cells_[c], known, random, batch.columns[c]);
    if (is_held) {
      // A position is a rounding away from the coordinate that it stands for.
      for (double& number : batch.columns[c].numbers) {
        number = restriction->condition.nearest(number);
      }
    }
  }
  return batch;
}

}  // namespace mehler
