#include "mehler/generator/fitted_table/matching_rows.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "mehler/core/seeded_random.h"
#include "mehler/generator/fitted_table/pairwise_model.h"

namespace mehler {
namespace {

/// Rows that are enough to learn from.
constexpr std::size_t kFewestMatching = 256;
/// Sweeps that correct potentials.
constexpr int kCorrectingSweeps = 20;

/// Of each column, the share of rows with each code.
CliqueValues column_shares(const CliqueTargets& shape, const CodedRows& rows) {
  CliqueValues result;
  for (const std::size_t size : shape.sizes) {
    result.emplace_back(size, 0.0);
  }
  for (std::size_t r = 0; r < rows.rows; ++r) {
    const auto row = rows.row(r);
    for (std::size_t c = 0; c < rows.columns; ++c) {
      result[c][row[c]] += 1.0 / static_cast<double>(rows.rows);
    }
  }
  return result;
}

}  // namespace

std::vector<double> shares_of(const CodeCondition& condition, std::size_t size) {
  std::vector<double> shares(size, 0.0);
  for (std::size_t i = 0; i < condition.codes.size(); ++i) {
    shares[condition.codes[i]] = condition.shares.empty() ? 1.0 : condition.shares[i];
  }
  return shares;
}

MatchingRows matching_rows(const CodedRows& rows, const std::vector<CodeCondition>& conditions,
                           const std::vector<std::vector<double>>& shares) {
  // A bit for each condition that a row does not meet. Conditions beyond 63 are always entered.
  const std::size_t known = std::min<std::size_t>(conditions.size(), 63);
  std::vector<std::uint64_t> unmet(rows.rows, 0);
  for (std::size_t i = 0; i < known; ++i) {
    for (std::size_t r = 0; r < rows.rows; ++r) {
      const double share = shares[i][rows.row(r)[conditions[i].column]];
      unmet[r] |= std::uint64_t{share > 0.0 ? 0U : 1U} << i;
    }
  }
  std::uint64_t kept = (std::uint64_t{1} << known) - 1;
  while (kept != 0) {
    std::size_t meeting = 0;
    std::vector<std::size_t> without(known, 0);  // rows that a condition alone keeps away
    for (const std::uint64_t bits : unmet) {
      const std::uint64_t left = bits & kept;
      meeting += left == 0 ? 1 : 0;
      if (std::has_single_bit(left)) {
        ++without[static_cast<std::size_t>(std::countr_zero(left))];
      }
    }
    if (meeting >= kFewestMatching) {
      break;
    }
    // Best is what leaves enough rows and as few of others as can be: those differ least from rows
    // that meet all conditions.
    auto worst = static_cast<std::size_t>(std::countr_zero(kept));
    for (std::size_t i = worst + 1; i < known; ++i) {
      const bool is_enough = meeting + without[i] >= kFewestMatching;
      const bool was_enough = meeting + without[worst] >= kFewestMatching;
      if (((kept >> i) & 1) != 0 &&
          (is_enough && was_enough ? without[i] < without[worst] : without[i] > without[worst])) {
        worst = i;
      }
    }
    kept &= ~(std::uint64_t{1} << worst);
  }
  MatchingRows result;
  result.rows = CodedRows(0, rows.columns);
  for (std::size_t r = 0; r < rows.rows; ++r) {
    if ((unmet[r] & kept) == 0) {
      const auto row = rows.row(r);
      double weight = 1.0;
      for (std::size_t i = 0; i < known; ++i) {
        weight *= ((kept >> i) & 1) != 0 ? shares[i][row[conditions[i].column]] : 1.0;
      }
      result.rows.codes.insert(result.rows.codes.end(), row.begin(), row.end());
      result.weights.push_back(weight);
      ++result.rows.rows;
    }
  }
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    if (i >= known || ((kept >> i) & 1) == 0) {
      result.unmet.push_back(i);
    }
  }
  return result;
}

void keep_columns(const CliqueTargets& shape, CodedRows rows, std::size_t different,
                  std::uint64_t seed, const Context& context, LogitTables& forces) {
  const CliqueValues goal = column_shares(shape, rows);
  const auto known = static_cast<double>(different);
  // All columns are corrected at once, and those that go together correct one another.
  const double step = std::min(0.5, 2.0 / static_cast<double>(shape.sizes.size()));
  SeededRandom seeds(seed);
  for (int sweep = 0; sweep < kCorrectingSweeps; ++sweep) {
    context.throw_if_cancelled();
    move_independent_rows(forces, 1, seeds.next_word(), 0, rows, context);
    const CliqueValues now = column_shares(shape, rows);
    for (std::size_t c = 0; c < goal.size(); ++c) {
      for (std::size_t code = 0; code < goal[c].size(); ++code) {
        // A count of the rows at the beginning is off by at least one or so.
        const double ratio = (known * goal[c][code] + 1.0) / (known * now[c][code] + 1.0);
        forces.favour(c, code, step * std::log(ratio));
      }
    }
  }
}

}  // namespace mehler
