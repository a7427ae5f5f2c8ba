#include "mehler/demo/mixture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "mehler/core/error.h"
#include "mehler/core/euclidean_length.h"
#include "mehler/core/seeded_random.h"

namespace mehler {
namespace {

constexpr int kSide = 5;
constexpr double kDeviation = 0.2;
constexpr double kBound = 3.0;

/// The j for which the cluster at (i, j) has this class: (i + 2 j) mod 5 == label, and 2 * 3 == 1.
int row_of_cluster(int i, std::size_t label) {
  return 3 * (static_cast<int>(label) - i + kSide) % kSide;
}

double round_to_millionths(double value) { return std::round(value * 1e6) / 1e6; }

}  // namespace

Schema mixture_schema() {
  std::vector<Column> columns(3);
  for (int i = 0; i < 2; ++i) {
    columns[static_cast<std::size_t>(i)].name = i == 0 ? "x" : "y";
    columns[static_cast<std::size_t>(i)].bounds = Interval{-kBound, kBound};
    columns[static_cast<std::size_t>(i)].decimals = 6;
  }
  columns[2].name = "class";
  columns[2].kind = ColumnKind::kCategorical;
  columns[2].categories = std::vector<std::string>{"0", "1", "2", "3", "4"};
  return Schema(std::move(columns), "class");
}

Table simulate_mixture(std::size_t rows, std::uint64_t seed) {
  SeededRandom random(seed);
  std::vector<double> x;
  std::vector<double> y;
  std::vector<std::string> classes;
  for (std::size_t row = 0; row < rows; ++row) {
    const auto i = static_cast<int>(kSide * random.uniform());
    const auto j = static_cast<int>(kSide * random.uniform());
    x.push_back(round_to_millionths(i - 2 + kDeviation * random.normal()));
    y.push_back(round_to_millionths(j - 2 + kDeviation * random.normal()));
    classes.push_back(std::to_string((i + 2 * j) % kSide));
  }
  Table table;
  table.columns.push_back({"x", ColumnKind::kNumeric, std::move(x), {}});
  table.columns.push_back({"y", ColumnKind::kNumeric, std::move(y), {}});
  table.columns.push_back({"class", ColumnKind::kCategorical, std::move(classes), {}});
  return table;
}

double mixture_log_density(double x, double y) {
  // The sum over 25 clusters is a product of two sums over 5; the largest term is taken out of
  // each.
  const auto log_sum = [](double value) {
    double nearest = HUGE_VAL;
    for (int i = -2; i <= 2; ++i) {
      nearest = std::min(nearest, std::fabs(value - i));
    }
    double sum = 0.0;
    for (int i = -2; i <= 2; ++i) {
      sum += std::exp((nearest * nearest - (value - i) * (value - i)) /
                      (2.0 * kDeviation * kDeviation));
    }
    return std::log(sum) - nearest * nearest / (2.0 * kDeviation * kDeviation);
  };
  return log_sum(x) + log_sum(y) - std::log(kSide * kSide * 2.0 * M_PI * kDeviation * kDeviation);
}

double mixture_log_density(double x, double y, std::size_t label) {
  double nearest = HUGE_VAL;
  std::array<double, kSide> squares{};
  for (int i = 0; i < kSide; ++i) {
    const int j = row_of_cluster(i, label);
    const double dx = x - (i - 2);
    const double dy = y - (j - 2);
    squares[static_cast<std::size_t>(i)] = dx * dx + dy * dy;
    nearest = std::min(nearest, squares[static_cast<std::size_t>(i)]);
  }
  double sum = 0.0;
  for (const double square : squares) {
    sum += std::exp((nearest - square) / (2.0 * kDeviation * kDeviation));
  }
  return std::log(sum) - nearest / (2.0 * kDeviation * kDeviation) -
         std::log(kSide * kSide * 2.0 * M_PI * kDeviation * kDeviation);
}

MixtureScore score_mixture(std::span<const double> x, std::span<const double> y,
                           std::span<const std::uint16_t> labels) {
  MEHLER_ASSERT(x.size() == y.size() && x.size() == labels.size());
  std::array<std::size_t, kSide * kSide> near{};
  MixtureScore score;
  double count = 0.0;
  for (std::size_t row = 0; row < x.size(); ++row) {
    if (std::isnan(x[row]) || std::isnan(y[row]) || labels[row] >= kSide) {
      continue;
    }
    count += 1.0;
    score.negative_log_likelihood -= mixture_log_density(x[row], y[row], labels[row]);
    score.without_class -= mixture_log_density(x[row], y[row]);
    // Clusters of one class are at least sqrt(5) apart, so at most one is near.
    for (int i = 0; i < kSide; ++i) {
      const int j = row_of_cluster(i, labels[row]);
      if (euclidean_length(x[row] - (i - 2), y[row] - (j - 2)) <= 3.0 * kDeviation) {
        ++near[static_cast<std::size_t>(i * kSide + j)];
        score.near_a_mode += 1.0;
      }
    }
  }
  if (count == 0.0) {
    throw Error(ErrorCode::kInvalidTable,
                "the table has no record with x, y and a class; give one with at least one");
  }
  score.negative_log_likelihood /= count;
  score.without_class /= count;
  score.near_a_mode /= count;
  for (const std::size_t records : near) {
    constexpr double kFairShare = 1.0 / (kSide * kSide);
    score.covered_modes += static_cast<double>(records) >= 0.2 * kFairShare * count ? 1 : 0;
  }
  return score;
}

}  // namespace mehler
