#include "mehler/generator/fitted_table/logit_tables.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "mehler/core/error.h"

namespace mehler {
namespace {

constexpr std::uint32_t kNoPlace = 0xFFFFFFFF;
/// Forces are finite in single precision, whatever the weights and targets, and so are their sums.
constexpr double kLargestForce = 1e30;
/// The force of a forbidden cell: far below all others, and their sums are still finite, so that a
/// row without any other choice has one.
constexpr float kForbidden = -1e31F;
/// Below this a weight is as good as zero in single precision.
constexpr double kSmallestWeight = 1e-30;
/// Tables with more codes in all than this do not fit into the nearer caches.
constexpr std::size_t kManyLanes = 512;
constexpr std::size_t kAlignment = 64 / sizeof(float);

std::size_t blocks_of(std::size_t lanes) { return (lanes + kForceBlock - 1) / kForceBlock; }

/// Blocks that a column touches.
std::size_t blocks_of(const LogitColumn& column) {
  return blocks_of(column.lane % kForceBlock + column.size);
}

}  // namespace

LogitTables::LogitTables(const CliqueTargets& targets, std::vector<double> weights,
                         std::vector<bool> fixed, WithoutMemory)
    : sizes_(targets.sizes), weights_(std::move(weights)), has_(std::move(fixed)) {
  MEHLER_ASSERT(weights_.size() == targets.cliques.size());
  for (const CliqueTarget& clique : targets.cliques) {
    cliques_.push_back(clique.columns);
    forbidden_.push_back(clique.forbidden);
  }
  has_.resize(weights_.size(), false);
  for (std::size_t k = 0; k < weights_.size(); ++k) {
    weights_[k] = weights_[k] < kSmallestWeight ? 0.0 : weights_[k];
    has_[k] = has_[k] || weights_[k] > 0.0 || !forbidden_[k].empty();
  }
  place_columns();
  lay_out();
}

LogitTables::LogitTables(const CliqueTargets& targets, std::vector<double> weights,
                         std::vector<bool> fixed)
    : LogitTables(targets, std::move(weights), std::move(fixed), WithoutMemory{}) {
  allocate();
  for (std::size_t k = 0; k < cliques_.size(); ++k) {
    if (!forbidden_[k].empty()) {
      set(k, std::vector<double>(cells(k), 0.0));
    }
  }
}

std::size_t LogitTables::bytes(const CliqueTargets& targets, std::span<const double> weights) {
  return LogitTables(targets, {weights.begin(), weights.end()}, {}, WithoutMemory{}).floats() *
         sizeof(float);
}

void LogitTables::place_columns() {
  const std::vector<std::size_t>& sizes = sizes_;
  std::vector<std::size_t> by_size(sizes.size());
  std::iota(by_size.begin(), by_size.end(), std::size_t{0});
  std::stable_sort(by_size.begin(), by_size.end(),
                   [&](std::size_t a, std::size_t b) { return sizes[a] > sizes[b]; });
  std::vector<std::size_t> used;  // lanes of each block
  std::size_t first_open = 0;
  // Wide tables wait for memory: there columns stand close, and a choice may read two blocks.
  const bool close = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}) > kManyLanes;
  std::size_t end_of_last = 0;
  for (const std::size_t column : by_size) {
    const std::size_t size = sizes[column];
    std::size_t block = used.size();
    if (size <= kForceBlock) {
      while (first_open < used.size() && used[first_open] == kForceBlock) {
        ++first_open;
      }
      block = first_open;
      while (block < used.size() && used[block] + size > kForceBlock) {
        ++block;
      }
    }
    LogitColumn placed;
    placed.code_place = column;
    placed.size = size;
    placed.lane = block * kForceBlock + (block < used.size() ? used[block] : 0);
    if (close) {
      placed.lane = end_of_last;
    }
    const std::size_t end = placed.lane + size;
    end_of_last = end;
    used.resize(std::max(used.size(), blocks_of(end)), kForceBlock);
    used[(end - 1) / kForceBlock] = (end - 1) % kForceBlock + 1;
    view_.columns.push_back(std::move(placed));
  }
  view_.lanes = (used.size() * kForceBlock + kLogitTile - 1) / kLogitTile * kLogitTile;
  std::sort(view_.columns.begin(), view_.columns.end(),
            [](const LogitColumn& a, const LogitColumn& b) { return a.lane < b.lane; });
  order_.resize(sizes.size());
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    order_[view_.columns[c].code_place] = c;
  }
}

