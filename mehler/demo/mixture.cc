#include "mehler/demo/mixture.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "mehler/core/seeded_random.h"

namespace mehler {
namespace {

constexpr int kSide = 5;
constexpr double kDeviation = 0.2;
constexpr double kBound = 3.0;

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

}  // namespace mehler
