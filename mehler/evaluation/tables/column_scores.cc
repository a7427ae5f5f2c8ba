#include "mehler/evaluation/tables/column_scores.h"

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/core/worker_pool.h"

namespace mehler {
namespace {

std::vector<double> sorted_values(const CodedColumn& column) {
  std::vector<double> values;
  values.reserve(column.numbers.size());
  std::copy_if(column.numbers.begin(), column.numbers.end(), std::back_inserter(values),
               [](double value) { return !std::isnan(value); });
  std::sort(values.begin(), values.end());
  return values;
}

void score_numbers(const Column& column, const CodedColumn& real, const CodedColumn& synthetic,
                   ColumnScore& score) {
  const std::vector<double> a = sorted_values(real);
  const std::vector<double> b = sorted_values(synthetic);
  if (a.empty() || b.empty()) {
    return;
  }
  const DistributionDistance distance = distribution_distance(a, b);
  score.score = 1.0 - distance.kolmogorov_smirnov;
  score.wasserstein = distance.wasserstein;
  score.relative_wasserstein = distance.wasserstein / column.bounds->width();
}

/// The share of each code among the values that are not missing; empty if there are none.
std::vector<double> code_shares(const CodedColumn& column, const ColumnBins& bins) {
  std::vector<double> shares(bins.code_count(), 0.0);
  for (const std::uint16_t code : column.codes) {
    shares[code] += 1.0;
  }
  shares[bins.missing_code()] = 0.0;
  double total = 0.0;
  for (const double count : shares) {
    total += count;
  }
  if (total == 0.0) {
    return {};
  }
  for (double& share : shares) {
    share /= total;
  }
  return shares;
}

void score_categories(const Column& column, const CodedColumn& real, const CodedColumn& synthetic,
                      ColumnScore& score) {
  const ColumnBins bins(column, ColumnBins::kDefaultBins);
  const std::vector<double> a = code_shares(real, bins);
  const std::vector<double> b = code_shares(synthetic, bins);
  if (a.empty() || b.empty()) {
    return;
  }
  double sum = 0.0;
  for (std::size_t code = 0; code < a.size(); ++code) {
    sum += std::fabs(a[code] - b[code]);
  }
  score.score = 1.0 - 0.5 * sum;
}

}  // namespace

std::string_view metric_name(ColumnMetric metric) {
  return metric == ColumnMetric::kKSComplement ? "KSComplement" : "TVComplement";
}

DistributionDistance distribution_distance(const std::vector<double>& a,
                                           const std::vector<double>& b) {
  MEHLER_ASSERT(!a.empty() && !b.empty());
  DistributionDistance result;
  std::size_t i = 0;
  std::size_t j = 0;
  const auto m = static_cast<double>(a.size());
  const auto n = static_cast<double>(b.size());
  while (i < a.size() || j < b.size()) {
    const double here = i == a.size() ? b[j] : j == b.size() ? a[i] : std::min(a[i], b[j]);
    while (i < a.size() && a[i] == here) {
      ++i;
    }
    while (j < b.size() && b[j] == here) {
      ++j;
    }
    const double gap = std::fabs(static_cast<double>(i) / m - static_cast<double>(j) / n);
    result.kolmogorov_smirnov = std::max(result.kolmogorov_smirnov, gap);
    if (i < a.size() || j < b.size()) {
      const double next = i == a.size() ? b[j] : j == b.size() ? a[i] : std::min(a[i], b[j]);
      result.wasserstein += gap * (next - here);
    }
  }
  return result;
}

std::vector<ColumnScore> score_columns(const Encoder& encoder, const CodedTable& real,
                                       const CodedTable& synthetic, const Context& context) {
  std::vector<ColumnScore> scores(encoder.columns().size());
  WorkerPool(context.threads).run(scores.size(), [&](std::size_t i) {
    context.throw_if_cancelled();
    const Column& column = encoder.columns()[i];
    scores[i].column = i;
    if (column.is_number()) {
      score_numbers(column, real.columns[i], synthetic.columns[i], scores[i]);
    } else {
      scores[i].metric = ColumnMetric::kTVComplement;
      score_categories(column, real.columns[i], synthetic.columns[i], scores[i]);
    }
  });
  return scores;
}

}  // namespace mehler
