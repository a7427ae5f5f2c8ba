#include <algorithm>
#include <cmath>
#include <numbers>

#include "mehler/estimation/pooled_columns.h"
#include "mehler/generator/moments/moment_model.h"

namespace mehler {
namespace {

constexpr std::size_t kShortestRun = 8;
constexpr double kBandGrowth = 1.25;

}  // namespace

OrderBasis::OrderBasis(const ScoreTables& scores) : basis(scores.size(), scores.size()) {
  const std::size_t size = scores.size();
  for (std::size_t first = 0; first < size;) {
    std::size_t last = first + 1;
    const auto column_at = [&](std::size_t i) -> const Column& {
      return scores.columns[i].counted.cells->column();
    };
    while (last < size && are_alike(column_at(first), column_at(last))) {
      ++last;
    }
    const std::size_t run = last - first;
    const auto length = static_cast<double>(run);
    for (std::size_t f = 0; f < run; ++f) {
      if (run < kShortestRun) {
        basis.row(first + f)[first + f] = 1.0F;
        ends.push_back(first + f + 1);
        continue;
      }
      for (std::size_t j = 0; j < run; ++j) {
        const double angle =
            std::numbers::pi * static_cast<double>(f) * (static_cast<double>(j) + 0.5) / length;
        basis.row(first + f)[first + j] =
            static_cast<float>(std::sqrt((f == 0 ? 1.0 : 2.0) / length) * std::cos(angle));
      }
    }
    double width = 1.0;
    for (std::size_t f = 0; run >= kShortestRun && f < run; width *= kBandGrowth) {
      f = std::min(run, f + static_cast<std::size_t>(std::lround(width)));
      ends.push_back(first + f);
    }
    first = last;
  }
}

}  // namespace mehler
