#include "mehler/estimation/network_growth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/estimation/marginal_estimates.h"

namespace mehler {
namespace {

/// Synthetic rows: as many as there are records, but enough to tell cells apart, and not more than
/// tell more.
constexpr double kFewestGrown = 4096.0;
constexpr double kMostGrown = 1048576.0;
constexpr std::uint64_t kGrowthSeed = 1;
/// Codes have 16 bits.
constexpr std::size_t kMostCodes = 65'536;

std::vector<double> even_shares(std::size_t cells) {
  return std::vector<double>(cells, 1.0 / static_cast<double>(cells));
}

/// Each row of a table brought to 1; `otherwise` where there is nothing.
void normalise_rows(std::vector<double>& table, std::span<const double> otherwise) {
  const std::size_t own = otherwise.size();
  for (std::size_t first = 0; first < table.size(); first += own) {
    const std::span<double> row(&table[first], own);
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    if (sum > 0.0 && std::isfinite(sum)) {
      for (double& share : row) {
        share /= sum;
      }
    } else {
      std::copy(otherwise.begin(), otherwise.end(), row.begin());
    }
  }
}

}  // namespace

void deal_column(const NetworkColumn& column, SeededRandom& random, CodedRows& rows) {
  std::vector<std::vector<std::uint32_t>> members(column.parent_cells());
  for (std::size_t r = 0; r < rows.rows; ++r) {
    const auto row = rows.row(r);
    std::size_t place = 0;
    for (std::size_t i = 0; i < column.parents.size(); ++i) {
      place = place * column.shape[i] + row[column.parents[i]];
    }
    members[place].push_back(static_cast<std::uint32_t>(r));
  }
  const std::size_t own = column.own_cells();
  for (std::size_t place = 0; place < members.size(); ++place) {
    std::vector<std::uint32_t>& of_cell = members[place];
    for (std::size_t i = of_cell.size(); i > 1; --i) {
      std::swap(of_cell[i - 1], of_cell[static_cast<std::size_t>(random.next_word() % i)]);
    }
    // Evenly spaced levels from a random start: each cell gets its share of them, up or down to the
    // next whole number.
    const double start = random.uniform();
    double below = 0.0;
    std::size_t next = 0;
    for (std::size_t k = 0; k < own; ++k) {
      below += column.shares[place * own + k];
      const bool is_last = k + 1 == own;
      for (; next < of_cell.size() && (is_last || static_cast<double>(next) + start <
                                                      below * static_cast<double>(of_cell.size()));
           ++next) {
        rows.row(of_cell[next])[column.column] = static_cast<std::uint16_t>(k);
      }
    }
  }
}

NetworkGrowth::NetworkGrowth(const Encoder& encoder, std::optional<std::uint64_t> public_rows,
                             NetworkEstimate estimate)
    : encoder_(encoder),
      estimate_(estimate),
      measurements_(encoder),
      cells_(encoder.columns().size()),
      shares_(encoder.columns().size()),
      random_(kGrowthSeed) {
  if (public_rows) {
    measurements_.set_public_rows(static_cast<double>(*public_rows));
  }
}

bool NetworkGrowth::has(std::size_t column) const {
  return std::any_of(columns_.begin(), columns_.end(),
                     [&](const NetworkColumn& known) { return known.column == column; });
}

void NetworkGrowth::add(const CountBlock& block, const NoisyBlock& noisy, double sigma) {
  require_same_cells(block);
  const CellCounts* cells = block.cell_counts();
  if (cells == nullptr || block.step == network_steps::kColumns) {
    measurements_.add(block, noisy, sigma);
    return;
  }
  const auto unknown = static_cast<std::size_t>(
      std::count_if(cells->columns.begin(), cells->columns.end(),
                    [&](const CountedColumn& counted) { return !has(counted.column); }));
  const bool is_root = block.step == network_steps::kRoot;
  if (unknown != 1 || is_root != columns_.empty() || (is_root && cells->columns.size() != 1)) {
    throw Error(ErrorCode::kInvalidRelease,
                fmt::format("block '{}' is out of place in the network: it must add one column to "
                            "those before it",
                            shown(block.name)));
  }
  if (is_root) {
    measurements_.add(block, noisy, sigma);
    start();
  }
  std::vector<double> counts;
  NetworkColumn column = read_table(*cells, noisy, counts);
  if (is_root && estimate_ == NetworkEstimate::kShrunk) {
    column.shares = shares_[column.column];
  } else if (estimate_ == NetworkEstimate::kShrunk) {
    shrink(*cells, sigma, counts, column);
  } else {
    clip(counts, column);
  }
  grow(std::move(column));
}

void NetworkGrowth::require_same_cells(const CountBlock& block) {
  const CellCounts* counted = block.cell_counts();
  if (counted == nullptr && !std::holds_alternative<RecordCount>(block.counted)) {
    throw Error(ErrorCode::kInvalidRelease,
                fmt::format("block '{}' is of another kind than a network's", shown(block.name)));
  }
  for (const CountedColumn& column :
       counted == nullptr ? std::vector<CountedColumn>() : counted->columns) {
    std::shared_ptr<const ColumnPartition>& known = cells_.at(column.column);
    if ((known && !hold_the_same(known, column.cells)) || column.cells->size() > kMostCodes) {
      throw Error(ErrorCode::kInvalidRelease,
                  fmt::format("block '{}' counts a column in other cells than a network has",
                              shown(block.name)));
    }
    known = column.cells;
  }
}

void NetworkGrowth::start() {
  const auto grown =
      static_cast<std::size_t>(std::clamp(measurements_.rows(), kFewestGrown, kMostGrown));
  rows_ = CodedRows(grown, encoder_.columns().size());
  if (estimate_ == NetworkEstimate::kClipped) {
    return;  // which does without
  }
  for (std::size_t c = 0; c < shares_.size(); ++c) {
    if (measurements_.one_ways()[c].cells.empty()) {
      throw Error(ErrorCode::kInvalidRelease,
                  fmt::format("the network begins before column '{}' was counted",
                              shown(encoder_.columns()[c].name)));
    }
  }
  const std::vector<ColumnEstimate> estimates = estimate_columns(measurements_);
  for (std::size_t c = 0; c < shares_.size(); ++c) {
    shares_[c] = estimates[c].counts;
    normalise_rows(shares_[c], even_shares(shares_[c].size()));
  }
}

void NetworkGrowth::grow(NetworkColumn column) {
  deal_column(column, random_, rows_);
  columns_.push_back(std::move(column));
}

NetworkColumn NetworkGrowth::read_table(const CellCounts& cells, const NoisyBlock& noisy,
                                        std::vector<double>& counts) const {
  NetworkColumn result;
  std::size_t child = 0;
  const std::vector<std::size_t> shape = cells.shape();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (has(cells.columns[i].column)) {
      result.parents.push_back(cells.columns[i].column);
      result.shape.push_back(shape[i]);
    } else {
      child = i;
    }
  }
  result.column = cells.columns[child].column;
  result.shape.push_back(shape[child]);
  // The same counts with the child running fastest.
  counts.resize(noisy.columns);
  std::size_t after = 1;
  for (std::size_t i = child + 1; i < shape.size(); ++i) {
    after *= shape[i];
  }
  const std::size_t own = shape[child];
  for (std::size_t place = 0; place < noisy.columns; ++place) {
    const std::size_t cell = place / after % own;
    const std::size_t others = place / (after * own) * after + place % after;
    counts[others * own + cell] = noisy.at(0, place);
  }
  return result;
}

