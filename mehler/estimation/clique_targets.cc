#include "mehler/estimation/clique_targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>

#include "mehler/core/error.h"

namespace mehler {
namespace {

constexpr std::size_t kMaxCodes = 65'536;
/// Far beyond any count; keeps forces finite in single precision.
constexpr double kLargestTarget = 1e15;
constexpr double kLargestWeight = 1e12;

void require(bool holds, const std::string& message) {
  if (!holds) {
    throw Error(ErrorCode::kInvalidArgument, message);
  }
}

/// Codes of a piece of the rows, column after column: what counting reads in a row lies in a row.
constexpr std::size_t kPieceRows = 2048;

std::vector<std::uint16_t> columns_of(const CodedRows& rows, std::size_t first, std::size_t count) {
  std::vector<std::uint16_t> codes(rows.columns * kPieceRows);
  for (std::size_t r = 0; r < count; ++r) {
    const std::uint16_t* row = &rows.codes[(first + r) * rows.columns];
    for (std::size_t c = 0; c < rows.columns; ++c) {
      codes[c * kPieceRows + r] = row[c];
    }
  }
  return codes;
}

}  // namespace

double CliqueTarget::moment(const std::vector<double>& counts) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < first_scores.size(); ++i) {
    for (std::size_t j = 0; j < second_scores.size(); ++j) {
      sum += first_scores[i] * second_scores[j] * counts[i * second_scores.size() + j];
    }
  }
  return sum;
}

std::size_t CliqueTargets::cells(std::size_t clique) const {
  std::size_t product = 1;
  for (const std::size_t column : cliques[clique].columns) {
    product *= sizes[column];
  }
  return product;
}

void CliqueTargets::validate() const {
  require(!sizes.empty(), "a table to fit must have at least one column, but has none");
  require(rows >= 1, "a table to fit must have at least one row, but has none");
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    require(sizes[c] >= 1 && sizes[c] <= kMaxCodes,
            fmt::format("column {} of a table to fit must have 1 to {} codes, but has {}", c,
                        kMaxCodes, sizes[c]));
  }
  require(cliques.size() >= sizes.size(),
          fmt::format("a table of {} columns must have a 1-way target for each, but there are {} "
                      "targets in all",
                      sizes.size(), cliques.size()));
  std::set<std::vector<std::size_t>> seen;
  for (std::size_t k = 0; k < cliques.size(); ++k) {
    const CliqueTarget& clique = cliques[k];
    const std::vector<std::size_t>& columns = clique.columns;
    require(!columns.empty() && columns.size() <= 3 && columns.back() < sizes.size() &&
                std::adjacent_find(columns.begin(), columns.end(), std::greater_equal<>()) ==
                    columns.end(),
            fmt::format("target {} must name 1 to 3 different columns, ascending", k));
    require(k >= sizes.size() || (columns.size() == 1 && columns[0] == k),
            fmt::format("target {} must be the 1-way of column {}", k, k));
    require(seen.insert(columns).second,
            fmt::format("target {} names columns for a second time", k));
    require(clique.weight >= 0.0 && clique.weight <= kLargestWeight,
            fmt::format("the weight of target {} must lie in [0, {}], but is {}", k, kLargestWeight,
                        clique.weight));
    require(
        clique.target.size() == cells(k),
        fmt::format("target {} must have {} cells, but has {}", k, cells(k), clique.target.size()));
    const bool has_scores = clique.moment_weight > 0.0;
    require(clique.moment_weight >= 0.0 && clique.moment_weight <= kLargestWeight,
            fmt::format("the weight of the moment of target {} must lie in [0, {}], but is {}", k,
                        kLargestWeight, clique.moment_weight));
    require(!has_scores || (columns.size() == 2 && clique.weight > 0.0 &&
                            clique.first_scores.size() == sizes[columns[0]] &&
                            clique.second_scores.size() == sizes[columns[1]]),
            fmt::format("target {} has a moment, and so must be a pair with a weight and a score "
                        "for each code",
                        k));
    require(
        std::all_of(clique.target.begin(), clique.target.end(),
                    [](double t) { return std::abs(t) <= kLargestTarget; }),
        fmt::format("the counts of target {} must be numbers of at most {}", k, kLargestTarget));
  }
}

std::vector<double> weights_of(const CliqueTargets& targets) {
  std::vector<double> weights;
  for (const CliqueTarget& clique : targets.cliques) {
    weights.push_back(clique.weight);
  }
  return weights;
}

CliqueTargets scaled_targets(CliqueTargets targets, std::size_t rows) {
  const double factor = static_cast<double>(rows) / static_cast<double>(targets.rows);
  targets.rows = rows;
  for (CliqueTarget& clique : targets.cliques) {
    clique.weight /= factor;
    clique.moment_weight /= factor;
    for (double& count : clique.target) {
      count *= factor;
    }
  }
  return targets;
}

CliqueValues times(CliqueValues values, double factor) {
  for (std::vector<double>& cells : values) {
    for (double& value : cells) {
      value *= factor;
    }
  }
  return values;
}

void add_to(const CliqueValues& values, CliqueValues& sum) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    for (std::size_t i = 0; i < values[k].size(); ++i) {
      sum[k][i] += values[k][i];
    }
  }
}

CliqueValues zero_values(const CliqueTargets& targets) {
  CliqueValues values(targets.cliques.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    values[k].assign(targets.cells(k), 0.0);
  }
  return values;
}

void add_counts(const CliqueTargets& targets, const CodedRows& rows, std::size_t first,
                std::size_t count, double factor, CliqueValues& counts) {
  MEHLER_ASSERT(first + count <= rows.rows && rows.columns == targets.sizes.size());
  for (std::size_t done = 0; done < count; done += kPieceRows) {
    const std::size_t piece = std::min(kPieceRows, count - done);
    const std::vector<std::uint16_t> codes = columns_of(rows, first + done, piece);
    for (std::size_t k = 0; k < targets.cliques.size(); ++k) {
      const std::vector<std::size_t>& columns = targets.cliques[k].columns;
      double* cells = counts[k].data();
      const std::uint16_t* a = &codes[columns[0] * kPieceRows];
      if (columns.size() == 1) {
        for (std::size_t r = 0; r < piece; ++r) {
          cells[a[r]] += factor;
        }
        continue;
      }
      const std::uint16_t* b = &codes[columns[1] * kPieceRows];
      const std::size_t b_size = targets.sizes[columns[1]];
      if (columns.size() == 2) {
        for (std::size_t r = 0; r < piece; ++r) {
          cells[a[r] * b_size + b[r]] += factor;
        }
        continue;
      }
      const std::uint16_t* c = &codes[columns[2] * kPieceRows];
      const std::size_t c_size = targets.sizes[columns[2]];
      for (std::size_t r = 0; r < piece; ++r) {
        cells[(a[r] * b_size + b[r]) * c_size + c[r]] += factor;
      }
    }
  }
}

}  // namespace mehler