void LogitTables::lay_out() {
  const std::size_t columns = view_.columns.size();
  first_triple_.assign(cliques_.size(), 0);
  for (std::size_t k = 0; k < cliques_.size(); ++k) {
    const auto weight = static_cast<float>(weights_[k]);
    std::vector<std::uint32_t> members;
    for (const std::size_t column : cliques_[k]) {
      members.push_back(static_cast<std::uint32_t>(order_[column]));
    }
    if (!has_[k]) {
      continue;
    }
    if (members.size() == 1) {
      view_.columns[members[0]].single_weight = weight;
    } else if (members.size() == 2) {
      view_.columns[members[0]].partners.push_back({members[1], 0, 0, weight});
      view_.columns[members[1]].partners.push_back({members[0], 0, 0, weight});
    } else {
      first_triple_[k] = view_.triples.size();
      for (std::size_t mover = 0; mover < 3; ++mover) {
        const std::uint32_t first = members[mover == 0 ? 1 : 0];
        const std::uint32_t second = members[mover == 2 ? 1 : 2];
        const auto number = static_cast<std::uint32_t>(view_.triples.size());
        view_.columns[first].triples.push_back(number);
        view_.columns[second].triples.push_back(number);
        view_.triples.push_back({members[mover], first, second, weight, nullptr,
                                 blocks_of(view_.columns[members[mover]]) * kForceBlock});
      }
    }
  }
  places_.assign(columns * columns, kNoPlace);
  view_.tiles.resize(view_.lanes / kLogitTile);
  for (std::size_t c = 0; c < columns; ++c) {
    find_tiles(c);
  }
  for (std::size_t c = 0; c < columns; ++c) {
    for (LogitPartner& partner : view_.columns[c].partners) {
      partner.place_back = places_[partner.column * columns + c];
    }
  }
}

void LogitTables::find_tiles(std::size_t c) {
  LogitColumn& column = view_.columns[c];
  std::sort(column.partners.begin(), column.partners.end(),
            [](const LogitPartner& a, const LogitPartner& b) { return a.column < b.column; });
  std::vector<std::uint32_t> tile_places(view_.tiles.size(), kNoPlace);
  for (const LogitPartner& partner : column.partners) {
    const LogitColumn& other = view_.columns[partner.column];
    const std::size_t first = other.lane / kLogitTile;
    const std::size_t last = (other.lane + other.size - 1) / kLogitTile;
    std::fill_n(tile_places.begin() + static_cast<std::ptrdiff_t>(first), last - first + 1, 0);
  }
  for (std::size_t tile = 0; tile < tile_places.size(); ++tile) {
    if (tile_places[tile] != kNoPlace) {
      tile_places[tile] = static_cast<std::uint32_t>(column.stride);
      column.tiles.push_back({static_cast<std::uint32_t>(c),
                              static_cast<std::uint32_t>(tile * kLogitTile), tile_places[tile]});
      view_.tiles[tile].push_back(column.tiles.back());
      column.stride += kLogitTile;
    }
  }
  for (LogitPartner& partner : column.partners) {
    const std::size_t lane = view_.columns[partner.column].lane;
    partner.place = static_cast<std::uint32_t>(tile_places[lane / kLogitTile] + lane % kLogitTile);
    places_[c * view_.columns.size() + partner.column] = partner.place;
  }
}

std::size_t LogitTables::floats() const {
  const std::size_t columns = view_.columns.size();
  std::size_t sum = view_.lanes;
  sum += (columns + 1) * blocks_of(columns) * kForceBlock;
  for (const LogitColumn& column : view_.columns) {
    sum += column.size * column.stride + blocks_of(column) * kForceBlock;
  }
  for (const LogitTriple& triple : view_.triples) {
    sum += view_.columns[triple.first].size * view_.columns[triple.second].size * triple.stride;
  }
  return sum + kAlignment;
}

void LogitTables::allocate() {
  memory_.assign(floats(), 0.0F);
  void* aligned = memory_.data();
  std::size_t space = memory_.size() * sizeof(float);
  std::align(kAlignment * sizeof(float), sizeof(float), aligned, space);
  auto* next = static_cast<float*>(aligned);
  const auto take = [&next](std::size_t count) { return std::exchange(next, next + count); };

  const std::size_t padded = blocks_of(view_.columns.size()) * kForceBlock;
  view_.singles = take(view_.lanes);
  float* own = take(padded);
  float* pairs = take(view_.columns.size() * padded);
  view_.own_weights = own;
  view_.pair_weights = pairs;
  for (std::size_t c = 0; c < view_.columns.size(); ++c) {
    LogitColumn& column = view_.columns[c];
    column.rows = take(column.size * column.stride);
    const std::size_t lanes = blocks_of(column) * kForceBlock;
    float* outside = take(lanes);
    column.outside = outside;
    std::fill_n(outside, lanes, -std::numeric_limits<float>::infinity());
    std::fill_n(outside + column.lane % kForceBlock, column.size, 0.0F);
    own[c] += column.single_weight;
    for (const LogitPartner& partner : column.partners) {
      pairs[c * padded + partner.column] = partner.weight;
      own[c] += partner.weight;
    }
  }
  for (LogitTriple& triple : view_.triples) {
    triple.rows =
        take(view_.columns[triple.first].size * view_.columns[triple.second].size * triple.stride);
    own[triple.mover] += triple.weight;
  }
}

