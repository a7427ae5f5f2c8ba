// Fits a table of codes to noisy pairs and says how long it took, beside a plain scalar
// formulation.
//
//   table_fit_benchmark ROWS WIDTH PLAIN THREADS
//
// The table has ROWS rows and WIDTH times the columns of the discretised Adult; PLAIN: 1 to run the
// plain formulation too. Prints {"seconds", "bytes", "energy", "distance", "model_seconds",
// "part_seconds", "draw_seconds", "own_seconds", "rare_seconds", "plain_seconds", "plain_energy",
// "plain_distance"}: seconds of a fit (best of 3), of its pairwise model, of the one that is fitted
// to a part of the rows, of ROWS more rows, of 1,000 rows under a condition that as many rows of
// the table meet, and under two that hardly any meets; energy: after the averaging sweeps;
// distance: of the polished table's counts from the targets, mean of half the L1 distance of
// shares.

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <optional>

#include "benchmarks/micro/measure.h"
#include "mehler/core/seeded_random.h"
#include "mehler/generator/fitted_table/conditional_rows.h"
#include "mehler/generator/fitted_table/model_rows.h"
#include "mehler/generator/fitted_table/table_chain.h"
#include "testing/coded_tables.h"

namespace mehler {
namespace {

const std::vector<std::size_t> kSizes = {8, 9, 11, 16, 17, 7, 15, 6, 2, 2, 2, 2, 4, 2, 2};
constexpr double kSigma = 15.0;
constexpr double kPairWeight = 0.1;

CliqueTargets noisy_targets(std::size_t rows, std::size_t width) {
  std::vector<std::size_t> sizes;
  for (std::size_t i = 0; i < width; ++i) {
    sizes.insert(sizes.end(), kSizes.begin(), kSizes.end());
  }
  CliqueTargets targets = targets_of(dependent_rows(rows, sizes, 1), sizes, kPairWeight);
  SeededRandom random(2);
  for (CliqueTarget& clique : targets.cliques) {
    for (double& count : clique.target) {
      count += (clique.columns.size() > 1 ? kSigma : 1.0) * random.normal();
    }
  }
  return targets;
}

/// The moves as they are written: for each code of a column the sum over its cliques, a softmax,
/// and a table of counts for each clique.
class PlainChain {
 public:
  PlainChain(const CliqueTargets& targets, CodedRows rows)
      : targets_(targets), rows_(std::move(rows)), random_(3) {}

  CodedRows& rows() { return rows_; }
  const CliqueValues& counts() const { return counts_; }

  void sweep(const CliqueValues& goals, const std::vector<double>& weights, double temperature) {
    counts_ = zero_values(targets_);
    add_counts(targets_, rows_, 0, rows_.rows, 1.0, counts_);
    for (const std::uint32_t r : random_order(rows_.rows, random_.next_word())) {
      count_row(r, -1.0);
      for (std::size_t c = 0; c < targets_.sizes.size(); ++c) {
        move(r, c, goals, weights, temperature);
      }
      count_row(r, 1.0);
    }
  }

  double energy(const std::vector<double>& weights) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < counts_.size(); ++k) {
      for (std::size_t i = 0; i < counts_[k].size(); ++i) {
        const double error = counts_[k][i] - targets_.cliques[k].target[i];
        sum += 0.5 * weights[k] * error * error;
      }
    }
    return sum;
  }

 private:
  std::size_t cell(std::size_t k, std::span<const std::uint16_t> row) const {
    std::size_t index = 0;
    for (const std::size_t column : targets_.cliques[k].columns) {
      index = index * targets_.sizes[column] + row[column];
    }
    return index;
  }

  void count_row(std::size_t r, double sign) {
    for (std::size_t k = 0; k < counts_.size(); ++k) {
      counts_[k][cell(k, rows_.row(r))] += sign;
    }
  }

  void move(std::size_t r, std::size_t c, const CliqueValues& goals,
            const std::vector<double>& weights, double temperature) {
    const auto row = rows_.row(r);
    const std::size_t columns = targets_.sizes.size();
    logits_.assign(targets_.sizes[c], 0.0);
    for (std::size_t other = 0; other < columns; ++other) {
      const std::size_t low = std::min(c, other);
      const std::size_t high = std::max(c, other);
      const std::size_t k =
          other == c ? c : columns + low * columns - low * (low + 1) / 2 + high - low - 1;
      for (std::size_t v = 0; v < logits_.size(); ++v) {
        row[c] = static_cast<std::uint16_t>(v);
        const std::size_t place = cell(k, row);
        logits_[v] += weights[k] * (goals[k][place] - counts_[k][place] - 0.5);
      }
    }
    const double largest = *std::max_element(logits_.begin(), logits_.end());
    double total = 0.0;
    for (double& logit : logits_) {
      logit = std::exp((logit - largest) / temperature);
      total += logit;
    }
    double left = random_.uniform() * total;
    std::size_t v = 0;
    while (v + 1 < logits_.size() && left >= logits_[v]) {
      left -= logits_[v++];
    }
    row[c] = static_cast<std::uint16_t>(v);
  }

