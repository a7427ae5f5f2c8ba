#include "mehler/evaluation/tables/pair_scores.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "mehler/core/worker_pool.h"
#include "mehler/evaluation/tables/cell_counts.h"

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

void score_correlation(const CodedTable& real, const CodedTable& synthetic, PairScore& score) {
  score.real_association =
      correlation(real.columns[score.first].numbers, real.columns[score.second].numbers);
  const auto in_synthetic =
      correlation(synthetic.columns[score.first].numbers, synthetic.columns[score.second].numbers);
  if (score.real_association && in_synthetic) {
    score.score = 1.0 - std::fabs(*score.real_association - *in_synthetic) / 2.0;
  }
}

/// Counts of the value pairs of the first table that occur, with the two codes of each.
struct PairCount {
  std::size_t first;
  std::size_t second;
  double count;
};

std::vector<PairCount> count_pairs(const JoinedTables& tables, std::size_t first,
                                   std::size_t second) {
  const std::uint64_t width = tables.code_count(second);
  std::vector<std::uint64_t> keys(tables.first_rows());
  for (std::size_t row = 0; row < keys.size(); ++row) {
    keys[row] = tables.codes(first)[row] * width + tables.codes(second)[row];
  }
  std::vector<PairCount> pairs;
  const std::uint64_t cells = tables.code_count(first) * width;
  if (cells <= 65'536 + 4 * keys.size()) {
    std::vector<double> counts(cells, 0.0);
    for (const std::uint64_t key : keys) {
      counts[key] += 1.0;
    }
    for (std::uint64_t key = 0; key < cells; ++key) {
      if (counts[key] > 0.0) {
        pairs.push_back({key / width, key % width, counts[key]});
      }
    }
    return pairs;
  }
  std::sort(keys.begin(), keys.end());
  for (std::size_t begin = 0; begin < keys.size();) {
    std::size_t end = begin;
    while (end < keys.size() && keys[end] == keys[begin]) {
      ++end;
    }
    pairs.push_back({keys[begin] / width, keys[begin] % width, static_cast<double>(end - begin)});
    begin = end;
  }
  return pairs;
}

/// Cramer's V in the first table: sqrt(chi^2 / (rows * (min(codes) - 1))), where
/// chi^2 / rows = sum n_ij^2 / (n_i n_j) - 1.
std::optional<double> cramers_v(const JoinedTables& tables, std::size_t first, std::size_t second) {
  const std::vector<PairCount> pairs = count_pairs(tables, first, second);
  std::vector<double> first_counts(tables.code_count(first), 0.0);
  std::vector<double> second_counts(tables.code_count(second), 0.0);
  for (const PairCount& pair : pairs) {
    first_counts[pair.first] += pair.count;
    second_counts[pair.second] += pair.count;
  }
  const auto occurring = [](const std::vector<double>& counts) {
    return std::count_if(counts.begin(), counts.end(), [](double count) { return count > 0.0; });
  };
  const auto codes = std::min(occurring(first_counts), occurring(second_counts));
  if (codes < 2) {
    return std::nullopt;
  }
  double sum = -1.0;
  for (const PairCount& pair : pairs) {
    sum += pair.count * pair.count / (first_counts[pair.first] * second_counts[pair.second]);
  }
  return std::sqrt(std::max(0.0, sum) / static_cast<double>(codes - 1));
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

/// The mean of the two, or the one that is defined.
std::optional<double> mean_of_two(const std::optional<double>& a, const std::optional<double>& b) {
  return a && b ? std::optional((*a + *b) / 2.0) : a ? a : b;
}

}  // namespace

bool PairScore::is_strong() const {
  const double threshold = metric == PairMetric::kCorrelationSimilarity ? 0.5 : 0.3;
  return real_association && std::fabs(*real_association) > threshold;
}

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
      PairScore score;
      score.first = first;
      score.second = second;
      if (encoder.columns()[first].is_number() && encoder.columns()[second].is_number()) {
        score.metric = PairMetric::kCorrelationSimilarity;
        score_correlation(real, synthetic, score);
      } else {
        score.score = 1.0 - counter.total_variation_with(second);
        score.real_association = cramers_v(tables, first, second);
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
  std::vector<PairScore> strong;
  std::copy_if(pairs.begin(), pairs.end(), std::back_inserter(strong),
               [](const PairScore& pair) { return pair.is_strong(); });
  QualityScore quality;
  quality.column_shapes = mean_of_defined(columns);
  quality.column_pair_trends = mean_of_defined(pairs);
  quality.overall = mean_of_two(quality.column_shapes, quality.column_pair_trends);
  quality.strong_pair_trends = mean_of_defined(strong);
  quality.strong_overall = mean_of_two(quality.column_shapes, quality.strong_pair_trends);
  return quality;
}

}  // namespace mehler