std::size_t LogitTables::cells(std::size_t clique) const {
  std::size_t product = 1;
  for (const std::size_t column : cliques_[clique]) {
    product *= sizes_[column];
  }
  return product;
}

template <class Visit>
void LogitTables::visit_cells(std::size_t clique, bool all_copies, const Visit& visit) const {
  const std::vector<std::size_t>& members = cliques_[clique];
  const LogitColumn& a = view_.columns[order_[members[0]]];
  if (members.size() == 1) {
    for (std::size_t i = 0; i < a.size; ++i) {
      visit(i, view_.singles[a.lane + i]);
    }
    return;
  }
  const LogitColumn& b = view_.columns[order_[members[1]]];
  if (members.size() == 2) {
    const std::size_t columns = view_.columns.size();
    const std::uint32_t a_to_b = places_[order_[members[0]] * columns + order_[members[1]]];
    const std::uint32_t b_to_a = places_[order_[members[1]] * columns + order_[members[0]]];
    for (std::size_t i = 0; i < a.size; ++i) {
      for (std::size_t j = 0; j < b.size; ++j) {
        visit(i * b.size + j, a.rows[i * a.stride + a_to_b + j]);
        if (all_copies) {
          visit(i * b.size + j, b.rows[j * b.stride + b_to_a + i]);
        }
      }
    }
    return;
  }
  const std::array<std::size_t, 3> sizes = {a.size, b.size, sizes_[members[2]]};
  const std::size_t copies = all_copies ? 3 : 1;
  for (std::size_t mover = 0; mover < copies; ++mover) {
    const LogitTriple& triple = view_.triples[first_triple_[clique] + mover];
    const std::size_t lane = view_.columns[triple.mover].lane % kForceBlock;
    std::size_t cell = 0;
    for (std::size_t i = 0; i < sizes[0]; ++i) {
      for (std::size_t j = 0; j < sizes[1]; ++j) {
        for (std::size_t k = 0; k < sizes[2]; ++k, ++cell) {
          const std::size_t moving = mover == 0 ? i : mover == 1 ? j : k;
          const std::size_t first = mover == 0 ? j : i;
          const std::size_t second = mover == 2 ? j : k;
          const std::size_t row = first * sizes[mover == 2 ? 1 : 2] + second;
          visit(cell, triple.rows[row * triple.stride + lane + moving]);
        }
      }
    }
  }
}

void LogitTables::set(std::size_t clique, std::span<const double> forces) {
  MEHLER_ASSERT(has_[clique] && forces.size() == cells(clique));
  const std::vector<bool>& forbidden = forbidden_[clique];
  visit_cells(clique, true, [&](std::size_t cell, float& value) {
    value = !forbidden.empty() && forbidden[cell]
                ? kForbidden
                : static_cast<float>(std::clamp(forces[cell], -kLargestForce, kLargestForce));
  });
}

void LogitTables::get(std::size_t clique, std::span<double> forces) const {
  MEHLER_ASSERT(forces.size() == cells(clique));
  if (!has_[clique]) {
    std::fill(forces.begin(), forces.end(), 0.0);
    return;
  }
  visit_cells(clique, false,
              [&](std::size_t cell, const float& value) { forces[cell] = double{value}; });
}

void LogitTables::logits(std::span<const std::uint16_t> row, std::size_t column,
                         std::vector<double>& result) const {
  const std::size_t c = order_[column];
  const LogitColumn& mover = view_.columns[c];
  const auto code = [&](std::size_t p) { return row[view_.columns[p].code_place]; };
  result.assign(mover.size, 0.0);
  const auto add = [&result](const float* forces) {
    for (double& value : result) {
      value += double{*forces++};
    }
  };
  add(view_.singles + mover.lane);
  for (const LogitPartner& partner : mover.partners) {
    const LogitColumn& other = view_.columns[partner.column];
    add(other.rows + code(partner.column) * other.stride + partner.place_back);
  }
  for (const LogitTriple& triple : view_.triples) {
    if (triple.mover == c) {
      const std::size_t cell =
          code(triple.first) * view_.columns[triple.second].size + code(triple.second);
      add(triple.rows + cell * triple.stride + mover.lane % kForceBlock);
    }
  }
}

void LogitTables::forbid(std::size_t column, std::size_t code) {
  const LogitColumn& placed = view_.columns[order_[column]];
  MEHLER_ASSERT(code < placed.size);
  view_.singles[placed.lane + code] = -std::numeric_limits<float>::infinity();
}

void LogitTables::favour(std::size_t column, std::size_t code, double potential) {
  const LogitColumn& placed = view_.columns[order_[column]];
  MEHLER_ASSERT(code < placed.size);
  view_.singles[placed.lane + code] += static_cast<float>(potential);
}

}  // namespace mehler
