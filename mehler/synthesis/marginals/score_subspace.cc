#include "mehler/synthesis/marginals/score_subspace.h"

#include <algorithm>
#include <cmath>

#include "mehler/estimation/symmetric_eigen.h"

namespace mehler {
namespace {

constexpr std::size_t kMostDirections = 40;

}  // namespace

ScoreSubspace find_subspace(const MeasuredSum& scatter, std::size_t size, double rows) {
  std::vector<double> matrix(size * size);
  double trace = 0.0;
  std::size_t next = 0;
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = i; j < size; ++j) {
      matrix[j * size + i] = scatter.values[next++] / rows;
    }
    trace += matrix[i * size + i];
  }
  const auto scores = static_cast<double>(size);
  ScoreSubspace found;
  found.edge = scatter.sigma / rows * std::sqrt(2.0 * scores);
  const EigenPairs pairs = leading_eigen(std::move(matrix), size, std::min(kMostDirections, size));
  std::size_t seen = 0;
  double explained = 0.0;
  // What noise adds to an eigenvalue above its edge is known.
  const auto strength = [&](double value) {
    return 0.5 * (value + std::sqrt(std::max(value * value - found.edge * found.edge, 0.0)));
  };
  while (seen < size && pairs.values[seen] > 1.05 * found.edge) {
    explained += strength(pairs.values[seen++]);
  }
  found.rest = std::max((trace - explained) / scores, std::max(0.02 * trace / scores, 1e-3));
  const auto wanted = static_cast<std::size_t>(1.4 * static_cast<double>(seen)) + 2;
  const std::size_t count = std::min({kMostDirections, wanted, size});
  for (std::size_t i = 0; i < count; ++i) {
    if (i < seen) {
      found.strengths.push_back(strength(pairs.values[i]));
    } else {
      const double last = seen > 0 ? found.strengths[seen - 1] : 0.0;
      found.strengths.push_back(std::max(0.6 * last, found.rest));
    }
    for (std::size_t j = 0; j < size; ++j) {
      found.directions.push_back(on_parameter_grid(pairs.vector(i)[j]));
    }
  }
  return found;
}

}  // namespace mehler
