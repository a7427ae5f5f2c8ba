#include "mehler/generator/fitted_table/table_chain.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mehler/core/seeded_random.h"

namespace mehler {
namespace {

std::vector<double> divided(std::vector<double> weights, double factor) {
  for (double& weight : weights) {
    weight /= factor;
  }
  return weights;
}

}  // namespace

std::size_t uniform_below(SeededRandom& random, std::size_t bound) {
  return std::min(bound - 1,
                  static_cast<std::size_t>(random.uniform() * static_cast<double>(bound)));
}

std::vector<std::uint32_t> random_order(std::size_t count, std::uint64_t seed) {
  SeededRandom random(seed);
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t i = count; i-- > 1;) {
    std::swap(order[i], order[uniform_below(random, i + 1)]);
  }
  return order;
}

CodedRows some_rows(const CodedRows& rows, std::size_t count, std::uint64_t seed) {
  const std::vector<std::uint32_t> order = random_order(rows.rows, seed);
  CodedRows result(count, rows.columns);
  for (std::size_t r = 0; r < count; ++r) {
    const auto row = rows.row(order[r]);
    std::copy(row.begin(), row.end(), result.row(r).begin());
  }
  return result;
}

void append_rows(const CodedRows& more, CodedRows& rows) {
  rows.codes.insert(rows.codes.end(), more.codes.begin(), more.codes.end());
  rows.rows += more.rows;
}

TableChain::TableChain(const CliqueTargets& targets, std::vector<double> weights, double factor,
                       CodedRows rows)
    : targets_(targets),
      factor_(factor),
      rows_(std::move(rows)),
      tables_(targets, divided(std::move(weights), factor)),
      changes_(targets.sizes.size()) {}

void TableChain::set_force(std::size_t clique, const std::vector<double>& goal, double factor,
                           const std::vector<double>& counts) {
  const double weight = tables_.weight(clique);
  if (!(weight > 0.0)) {
    return;
  }
  std::vector<double> forces(goal.size());
  for (std::size_t i = 0; i < forces.size(); ++i) {
    forces[i] = weight * (goal[i] * factor - counts[i] - 0.5);
  }
  tables_.set(clique, forces);
}

void TableChain::set_forces(const CliqueValues& goals, double factor) {
  CliqueValues counts = zero_values(targets_);
  add_counts(targets_, rows_, 0, rows_.rows, 1.0, counts);
  for (std::size_t k = 0; k < goals.size(); ++k) {
    set_force(k, goals[k], factor, counts[k]);
  }
}

void TableChain::set_forces() {
  CliqueValues counts = zero_values(targets_);
  add_counts(targets_, rows_, 0, rows_.rows, 1.0, counts);
  for (std::size_t k = 0; k < counts.size(); ++k) {
    set_force(k, targets_.cliques[k].target, factor_, counts[k]);
  }
}

void TableChain::sweep(double temperature, std::uint64_t seed) {
  MoveOptions options;
  options.temperature = static_cast<float>(temperature);
  options.seed = seed;
  // Always in the same order, rows would mix far more slowly.
  const std::vector<std::uint32_t> order = random_order(rows_.rows, seed);
  options.order = order;
  move_rows(tables_.view(), rows_.codes.data(), rows_.rows, options, changes_);
}

double TableChain::energy() const {
  double sum = 0.0;
  std::vector<double> forces;
  for (std::size_t k = 0; k < targets_.cliques.size(); ++k) {
    const double weight = tables_.weight(k);
    if (!(weight > 0.0)) {
      continue;
    }
    forces.resize(targets_.cells(k));
    tables_.get(k, forces);
    double squares = 0.0;
    const std::vector<bool>& forbidden = targets_.cliques[k].forbidden;
    for (std::size_t i = 0; i < forces.size(); ++i) {
      const double error = forces[i] / weight + 0.5;
      squares += !forbidden.empty() && forbidden[i] ? 0.0 : error * error;
    }
    sum += 0.5 * weight * squares;
  }
  return sum;
}

CodedRows independent_rows(const CliqueTargets& targets, std::size_t rows, std::uint64_t seed) {
  SeededRandom random(seed);
  CodedRows result(rows, targets.sizes.size());
  std::vector<std::uint16_t> codes(rows);
  for (std::size_t c = 0; c < targets.sizes.size(); ++c) {
    const std::vector<double>& target = targets.cliques[c].target;
    double total = 0.0;
    for (const double count : target) {
      total += std::max(count, 0.0);
    }
    // Without a positive count all codes are alike.
    const double extra = total > 0.0 ? 0.0 : 1.0;
    total += extra * static_cast<double>(target.size());
    const double shift = random.uniform();
    double before = 0.0;
    std::size_t filled = 0;
    for (std::size_t v = 0; v < target.size(); ++v) {
      before += std::max(target[v], 0.0) + extra;
      const auto end =
          v + 1 == target.size()
              ? rows
              : std::min(rows, static_cast<std::size_t>(before / total * static_cast<double>(rows) +
                                                        shift));
      for (; filled < end; ++filled) {
        codes[filled] = static_cast<std::uint16_t>(v);
      }
    }
    for (std::size_t r = rows; r-- > 0;) {
      std::swap(codes[r], codes[uniform_below(random, r + 1)]);
      result.codes[r * result.columns + c] = codes[r];
    }
  }
  return result;
}

}  // namespace mehler
