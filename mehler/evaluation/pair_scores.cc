#include "mehler/evaluation/pair_scores.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "mehler/core/worker_pool.h"
#include "mehler/evaluation/cell_counts.h"

namespace mehler {
namespace {

constexpr std::size_t kTrendBins = 10;
using BinEdges = std::array<double, kTrendBins + 1>;

/// Equal-width bins from the smallest to the largest value; half a unit around a constant.
BinEdges trend_edges(const std::vector<double>& numbers) {
  double low = HUGE_VAL;
  double high = -HUGE_VAL;
  for (const double value : numbers) {
    if (!std::isnan(value)) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  if (low == high) {
    low -= 0.5;
    high += 0.5;
  }
  BinEdges edges;
  const double step = (high - low) / static_cast<double>(kTrendBins);
  for (std::size_t i = 0; i < kTrendBins; ++i) {
    edges[i] = low + static_cast<double>(i) * step;
  }
  edges[kTrendBins] = high;
  return edges;
}

/// The number of edges that are not above the value; all of them for a missing one.
std::uint16_t trend_bin(const BinEdges& edges, double value) {
  if (std::isnan(value)) {
    return static_cast<std::uint16_t>(edges.size());
  }
  return static_cast<std::uint16_t>(std::upper_bound(edges.begin(), edges.end(), value) -
                                    edges.begin());
}

/// The table's codes, with numbers on ten bins of their own range.
CodedTable trend_table(const Encoder& encoder, const CodedTable& table) {
  CodedTable result;
  result.rows = table.rows;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const CodedColumn& from = table.columns[i];
    CodedColumn to;
    if (encoder.columns()[i].is_number()) {
      const BinEdges edges = trend_edges(from.numbers);
      to.codes.reserve(table.rows);
      for (const double value : from.numbers) {
        to.codes.push_back(trend_bin(edges, value));
      }
    } else {
      to.codes = from.codes;
    }
    result.columns.push_back(std::move(to));
  }
  return result;
}

/// Values less their mean over the rows that have both, and the sum of the products.
struct Moments {
  double xx = 0.0;
  double yy = 0.0;
  double xy = 0.0;
};

bool varies(const std::vector<double>& values) {
  double first = std::nan("");
  for (const double value : values) {
    if (std::isnan(first)) {
      first = value;
    } else if (!std::isnan(value) && value != first) {
      return true;
    }
  }
  return false;
}

std::optional<double> correlation_similarity(const CodedTable& real, const CodedTable& synthetic,
                                             std::size_t first, std::size_t second) {
  const auto in_real = correlation(real.columns[first].numbers, real.columns[second].numbers);
  const auto in_synthetic =
      correlation(synthetic.columns[first].numbers, synthetic.columns[second].numbers);
  if (!in_real || !in_synthetic) {
    return std::nullopt;
  }
  return 1.0 - std::fabs(*in_real - *in_synthetic) / 2.0;
}

template <typename Score>
std::optional<double> mean_of_defined(const std::vector<Score>& scores) {
  double sum = 0.0;
  double count = 0.0;
  for (const Score& score : scores) {
    if (score.score) {
      sum += *score.score;
      count += 1.0;
    }
  }
  return count > 0.0 ? std::optional(sum / count) : std::nullopt;
}

}  // namespace

std::string_view metric_name(PairMetric metric) {
  return metric == PairMetric::kCorrelationSimilarity ? "CorrelationSimilarity"
                                                      : "ContingencySimilarity";
}

std::optional<double> correlation(const std::vector<double>& x, const std::vector<double>& y) {
  if (!varies(x) || !varies(y)) {
    return std::nullopt;
  }
  double count = 0.0;
  double x_sum = 0.0;
  double y_sum = 0.0;
  const auto has_both = [&](std::size_t row) { return !std::isnan(x[row]) && !std::isnan(y[row]); };
  for (std::size_t row = 0; row < x.size(); ++row) {
    if (has_both(row)) {
      count += 1.0;
      x_sum += x[row];
      y_sum += y[row];
    }
  }
  Moments moments;
  for (std::size_t row = 0; row < x.size(); ++row) {
    if (has_both(row)) {
      const double dx = x[row] - x_sum / count;
      const double dy = y[row] - y_sum / count;
      moments.xx += dx * dx;
      moments.yy += dy * dy;
      moments.xy += dx * dy;
    }
  }
  if (!(moments.xx > 0.0 && moments.yy > 0.0)) {
    return std::nullopt;
  }
  const double value = moments.xy / (std::sqrt(moments.xx) * std::sqrt(moments.yy));
  return std::clamp(value, -1.0, 1.0);
}

std::vector<PairScore> score_pairs(const Encoder& encoder, const CodedTable& real,
                                   const CodedTable& synthetic, const Context& context) {
  const std::size_t columns = encoder.columns().size();
  const JoinedTables tables(trend_table(encoder, real), trend_table(encoder, synthetic));
  std::vector<std::vector<PairScore>> by_first(columns);
  WorkerPool(context.threads).run(columns, [&](std::size_t first) {
    CellCounter counter(tables);
    counter.set_prefix({&first, 1});
    for (std::size_t second = first + 1; second < columns; ++second) {
      context.throw_if_cancelled();
      PairScore score{first, second, PairMetric::kContingencySimilarity, std::nullopt};
      if (encoder.columns()[first].is_number() && encoder.columns()[second].is_number()) {
        score.metric = PairMetric::kCorrelationSimilarity;
        score.score = correlation_similarity(real, synthetic, first, second);
      } else {
        score.score = 1.0 - counter.total_variation_with(second);
      }
      by_first[first].push_back(score);
    }
  });
  std::vector<PairScore> scores;
  for (const std::vector<PairScore>& part : by_first) {
    scores.insert(scores.end(), part.begin(), part.end());
  }
  return scores;
}

QualityScore quality_score(const std::vector<ColumnScore>& columns,
                           const std::vector<PairScore>& pairs) {
  QualityScore quality{mean_of_defined(columns), mean_of_defined(pairs), std::nullopt};
  if (quality.column_shapes && quality.column_pair_trends) {
    quality.overall = (*quality.column_shapes + *quality.column_pair_trends) / 2.0;
  } else {
    quality.overall = quality.column_shapes ? quality.column_shapes : quality.column_pair_trends;
  }
  return quality;
}

}  // namespace mehler
