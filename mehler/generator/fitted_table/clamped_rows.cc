#include "mehler/generator/fitted_table/clamped_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mehler/core/seeded_random.h"
#include "mehler/generator/fitted_table/table_chain.h"

namespace mehler {
namespace {

/// Sweeps between conditions, and of the rows that come out.
constexpr std::size_t kStepSweeps = 2;
constexpr std::size_t kLastSweeps = 5;
/// Sweeps that draw the counts of other columns to those beside the condition.
constexpr int kCountSweeps = 4;
/// The last sweeps, and no correction, where fewer rows are asked for: all start at different ones.
constexpr std::size_t kFewRows = 64;
constexpr std::size_t kSweepsOfFew = 2;
/// Rows that conditions are entered with: so many for each that is asked for, within these limits.
constexpr std::size_t kStartsForEach = 4;
constexpr std::size_t kFewestStarts = 512;
constexpr std::size_t kMostStarts = 65'536;
/// Rows of the fit that a condition is entered with, at most; the second where few are asked for.
constexpr std::size_t kMostOwn = 131'072;
constexpr std::size_t kMostOwnOfFew = 4096;

/// Holds a column to the condition.
void hold(const CodeCondition& condition, const std::vector<double>& shares, LogitTables& forces) {
  for (std::size_t code = 0; code < shares.size(); ++code) {
    if (shares[code] > 0.0) {
      forces.favour(condition.column, code, std::log(shares[code]));
    } else {
      forces.forbid(condition.column, code);
    }
  }
}

/// P(x_c in codes | rest) for a row, whose x_c is drawn from the codes, each counted by its share.
double enter_condition(const LogitTables& forces, const CodeCondition& condition,
                       const std::vector<double>& shares, double uniform,
                       std::span<std::uint16_t> row, std::vector<double>& logits) {
  forces.logits(row, condition.column, logits);
  const double largest = *std::max_element(logits.begin(), logits.end());
  double all = 0.0;
  double inside = 0.0;
  double largest_inside = -1e300;
  for (std::size_t code = 0; code < logits.size(); ++code) {
    const double weight = std::exp(logits[code] - largest);
    all += weight;
    if (shares[code] > 0.0) {
      inside += shares[code] * weight;
      largest_inside = std::max(largest_inside, logits[code]);
    }
  }
  // Weights are taken relative to the largest allowed one, so that none is lost to underflow.
  const auto weight_of = [&](std::size_t code) {
    return shares[code] > 0.0 ? shares[code] * std::exp(logits[code] - largest_inside) : 0.0;
  };
  double inside_total = 0.0;
  for (std::size_t code = 0; code < logits.size(); ++code) {
    inside_total += weight_of(code);
  }
  double left = uniform * inside_total;
  for (std::size_t code = 0; code < logits.size(); ++code) {
    if (shares[code] > 0.0) {
      row[condition.column] = static_cast<std::uint16_t>(code);
      left -= weight_of(code);
      if (left < 0.0) {
        break;
      }
    }
  }
  return inside / all;
}

/// `count` of the rows, each as often as its weight says, up to rounding; in random order.
CodedRows resample(const CodedRows& rows, const std::vector<double>& weights, std::size_t count,
                   SeededRandom& random) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<std::size_t> chosen;
  chosen.reserve(count);
  double next = random.uniform();
  double sum = 0.0;
  for (std::size_t r = 0; r < rows.rows && chosen.size() < count; ++r) {
    // Where no weight is above 0 in double precision all rows are alike.
    sum += (total > 0.0 ? weights[r] / total : 1.0 / static_cast<double>(rows.rows)) *
           static_cast<double>(count);
    for (; next < sum && chosen.size() < count; next += 1.0) {
      chosen.push_back(r);
    }
  }
  chosen.resize(count, chosen.empty() ? 0 : chosen.back());
  CodedRows result(count, rows.columns);
  for (std::size_t i = count; i-- > 0;) {
    std::swap(chosen[i], chosen[uniform_below(random, i + 1)]);
    const auto row = rows.row(chosen[i]);
    std::copy(row.begin(), row.end(), result.row(i).begin());
  }
  return result;
}

/// Lets rows that meet one condition know of each other: every other column is drawn to the counts
/// that the fit has of it beside the allowed codes, as far as those counts can be trusted.
void draw_to_counts(const PairwiseModel& model, const TableFit& fit, const CodeCondition& condition,
                    std::uint64_t seed, CodedRows& rows) {
  const CliqueTargets& shape = model.shape();
  const std::vector<double> shares = shares_of(condition, shape.sizes[condition.column]);
  double beside = 0.0;
  for (std::size_t code = 0; code < shares.size(); ++code) {
    beside += shares[code] * fit.averages[condition.column][code];
  }
  if (beside < 1.0) {
    return;
  }
  const double factor = static_cast<double>(rows.rows) / beside;
  CliqueValues goals = zero_values(shape);
  std::vector<double> weights(shape.cliques.size(), 0.0);
  std::vector<bool> fixed;
  for (std::size_t k = 0; k < shape.cliques.size(); ++k) {
    fixed.push_back(model.forces().has(k));
    const std::vector<std::size_t>& columns = shape.cliques[k].columns;
    if (columns.size() != 2 || (columns[0] != condition.column && columns[1] != condition.column)) {
      continue;
    }
    const bool first = columns[0] == condition.column;
    const std::size_t other = columns[first ? 1 : 0];
    const std::size_t size = shape.sizes[other];
    for (std::size_t cell = 0; cell < fit.averages[k].size(); ++cell) {
      const std::size_t code = first ? cell / size : cell % shape.sizes[condition.column];
      const std::size_t value = first ? cell % size : cell / shape.sizes[condition.column];
      goals[other][value] += factor * shares[code] * fit.averages[k][cell];
    }
    // A count of the averages is off by about the root of what it holds, or by what the pair's
    // weight leaves open.
    const double variance =
        std::min(beside / static_cast<double>(size), 1.0 / std::max(model.weights()[k], 1e-12)) /
        static_cast<double>(fit.averaged_sweeps);
    weights[other] = 1.0 / (1.0 + factor * factor * variance);
  }
  LogitTables forces(shape, weights, fixed);
  set_all(model.potentials(), forces);
  CliqueValues counts = zero_values(shape);
  add_counts(shape, rows, 0, rows.rows, 1.0, counts);
  for (std::size_t c = 0; c < shape.sizes.size(); ++c) {
    if (weights[c] > 0.0) {
      for (std::size_t i = 0; i < goals[c].size(); ++i) {
        goals[c][i] = model.potentials()[c][i] + weights[c] * (goals[c][i] - counts[c][i] - 0.5);
      }
      forces.set(c, goals[c]);
    }
  }
  hold(condition, shares, forces);
  std::vector<std::uint64_t> changes(rows.columns);
  SeededRandom seeds(seed);
  for (int sweep = 0; sweep < kCountSweeps; ++sweep) {
    MoveOptions options;
    options.seed = seeds.next_word();
    const std::vector<std::uint32_t> order = random_order(rows.rows, seeds.next_word());
    options.order = order;
    move_rows(forces.view(), rows.codes.data(), rows.rows, options, changes);
  }
}

}  // namespace