  const CliqueTargets& targets_;
  CodedRows rows_;
  SeededRandom random_;
  CliqueValues counts_;
  std::vector<double> logits_;
};

struct PlainFit {
  CodedRows polished;
  double energy = 0.0;
};

PlainFit plain_fit(const CliqueTargets& targets) {
  const auto step = [](double from, double to, int i, int steps) {
    return from * std::pow(to / from, static_cast<double>(i) / (steps - 1));
  };
  CliqueValues goals;
  for (const CliqueTarget& clique : targets.cliques) {
    goals.push_back(clique.target);
  }
  const std::vector<double> weights = weights_of(targets);
  PlainChain chain(targets, independent_rows(targets, targets.rows, 4));
  for (int i = 0; i < 12; ++i) {
    chain.sweep(goals, weights, step(30.0, 1.0, i, 12));
  }
  CliqueValues averages = zero_values(targets);
  for (int i = 0; i < 8; ++i) {
    chain.sweep(goals, weights, 1.0);
    add_to(times(chain.counts(), 1.0 / 8.0), averages);
  }
  PlainFit fit;
  fit.energy = chain.energy(weights);
  for (int i = 0; i < 6; ++i) {
    chain.sweep(averages, std::vector<double>(weights.size(), 1.0), step(1.0, 0.3, i, 6));
  }
  fit.polished = chain.rows();
  return fit;
}

double distance_from(const CliqueTargets& targets, const CodedRows& rows) {
  CliqueValues counts = zero_values(targets);
  add_counts(targets, rows, 0, rows.rows, 1.0, counts);
  double sum = 0.0;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    for (std::size_t i = 0; i < counts[k].size(); ++i) {
      sum += 0.5 * std::abs(counts[k][i] - targets.cliques[k].target[i]);
    }
  }
  return sum / static_cast<double>(rows.rows * counts.size());
}

void run(char** arguments) {
  const auto rows = std::strtoull(arguments[1], nullptr, 10);
  const CliqueTargets targets = noisy_targets(rows, std::strtoull(arguments[2], nullptr, 10));
  Context context;
  context.threads = std::strtoull(arguments[4], nullptr, 10);
  TableFit fit;
  const double seconds = shortest_seconds(3, [&] { fit = fit_table(targets, {}, context); });
  std::optional<PairwiseModel> model;
  const double model_seconds =
      seconds_of([&] { model.emplace(PairwiseModel::fit(targets, fit, {}, context)); });
  const double draw_seconds = seconds_of([&] { draw_rows(*model, fit, 0, rows, {}, context); });
  PairwiseModelOptions part;
  part.rows = 8192;
  part.iterations = 40;
  const double part_seconds =
      seconds_of([&] { model.emplace(PairwiseModel::fit(targets, fit, part, context)); });
  const SearchableFit searchable(fit);
  const auto where_seconds = [&](const std::vector<CodeCondition>& conditions) {
    return shortest_seconds(3, [&] {
      draw_where(
          targets, searchable, [&]() -> const PairwiseModel& { return *model; }, conditions, 1000,
          1, context);
    });
  };
  const double own_seconds = where_seconds({{8, {0}}});
  const double rare_seconds = where_seconds({{3, {15}}, {4, {5}}});
  PlainFit plain;
  double plain_seconds = 0.0;
  if (arguments[3][0] == '1') {
    plain_seconds = seconds_of([&] { plain = plain_fit(targets); });
  }
  fmt::print(
      "{{\"seconds\": {}, \"bytes\": {}, \"energy\": {}, \"distance\": {}, \"model_seconds\": {}, "
      "\"part_seconds\": {}, \"draw_seconds\": {}, \"own_seconds\": {}, \"rare_seconds\": {}, "
      "\"plain_seconds\": {}, \"plain_energy\": {}, \"plain_distance\": "
      "{}}}\n",
      seconds, table_fit_bytes(targets), fit.energy.back(), distance_from(targets, fit.polished),
      model_seconds, part_seconds, draw_seconds, own_seconds, rare_seconds, plain_seconds,
      plain.energy, plain_seconds > 0.0 ? distance_from(targets, plain.polished) : 0.0);
}

}  // namespace
}  // namespace mehler

int main(int argc, char** argv) { return mehler::run_with_arguments(argc, argv, 4, mehler::run); }
