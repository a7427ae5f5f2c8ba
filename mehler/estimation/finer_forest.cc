#include "mehler/estimation/finer_forest.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "mehler/core/error.h"

namespace mehler {
namespace {

/// The coarsest cells that refine all of these, of one column.
std::shared_ptr<const ColumnPartition> common_cells(
    std::span<const std::shared_ptr<const ColumnPartition>> all) {
  std::set<std::uint32_t> starts;
  const std::shared_ptr<const ColumnPartition>* finest = &all[0];
  for (const auto& cells : all) {
    starts.insert(cells->starts().begin(), cells->starts().end());
    if (cells->size() > (*finest)->size()) {
      finest = &cells;
    }
  }
  if ((*finest)->starts().size() == starts.size()) {
    return *finest;
  }
  return std::make_shared<const ColumnPartition>(
      ColumnPartition::ranges(all[0]->column(), {starts.begin(), starts.end()}));
}

/// The finer cells are those of one partition after the other: what they are in a coarser one.
std::vector<std::uint32_t> places_in(const ColumnPartition& finer, const ColumnPartition& coarser) {
  const std::vector<std::size_t> within = finer.cells_within(coarser);
  return {within.begin(), within.end()};
}

/// The strongest tables first, as long as they close no circle.
std::vector<FinerTable> without_circles(std::vector<FinerTable> tables, std::size_t columns) {
  std::vector<std::pair<double, std::size_t>> by_strength;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    by_strength.emplace_back(-tables[i].information(), i);
  }
  std::sort(by_strength.begin(), by_strength.end());
  std::vector<std::size_t> tree(columns);
  std::iota(tree.begin(), tree.end(), std::size_t{0});
  std::vector<FinerTable> kept;
  for (const auto& entry : by_strength) {
    FinerTable& table = tables[entry.second];
    const std::size_t joined = tree[table.first];
    if (joined == tree[table.second]) {
      continue;
    }
    std::replace(tree.begin(), tree.end(), joined, tree[table.second]);
    kept.push_back(std::move(table));
  }
  return kept;
}

/// A place drawn in proportion to weights; the last one that has any if rounding leads beyond.
std::size_t draw_place(std::span<const double> weights, SeededRandom& random) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  double left = random.uniform() * sum;
  std::size_t last = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] > 0.0) {
      last = i;
      if (left < weights[i]) {
        return i;
      }
    }
    left -= weights[i];
  }
  return last;
}

}  // namespace

FinerForest::FinerForest(std::span<const std::shared_ptr<const ColumnPartition>> joint_cells)
    : FinerForest(joint_cells, {}) {}

FinerForest::FinerForest(std::span<const std::shared_ptr<const ColumnPartition>> joint_cells,
                         std::vector<FinerTable> tables) {
  const std::vector<FinerTable> kept = without_circles(std::move(tables), joint_cells.size());
  std::vector<std::vector<std::shared_ptr<const ColumnPartition>>> all;
  for (const auto& cells : joint_cells) {
    all.push_back({cells});
  }
  for (const FinerTable& table : kept) {
    all[table.first].push_back(table.first_cells);
    all[table.second].push_back(table.second_cells);
  }
  for (std::size_t c = 0; c < joint_cells.size(); ++c) {
    cells_.push_back(common_cells(all[c]));
    joint_of_.push_back(cells_[c]->cells_within(*joint_cells[c]));
    std::vector<std::uint32_t>& first = first_of_joint_.emplace_back();
    for (std::size_t cell = 0; cell < joint_of_[c].size(); ++cell) {
      if (first.size() <= joint_of_[c][cell]) {
        first.push_back(static_cast<std::uint32_t>(cell));
      }
    }
    first.push_back(static_cast<std::uint32_t>(cells_[c]->size()));
  }
  std::vector<bool> reached(joint_cells.size());
  for (const FinerTable& table : kept) {
    if (!reached[table.first]) {
      grow(kept, table.first, reached);
    }
  }
}

void FinerForest::grow(const std::vector<FinerTable>& tables, std::size_t root,
                       std::vector<bool>& reached) {
  const std::size_t begin = nodes_.size();
  Node& first = nodes_.emplace_back();
  first.column = root;
  reached[root] = true;
  for (std::size_t node = begin; node < nodes_.size(); ++node) {
    for (const FinerTable& table : tables) {
      const std::size_t column = nodes_[node].column;
      if (table.first == column && !reached[table.second]) {
        nodes_.push_back(make_node(table, false, node));
      } else if (table.second == column && !reached[table.first]) {
        nodes_.push_back(make_node(table, true, node));
      } else {
        continue;
      }
      reached[nodes_.back().column] = true;
    }
  }
}

