#include "mehler/estimation/column_scores.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mehler {
namespace {

/// Ranges of a number that have a score of their own, at most.
constexpr std::size_t kScoredRanges = 128;
constexpr double kLargestNormalScore = 3.0;
constexpr double kLeastDeviation = 0.05;

double normal_cdf(double x) { return 0.5 * std::erfc(-x * std::numbers::sqrt2 / 2.0); }

double normal_density(double x) {
  return std::exp(-0.5 * x * x) / std::sqrt(2.0 * std::numbers::pi);
}

/// The mean of a standard normal between two of its quantiles.
double mean_score(double from, double to) {
  constexpr double kNarrow = 1e-4;
  if (to - from < kNarrow) {
    return normal_quantile(0.5 * (from + to));
  }
  const auto density_at = [](double level) {
    return level <= 0.0 || level >= 1.0 ? 0.0 : normal_density(normal_quantile(level));
  };
  return (density_at(from) - density_at(to)) / (to - from);
}

std::vector<std::int32_t> scores_of(std::span<const double> counts, bool has_missing) {
  const std::size_t values = counts.size() - (has_missing ? 1 : 0);
  double all = 0.0;
  for (std::size_t i = 0; i < values; ++i) {
    all += std::max(counts[i], 0.0);
  }
  std::vector<double> scores(counts.size(), 0.0);
  double below = 0.0;
  double squares = 0.0;
  for (std::size_t i = 0; i < values && all > 0.0; ++i) {
    const double share = std::max(counts[i], 0.0) / all;
    scores[i] = mean_score(std::min(below, 1.0), std::min(below + share, 1.0));
    squares += share * scores[i] * scores[i];
    below += share;
  }
  std::vector<std::int32_t> result;
  for (const double score : scores) {
    const double scaled = score / std::max(std::sqrt(squares), kLeastDeviation);
    result.push_back(static_cast<std::int32_t>(std::lrint(std::ldexp(
        std::clamp(scaled, -kLargestNormalScore, kLargestNormalScore), kScoreExponent))));
  }
  return result;
}

}  // namespace

double normal_quantile(double probability) {
  constexpr double kFarthest = 4.0;
  const double p = std::clamp(probability, normal_cdf(-kFarthest), normal_cdf(kFarthest));
  // Newton steps with the second derivative, from the quantile of a logistic law.
  double x = std::clamp(std::log(p / (1.0 - p)) / 1.702, -kFarthest, kFarthest);
  for (int step = 0; step < 8; ++step) {
    const double error = (normal_cdf(x) - p) / normal_density(x);
    x -= error / (1.0 + 0.5 * x * error);
    x = std::clamp(x, -kFarthest, kFarthest);
  }
  return x;
}

std::shared_ptr<const ScoreTables> normal_scores(std::span<const ColumnEstimate> columns,
                                                 std::optional<std::size_t> left_out) {
  auto tables = std::make_shared<ScoreTables>();
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const Column& column = columns[c].cells->column();
    auto cells =
        std::make_shared<const ColumnPartition>(ColumnPartition::even(column, kScoredRanges));
    if (left_out == c || cells->size() < 2) {
      continue;
    }
    std::vector<std::int32_t> scores = scores_of(columns[c].counts_in(*cells), column.missing);
    tables->columns.push_back({{c, std::move(cells)}, std::move(scores)});
  }
  return tables;
}

}  // namespace mehler