void NetworkGrowth::shrink(const CellCounts& cells, double sigma, const std::vector<double>& counts,
                           NetworkColumn& column) const {
  std::vector<CountedColumn> parents;
  for (const CountedColumn& counted : cells.columns) {
    if (counted.column != column.column) {
      parents.push_back(counted);
    }
  }
  const std::vector<double> others = expected_counts(parents);
  std::vector<double> own = shares_[column.column];
  if (own.empty()) {
    own = even_shares(column.own_cells());
  }
  MEHLER_ASSERT(own.size() == column.own_cells() && others.size() * own.size() == counts.size());
  const double variance = sigma * sigma;
  double squares = 0.0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double deviation = counts[i] - others[i / own.size()] * own[i % own.size()];
    squares += deviation * deviation;
  }
  const double excess = squares - static_cast<double>(counts.size()) * variance;
  const double strength = std::max(0.0, excess / std::max(records(), 1.0));
  column.shares.resize(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double expected = others[i / own.size()] * own[i % own.size()];
    const double prior = strength * expected;
    const double kept = prior > 0.0 ? prior / (prior + variance) : 0.0;
    column.shares[i] = std::max(0.0, expected + kept * (counts[i] - expected));
  }
  normalise_rows(column.shares, own);
}

void NetworkGrowth::clip(const std::vector<double>& counts, NetworkColumn& column) {
  column.shares = counts;
  for (double& share : column.shares) {
    share = std::max(0.0, share);
  }
  normalise_rows(column.shares, even_shares(column.own_cells()));
}

std::vector<double> NetworkGrowth::expected_counts(std::span<const CountedColumn> columns) const {
  std::size_t size = 1;
  for (const CountedColumn& counted : columns) {
    size *= counted.cells->size();
  }
  std::vector<double> counts(size, 0.0);
  const double each = records() / static_cast<double>(rows_.rows);
  for (std::size_t r = 0; r < rows_.rows; ++r) {
    const auto row = rows_.row(r);
    std::size_t place = 0;
    for (const CountedColumn& counted : columns) {
      place = place * counted.cells->size() + row[counted.column];
    }
    counts[place] += each;
  }
  return counts;
}

}  // namespace mehler
