#include "mehler/generator/fitted_table/clamped_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "mehler/core/seeded_random.h"
#include "mehler/generator/fitted_table/table_chain.h"

namespace mehler {
namespace {

/// Sweeps between conditions, and of the rows that come out.
constexpr std::size_t kStepSweeps = 2;
constexpr std::size_t kLastSweeps = 5;
/// Sweeps that draw the counts of other columns to those beside the condition.
constexpr int kCountSweeps = 4;

void forbid_others(const CodeCondition& condition, std::size_t size, LogitTables& forces) {
  const std::vector<bool> allowed = allowed_codes(condition, size);
  for (std::size_t code = 0; code < size; ++code) {
    if (!allowed[code]) {
      forces.forbid(condition.column, code);
    }
  }
}

/// P(x_c in codes | rest) for a row, whose x_c is drawn from the codes.
double enter_condition(const LogitTables& forces, const CodeCondition& condition,
                       const std::vector<bool>& allowed, double uniform,
                       std::span<std::uint16_t> row, std::vector<double>& logits) {
  forces.logits(row, condition.column, logits);
  const double largest = *std::max_element(logits.begin(), logits.end());
  double all = 0.0;
  double inside = 0.0;
  double largest_inside = -1e300;
  for (std::size_t code = 0; code < logits.size(); ++code) {
    const double share = std::exp(logits[code] - largest);
    all += share;
    if (allowed[code]) {
      inside += share;
      largest_inside = std::max(largest_inside, logits[code]);
    }
  }
  // Shares are taken relative to the largest allowed one, so that none is lost to underflow.
  double inside_total = 0.0;
  for (std::size_t code = 0; code < logits.size(); ++code) {
    inside_total += allowed[code] ? std::exp(logits[code] - largest_inside) : 0.0;
  }
  double left = uniform * inside_total;
  for (std::size_t code = 0; code < logits.size(); ++code) {
    if (allowed[code]) {
      row[condition.column] = static_cast<std::uint16_t>(code);
      left -= std::exp(logits[code] - largest_inside);
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
  const std::vector<bool> allowed = allowed_codes(condition, shape.sizes[condition.column]);
  double beside = 0.0;
  for (const std::uint16_t code : std::set(condition.codes.begin(), condition.codes.end())) {
    beside += fit.averages[condition.column][code];
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
      goals[other][value] += allowed[code] ? factor * fit.averages[k][cell] : 0.0;
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
  forbid_others(condition, shape.sizes[condition.column], forces);
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

std::vector<bool> allowed_codes(const CodeCondition& condition, std::size_t size) {
  std::vector<bool> allowed(size, false);
  for (const std::uint16_t code : condition.codes) {
    allowed[code] = true;
  }
  return allowed;
}

ClampedStart enter_conditions(const PairwiseModel& model, const TableFit& fit,
                              const std::vector<CodeCondition>& conditions, std::uint64_t seed,
                              const Context& context) {
  SeededRandom random(seed);
  const CliqueTargets& shape = model.shape();
  ClampedStart start{fit.chain, std::vector<double>(fit.chain.rows, 1.0), 1.0,
                     fixed_forces(shape, model.weights())};
  set_all(model.potentials(), start.forces);
  std::vector<double> logits;
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    context.throw_if_cancelled();
    if (i > 0) {
      start.rows = resample(start.rows, start.weights, start.rows.rows, random);
      move_independent_rows(start.forces, kStepSweeps, random.next_word(), 0, start.rows, context);
    }
    const CodeCondition& condition = conditions[i];
    const std::size_t size = shape.sizes[condition.column];
    const std::vector<bool> allowed = allowed_codes(condition, size);
    for (std::size_t r = 0; r < start.rows.rows; ++r) {
      start.weights[r] = enter_condition(start.forces, condition, allowed, random.uniform(),
                                         start.rows.row(r), logits);
    }
    start.probability *= std::accumulate(start.weights.begin(), start.weights.end(), 0.0) /
                         static_cast<double>(start.rows.rows);
    forbid_others(condition, size, start.forces);
  }
  return start;
}

CodedRows clamped_rows(const PairwiseModel& model, const TableFit& fit,
                       const std::vector<CodeCondition>& conditions, const ClampedStart& start,
                       std::size_t count, std::uint64_t seed, const Context& context) {
  SeededRandom random(seed);
  CodedRows rows = resample(start.rows, start.weights, count, random);
  move_independent_rows(start.forces, kLastSweeps, random.next_word(), 0, rows, context);
  if (conditions.size() == 1 && count > 0) {
    draw_to_counts(model, fit, conditions[0], random.next_word(), rows);
  }
  return rows;
}

}  // namespace mehler