ClampedStart enter_conditions(const PairwiseModel& model, const SearchableFit& fit,
                              const std::vector<CodeCondition>& conditions, std::size_t count,
                              std::uint64_t seed, const Context& context) {
  SeededRandom random(seed);
  const CliqueTargets& shape = model.shape();
  std::vector<std::vector<double>> shares;
  for (const CodeCondition& condition : conditions) {
    shares.push_back(shares_of(condition, shape.sizes[condition.column]));
  }
  MatchingRows matching = matching_rows(fit.chain, conditions, shares);
  const std::vector<std::size_t>& entered = matching.unmet;
  ClampedStart start{std::move(matching.rows), std::move(matching.weights), 1.0,
                     fixed_forces(shape, model.weights())};
  start.probability = std::accumulate(start.weights.begin(), start.weights.end(), 0.0) /
                      static_cast<double>(fit.chain.rows().rows);
  set_all(model.potentials(), start.forces);
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    if (std::find(entered.begin(), entered.end(), i) == entered.end()) {
      hold(conditions[i], shares[i], start.forces);
    }
  }
  const std::size_t wanted = std::clamp(kStartsForEach * count, kFewestStarts, kMostStarts);
  if (conditions.size() > 1 && entered.size() < conditions.size() && count >= kFewRows) {
    keep_columns(shape, resample(start.rows, start.weights, wanted, random), start.rows.rows,
                 random.next_word(), context, start.forces);
  }
  // Rows of the fit need no moves: the first condition is entered with as many as there may be.
  const std::size_t most_own = count < kFewRows ? kMostOwnOfFew : kMostOwn;
  std::vector<double> logits;
  for (const std::size_t i : entered) {
    context.throw_if_cancelled();
    const bool is_own = i == entered.front() && start.rows.rows >= wanted;
    if (!is_own || start.rows.rows > most_own) {
      const std::size_t rows = is_own ? std::max(most_own, wanted) : wanted;
      start.rows = resample(start.rows, start.weights, rows, random);
      start.weights.assign(rows, 1.0);
    }
    if (!is_own) {
      move_independent_rows(start.forces, kStepSweeps, random.next_word(), 0, start.rows, context);
    }
    const double before = std::accumulate(start.weights.begin(), start.weights.end(), 0.0);
    for (std::size_t r = 0; r < start.rows.rows; ++r) {
      start.weights[r] *= enter_condition(start.forces, conditions[i], shares[i], random.uniform(),
                                          start.rows.row(r), logits);
    }
    start.probability *= std::accumulate(start.weights.begin(), start.weights.end(), 0.0) / before;
    hold(conditions[i], shares[i], start.forces);
  }
  return start;
}

CodedRows clamped_rows(const PairwiseModel& model, const TableFit& fit,
                       const std::vector<CodeCondition>& conditions, const ClampedStart& start,
                       std::size_t count, std::uint64_t seed, const Context& context) {
  SeededRandom random(seed);
  CodedRows rows = resample(start.rows, start.weights, count, random);
  move_independent_rows(start.forces, count < kFewRows ? kSweepsOfFew : kLastSweeps,
                        random.next_word(), 0, rows, context);
  if (conditions.size() == 1 && count > 0) {
    draw_to_counts(model, fit, conditions[0], random.next_word(), rows);
  }
  return rows;
}

}  // namespace mehler
