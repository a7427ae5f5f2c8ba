#include "mehler/estimation/count_grid.h"

#include <algorithm>
#include <cmath>

namespace mehler {
namespace {

constexpr double kMostPoints = 2000.0;

}  // namespace

CountGrid::CountGrid(double sigma, double rows) {
  const double step = std::max(0.5 * sigma, rows / kMostPoints);
  points_ = {0.0};
  for (double x = std::min(2e-4 * rows, 0.25 * sigma); x < rows; x += std::min(0.25 * x, step)) {
    points_.push_back(x);
  }
  points_.push_back(rows);
  const std::size_t n = size();
  std::vector<double> places(n);  // on the scale of logarithms, 0 one unit below the next
  for (std::size_t g = 1; g < n; ++g) {
    places[g] = std::log(points_[g]);
  }
  places[0] = places[1] - 1.0;
  widths_.assign(n, 0.0);
  double sum = 0.0;
  for (std::size_t g = 1; g < n; ++g) {
    const double low = g == 1 ? places[1] : 0.5 * (places[g] + places[g - 1]);
    const double high = g + 1 == n ? places[g] : 0.5 * (places[g] + places[g + 1]);
    widths_[g] = high - low;
    sum += widths_[g];
  }
  before_.assign(n, 0.5);
  for (std::size_t g = 1; g < n; ++g) {
    before_[g] = 0.5 * widths_[g] / sum;
  }
  widths_[0] = 0.25;
  for (std::size_t s = 0; s < kSteps.size(); ++s) {
    for (std::size_t g = 0; g < n; ++g) {
      ratios_[s].push_back(g == 0 ? 0.0 : std::exp(-(places[g] - places[g - 1]) / kSteps[s]));
    }
    norms_[s] = filter(s, widths_);
    for (double& norm : norms_[s]) {
      norm = 1.0 / norm;
    }
  }
}

std::vector<double> CountGrid::step_from(std::size_t s, std::span<const double> from) const {
  std::vector<double> moved(size());
  for (std::size_t g = 0; g < size(); ++g) {
    moved[g] = from[g] * norms_[s][g];
  }
  moved = filter(s, moved);
  for (std::size_t g = 0; g < size(); ++g) {
    moved[g] *= widths_[g];
  }
  return moved;
}

std::vector<double> CountGrid::expect_after(std::size_t s, std::span<const double> values) const {
  std::vector<double> expected(size());
  for (std::size_t g = 0; g < size(); ++g) {
    expected[g] = values[g] * widths_[g];
  }
  expected = filter(s, expected);
  for (std::size_t g = 0; g < size(); ++g) {
    expected[g] *= norms_[s][g];
  }
  return expected;
}

bool CountGrid::is_too_coarse(double count, double sigma) const {
  const auto above = std::upper_bound(points_.begin(), points_.end(), count);
  return above != points_.begin() && above != points_.end() && *above - *(above - 1) > sigma;
}

void CountGrid::add_likelihood(double count, double sigma, std::vector<double>& out) const {
  double least = std::fabs(count - points_[0]);
  for (const double x : points_) {
    least = std::min(least, std::fabs(count - x));
  }
  for (const double x : points_) {
    const double z = (count - x) / sigma;
    // Not 0, so that every count stays possible.
    out.push_back(std::exp(-0.5 * (z * z - least * least / (sigma * sigma))) + 1e-200);
  }
}

std::vector<double> CountGrid::filter(std::size_t s, std::vector<double> values) const {
  const std::vector<double>& ratio = ratios_[s];
  std::vector<double> result(values);
  double run = 0.0;
  for (std::size_t g = 0; g < values.size(); ++g) {
    run *= ratio[g];
    result[g] += run;
    run += values[g];
  }
  run = 0.0;
  for (std::size_t g = values.size(); g-- > 0;) {
    result[g] += run;
    run = (run + values[g]) * ratio[g];
  }
  return result;
}

}  // namespace mehler
