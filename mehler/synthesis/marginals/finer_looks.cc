#include "mehler/synthesis/marginals/finer_looks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mehler {
namespace {

constexpr int kMostLooks = 3;
constexpr double kLookShare = 0.04;  ///< of what was left before the first
constexpr double kSigmas = 3.0;      ///< that a filled cell stands out by
/// A first look is worth its noise if the table becomes so many times as large, and half of that if
/// one column stays as it is; so is a later one, as it is known then that cells are filled.
constexpr double kWorth = 4.0;
constexpr double kLeastGrowth = 1.5;
constexpr double kMostFinerTable = 1 << 20;  ///< cells of a table,
constexpr double kMostOfColumn = 1 << 14;    ///< and of one of its columns

}  // namespace

FinerLooks::FinerLooks(const Encoder& encoder, std::span<const ColumnEstimate> columns,
                       std::span<const std::shared_ptr<const ColumnPartition>> cells,
                       std::span<const MarginalEstimate> pairs, std::size_t max_cells,
                       MeasurementRounds& rounds)
    : encoder_(encoder), columns_(columns), cells_(cells), max_cells_(max_cells), rounds_(rounds) {
  std::vector<Pair> all;
  for (const MarginalEstimate& estimate : pairs) {
    if (estimate.columns.size() != 2) {
      continue;
    }
    const std::size_t first = estimate.columns[0];
    const std::size_t second = estimate.columns[1];
    if (is_divisible(first, *cells[first]) || is_divisible(second, *cells[second])) {
      all.push_back({&estimate,
                     mutual_information(estimate.posterior_mean(), cells[second]->size()),
                     cells[first], cells[second]});
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Pair& a, const Pair& b) { return a.information > b.information; });
  std::vector<std::size_t> tree(columns.size());
  std::iota(tree.begin(), tree.end(), std::size_t{0});
  for (Pair& pair : all) {
    const std::size_t joined = tree[pair.estimate->columns[0]];
    const std::size_t other = tree[pair.estimate->columns[1]];
    if (joined != other) {
      std::replace(tree.begin(), tree.end(), joined, other);
      pairs_.push_back(std::move(pair));
    }
  }
}

bool FinerLooks::is_divisible(std::size_t column, const ColumnPartition& cells) const {
  return columns_[column].values && cells.value_cells() < cells.leaves().value_leaves();
}

double FinerLooks::cells_worth(const Pair& pair, double sigma) const {
  const bool first = is_divisible(pair.estimate->columns[0], *pair.first_cells);
  const bool second = is_divisible(pair.estimate->columns[1], *pair.second_cells);
  if (!first && !second) {
    return 0.0;
  }
  const double allowed =
      std::min(rounds_.measurements().rows() * std::exp(pair.information) / (kSigmas * sigma),
               kMostFinerTable);
  const bool is_first = pair.first_cells == cells_[pair.estimate->columns[0]] &&
                        pair.second_cells == cells_[pair.estimate->columns[1]];
  const double growth = first && second && is_first ? kWorth : 0.5 * kWorth;
  return allowed >= growth * pair.cells() ? allowed : 0.0;
}

bool FinerLooks::divide(Pair& pair, double cells) const {
  const std::size_t first = pair.estimate->columns[0];
  const std::size_t second = pair.estimate->columns[1];
  const double before = pair.cells();
  const double growth = cells / before;
  const bool both =
      is_divisible(first, *pair.first_cells) && is_divisible(second, *pair.second_cells);
  const auto divided = [&](std::size_t column, const std::shared_ptr<const ColumnPartition>& own,
                           double most) {
    return is_divisible(column, *own) ? std::make_shared<const ColumnPartition>(divide_further(
                                            columns_[column], *own, static_cast<std::size_t>(most)))
                                      : own;
  };
  const auto size = [](const std::shared_ptr<const ColumnPartition>& of) {
    return static_cast<double>(of->size());
  };
  pair.first_cells = divided(first, pair.first_cells,
                             size(pair.first_cells) * (both ? std::sqrt(growth) : growth));
  // What the first does not take, for lack of values, the second may.
  pair.second_cells = divided(second, pair.second_cells, cells / size(pair.first_cells));
  pair.first_cells = divided(first, pair.first_cells, cells / size(pair.second_cells));
  return pair.cells() >= kLeastGrowth * before;
}

bool FinerLooks::look(int number, double mu_squared, const Context& context) {
  // As many pairs as can share the look and still stand out of the noise.
  std::vector<std::size_t> chosen(pairs_.size());
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  std::vector<double> worth(pairs_.size());
  for (std::size_t sharing = 0; sharing != chosen.size();) {
    sharing = chosen.size();
    std::erase_if(chosen, [&](std::size_t i) {
      const CountBlock block =
          CountBlock::marginal(encoder_, pairs_[i].estimate->columns, cells_, "");
      const double sigma =
          std::sqrt(rounds_.cost(block) * static_cast<double>(sharing) / mu_squared);
      worth[i] = cells_worth(pairs_[i], sigma);
      return worth[i] == 0.0;
    });
  }
  std::vector<CountBlock> blocks;
  std::vector<std::size_t> looked_at;
  double room = static_cast<double>(max_cells_);
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    Pair finer = pairs_[chosen[k]];
    const double fair = room / static_cast<double>(chosen.size() - k);
    if (!divide(finer, std::min(worth[chosen[k]], fair))) {
      continue;
    }
    room -= finer.cells();
    std::vector<std::shared_ptr<const ColumnPartition>> cells(cells_.begin(), cells_.end());
    cells[finer.estimate->columns[0]] = finer.first_cells;
    cells[finer.estimate->columns[1]] = finer.second_cells;
    blocks.push_back(CountBlock::marginal(encoder_, finer.estimate->columns, cells,
                                          fmt::format("finer look {}", number)));
    pairs_[chosen[k]] = std::move(finer);
    looked_at.push_back(chosen[k]);
  }
  if (blocks.empty()) {
    return false;
  }
  const std::size_t before = rounds_.measurements().finer_looks().size();
  const std::vector<double> even(blocks.size(), 1.0);
  rounds_.measure(fmt::format("counts of pairs, finer look {}", number), std::move(blocks), even,
                  mu_squared, context);
  for (std::size_t i = 0; i < looked_at.size(); ++i) {
    const MeasuredMarginal& measured = rounds_.measurements().finer_looks()[before + i];
    Pair& pair = pairs_[looked_at[i]];
    pair.information =
        estimate_finer_table(measured, *pair.estimate, columns_, cells_).information();
  }
  return true;
}

void FinerLooks::measure(const Context& context) {
  const double mu_squared = kLookShare * rounds_.left();
  int number = 1;
  while (number <= kMostLooks && look(number, mu_squared, context)) {
    ++number;
  }
}

}  // namespace mehler
