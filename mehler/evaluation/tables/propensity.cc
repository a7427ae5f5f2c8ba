#include "mehler/evaluation/tables/propensity.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mehler/core/seeded_random.h"
#include "mehler/evaluation/classifiers/logistic_regression.h"
#include "mehler/evaluation/tables/cell_counts.h"

namespace mehler {
namespace {

constexpr double kRidge = 1e-6;

CodedTable rows_of(const CodedTable& table, const std::vector<std::size_t>& rows) {
  CodedTable result;
  result.rows = rows.size();
  for (const CodedColumn& column : table.columns) {
    CodedColumn picked;
    picked.codes.reserve(rows.size());
    for (const std::size_t row : rows) {
      picked.codes.push_back(column.codes[row]);
    }
    result.columns.push_back(std::move(picked));
  }
  return result;
}

/// A parameter for each code but the commonest of its column; the commonest ones if there are more
/// than allowed.
SparseFeatures make_features(const JoinedTables& tables, std::size_t max_parameters) {
  struct Code {
    std::size_t count;
    std::size_t column;
    std::size_t code;
  };
  std::vector<Code> candidates;
  for (std::size_t column = 0; column < tables.columns(); ++column) {
    std::vector<std::size_t> counts(tables.code_count(column), 0);
    for (const std::uint16_t code : tables.codes(column)) {
      ++counts[code];
    }
    const auto commonest =
        static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
    for (std::size_t code = 0; code < counts.size(); ++code) {
      if (code != commonest) {
        candidates.push_back({counts[code], column, code});
      }
    }
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Code& a, const Code& b) { return a.count > b.count; });
  candidates.resize(std::min(candidates.size(), max_parameters - 1));

  SparseFeatures features;
  features.rows = tables.rows();
  features.width = tables.columns();
  std::vector<std::vector<std::uint32_t>> parameter_of(tables.columns());
  for (std::size_t column = 0; column < tables.columns(); ++column) {
    parameter_of[column].assign(tables.code_count(column), 0);
  }
  for (const Code& code : candidates) {
    parameter_of[code.column][code.code] = static_cast<std::uint32_t>(features.parameters++);
  }
  features.active.resize(features.rows * features.width);
  for (std::size_t column = 0; column < tables.columns(); ++column) {
    for (std::size_t row = 0; row < tables.rows(); ++row) {
      features.active[row * features.width + column] =
          parameter_of[column][tables.codes(column)[row]];
    }
  }
  return features;
}

}  // namespace

std::vector<std::size_t> sample_rows(std::size_t rows, std::size_t size, std::uint64_t seed) {
  std::vector<std::size_t> chosen;
  chosen.reserve(std::min(rows, size));
  SeededRandom random(seed);
  // Knuth's selection sampling: each row with the chance that keeps the total right.
  for (std::size_t row = 0; row < rows && chosen.size() < size; ++row) {
    if (random.uniform() * static_cast<double>(rows - row) <
        static_cast<double>(std::min(size, rows) - chosen.size())) {
      chosen.push_back(row);
    }
  }
  return chosen;
}

PropensityScore propensity_score(const CodedTable& real, const CodedTable& synthetic,
                                 const PropensityOptions& options, const Context& context) {
  const CodedTable a = rows_of(real, sample_rows(real.rows, options.max_rows, options.seed));
  const CodedTable b =
      rows_of(synthetic, sample_rows(synthetic.rows, options.max_rows, options.seed + 1));
  const SparseFeatures features =
      make_features(JoinedTables(a, b), std::max<std::size_t>(options.max_parameters, 1));
  std::vector<char> is_synthetic(features.rows, 1);
  std::fill_n(is_synthetic.begin(), a.rows, 0);
  const LogisticFit fit =
      fit_logistic(features, is_synthetic, {.ridge = kRidge, .drops_redundant = true}, context);
  const auto records = static_cast<double>(features.rows);
  const double share = static_cast<double>(b.rows) / records;
  double sum = 0.0;
  for (std::size_t row = 0; row < features.rows; ++row) {
    const double difference = logistic(features.linear_part(row, fit.parameters)) - share;
    sum += difference * difference;
  }
  PropensityScore score;
  score.pmse = sum / records;
  score.parameters = fit.fitted;
  score.expected_pmse = static_cast<double>(score.parameters - 1) * share * (1.0 - share) / records;
  score.real_rows = a.rows;
  score.synthetic_rows = b.rows;
  return score;
}

}  // namespace mehler
