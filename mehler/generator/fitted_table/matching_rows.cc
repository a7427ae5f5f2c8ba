#include "mehler/generator/fitted_table/matching_rows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "mehler/core/seeded_random.h"
#include "mehler/generator/fitted_table/pairwise_model.h"

namespace mehler {
namespace {

/// Rows that are enough to learn from.
constexpr std::size_t kFewestMatching = 256;
/// Conditions that can be kept; those beyond are always entered.
constexpr std::size_t kMostKept = 12;
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

/// Which of `known` conditions, as bits, enough rows meet together. `unmet`: of each row the bits
/// of those that it does not meet.
std::uint32_t conditions_to_keep(const std::vector<std::uint16_t>& unmet, std::size_t known) {
  std::vector<std::size_t> rows(std::size_t{1} << known, 0);
  for (const std::uint16_t bits : unmet) {
    ++rows[bits];
  }
  std::uint32_t kept = (std::uint32_t{1} << known) - 1;
  while (kept != 0) {
    std::size_t meeting = 0;
    std::vector<std::size_t> without(known, 0);  // rows that a condition alone keeps away
    for (std::uint32_t bits = 0; bits < rows.size(); ++bits) {
      const std::uint32_t left = bits & kept;
      meeting += left == 0 ? rows[bits] : 0;
      if (std::has_single_bit(left)) {
        without[static_cast<std::size_t>(std::countr_zero(left))] += rows[bits];
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
    kept &= ~(std::uint32_t{1} << worst);
  }
  return kept;
}

}  // namespace

std::vector<double> shares_of(const CodeCondition& condition, std::size_t size) {
  std::vector<double> shares(size, 0.0);
  for (std::size_t i = 0; i < condition.codes.size(); ++i) {
    shares[condition.codes[i]] = condition.shares.empty() ? 1.0 : condition.shares[i];
  }
  return shares;
}

std::span<const std::uint16_t> ColumnsOfRows::column(std::size_t c) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::uint16_t>& codes = columns_[c];
  if (codes.empty()) {
    codes.resize(rows_.rows);
    for (std::size_t r = 0; r < rows_.rows; ++r) {
      codes[r] = rows_.codes[r * rows_.columns + c];
    }
  }
  return codes;
}

void add_meeting_rows(const ColumnsOfRows& rows, const std::vector<CodeCondition>& conditions,
                      const std::vector<std::vector<double>>& shares, std::uint64_t seed,
                      CodedRows& found) {
  std::vector<std::uint32_t> meeting(rows.rows().rows);
  std::iota(meeting.begin(), meeting.end(), 0U);
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const std::span<const std::uint16_t> column = rows.column(conditions[i].column);
    const std::vector<double>& allowed = shares[i];
    // Written and then kept or not: quicker than to guess which rows meet a condition.
    std::size_t kept = 0;
    for (const std::uint32_t r : meeting) {
      meeting[kept] = r;
      kept += allowed[column[r]] > 0.0 ? 1 : 0;
    }
    meeting.resize(kept);
  }
  SeededRandom random(seed);
  for (const std::uint32_t r : meeting) {
    const auto row = rows.rows().row(r);
    double share = 1.0;
    for (std::size_t i = 0; i < conditions.size(); ++i) {
      share *= shares[i][row[conditions[i].column]];
    }
    if (share >= 1.0 || random.uniform() < share) {
      found.codes.insert(found.codes.end(), row.begin(), row.end());
      ++found.rows;
    }
  }
}

MatchingRows matching_rows(const ColumnsOfRows& rows, const std::vector<CodeCondition>& conditions,
                           const std::vector<std::vector<double>>& shares) {
  const std::size_t known = std::min(conditions.size(), kMostKept);
  // A bit for each condition that a row does not meet.
  std::vector<std::uint16_t> unmet(rows.rows().rows, 0);
  for (std::size_t i = 0; i < known; ++i) {
    std::vector<std::uint16_t> bits;
    for (const double share : shares[i]) {
      bits.push_back(static_cast<std::uint16_t>(share > 0.0 ? 0U : 1U << i));
    }
    const std::span<const std::uint16_t> column = rows.column(conditions[i].column);
    for (std::size_t r = 0; r < unmet.size(); ++r) {
      unmet[r] = static_cast<std::uint16_t>(unmet[r] | bits[column[r]]);
    }
  }
  const std::uint32_t kept = conditions_to_keep(unmet, known);
  MatchingRows result;
  result.rows = CodedRows(0, rows.rows().columns);
  for (std::size_t r = 0; r < unmet.size(); ++r) {
    if ((unmet[r] & kept) == 0) {
      const auto row = rows.rows().row(r);
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