FinerForest::Node FinerForest::make_node(const FinerTable& table, bool turned,
                                         std::size_t parent) const {
  const std::size_t first = table.first_cells->size();
  const std::size_t second = table.second_cells->size();
  std::vector<double> of_first(first);
  std::vector<double> of_second(second);
  double all = 0.0;
  for (std::size_t i = 0; i < table.counts.size(); ++i) {
    of_first[i / second] += table.counts[i];
    of_second[i % second] += table.counts[i];
    all += table.counts[i];
  }
  Node node;
  node.column = turned ? table.first : table.second;
  node.parent = parent;
  node.width = turned ? first : second;
  node.ratios.resize(table.counts.size());
  for (std::size_t i = 0; i < first; ++i) {
    for (std::size_t j = 0; j < second; ++j) {
      const double ratio = table.counts[i * second + j] * all / (of_first[i] * of_second[j]);
      node.ratios[turned ? j * first + i : i * second + j] = ratio;
    }
  }
  const ColumnPartition& first_cells = *table.first_cells;
  const ColumnPartition& second_cells = *table.second_cells;
  const std::vector<std::uint32_t> first_places = places_in(*cells_[table.first], first_cells);
  const std::vector<std::uint32_t> second_places = places_in(*cells_[table.second], second_cells);
  node.parent_place = turned ? second_places : first_places;
  node.place = turned ? first_places : second_places;
  return node;
}

bool FinerForest::has(std::size_t column) const {
  return std::any_of(nodes_.begin(), nodes_.end(),
                     [&](const Node& node) { return node.column == column; });
}

double FinerForest::gather(std::span<const std::uint16_t> joint,
                           std::span<const std::vector<double>* const> weights,
                           Scratch& below) const {
  below.resize(nodes_.size() + 1);  // and room for draw()
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    const std::size_t c = nodes_[node].column;
    const auto from = static_cast<std::ptrdiff_t>(first_cell(node, joint));
    const auto to = static_cast<std::ptrdiff_t>(first_of_joint_[c][joint[c] + 1U]);
    below[node].assign(weights[c]->begin() + from, weights[c]->begin() + to);
  }
  double divided_by = 0.0;
  for (std::size_t node = nodes_.size(); node-- > 0;) {
    const Node& own = nodes_[node];
    if (own.parent == kNone) {
      continue;
    }
    std::vector<double>& above = below[own.parent];
    double largest = 0.0;
    for (std::size_t p = 0; p < above.size(); ++p) {
      const std::size_t parent_cell = first_cell(own.parent, joint) + p;
      double sum = 0.0;
      for (std::size_t f = 0; f < below[node].size(); ++f) {
        sum += own.ratio(parent_cell, first_cell(node, joint) + f) * below[node][f];
      }
      above[p] *= sum;
      largest = std::max(largest, above[p]);
    }
    for (double& weight : above) {
      weight /= largest;  // products of many small numbers would vanish
    }
    divided_by += std::log(largest);
  }
  return divided_by;
}

double FinerForest::log_weight(std::span<const std::uint16_t> joint,
                               std::span<const std::vector<double>* const> weights,
                               Scratch& scratch) const {
  double result = gather(joint, weights, scratch);
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    if (nodes_[node].parent == kNone) {
      result += std::log(std::accumulate(scratch[node].begin(), scratch[node].end(), 0.0));
    }
  }
  return result;
}

void FinerForest::draw(std::span<const std::uint16_t> joint,
                       std::span<const std::vector<double>* const> weights, SeededRandom& random,
                       Scratch& scratch, std::span<std::uint32_t> finer) const {
  for (std::size_t c = 0; c < joint.size(); ++c) {
    finer[c] = first_of_joint_[c][joint[c]];
  }
  if (nodes_.empty()) {
    return;
  }
  gather(joint, weights, scratch);
  std::vector<double>& given = scratch.back();
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    const Node& own = nodes_[node];
    const std::uint32_t first = first_cell(node, joint);
    given = scratch[node];
    if (own.parent != kNone) {
      for (std::size_t f = 0; f < given.size(); ++f) {
        given[f] *= own.ratio(finer[nodes_[own.parent].column], first + f);
      }
    }
    finer[own.column] = static_cast<std::uint32_t>(first + draw_place(given, random));
  }
}

}  // namespace mehler
