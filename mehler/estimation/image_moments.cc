#include "mehler/estimation/image_moments.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "mehler/core/seeded_random.h"

namespace mehler {
namespace {

constexpr std::size_t kFewestPairs = 8;  ///< of a group that is shrunk; each counts twice
constexpr std::size_t kEdgeSteps = 80;   ///< of Lanczos
constexpr std::size_t kNeighbours = 5;   ///< to each side, whose squares are averaged
constexpr double kLeastVariance = 1e-4;  ///< of the mean class scatter, of its largest entry
constexpr double kLeastRelative = 0.05;  ///< variance of a class, of the mean
constexpr double kTrustedNoise = 0.9;    ///< of the noise is taken off the classes' differences

std::size_t apart(std::size_t a, std::size_t b) {
  const std::size_t difference = a > b ? a - b : b - a;
  return difference < 6 ? difference : 6 + difference % 2;
}

/// Pairs of coordinates with the same number share a factor.
std::size_t group_of(const CodecCoordinate& a, const CodecCoordinate& b) {
  const auto first = static_cast<std::size_t>(std::min(a.block, b.block));
  const auto second = static_cast<std::size_t>(std::max(a.block, b.block));
  const std::size_t frequency = std::min<std::size_t>(7, (a.frequency() + b.frequency()) / 8);
  return ((((first * 4 + second) * 8 + frequency) * 8 + apart(a.waves.down, b.waves.down)) * 8) +
         apart(a.waves.across, b.waves.across);
}

/// The largest absolute eigenvalue, by Lanczos' method.
double largest_size(const Dense& matrix, SeededRandom& random) {
  const std::size_t size = matrix.rows;
  const std::size_t steps = std::min(kEdgeSteps, size);
  std::vector<double> now(size);
  std::vector<double> before(size, 0.0);
  double squares = 0.0;
  for (double& value : now) {
    value = random.normal();
    squares += value * value;
  }
  for (double& value : now) {
    value /= std::sqrt(squares);
  }
  Dense small(steps, steps);
  double beside = 0.0;
  for (std::size_t step = 0; step < steps; ++step) {
    std::vector<double> next(size, 0.0);
    double along = 0.0;
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) {
        next[i] += matrix.at(i, j) * now[j];
      }
      next[i] -= beside * before[i];
      along += next[i] * now[i];
    }
    small.at(step, step) = along;
    squares = 0.0;
    for (std::size_t i = 0; i < size; ++i) {
      next[i] -= along * now[i];
      squares += next[i] * next[i];
    }
    beside = std::sqrt(squares);
    if (step + 1 == steps || !(beside > 1e-12 * std::fabs(small.at(0, 0)))) {
      break;
    }
    small.at(step + 1, step) = beside;
    before = std::exchange(now, std::move(next));
    for (double& value : now) {
      value /= beside;
    }
  }
  const EigenPairs pairs = symmetric_eigen(std::move(small.values), steps);
  return std::max(std::fabs(pairs.values.front()), std::fabs(pairs.values.back()));
}

}  // namespace

std::optional<double> length_quantile(const MeasuredSum& lengths, double share) {
  double all = 0.0;
  for (const double count : lengths.values) {
    all += count;
  }
  const double noise = lengths.sigma * std::sqrt(static_cast<double>(lengths.values.size()));
  if (!(all > kHiddenByNoise * noise)) {
    return std::nullopt;
  }
  double below = 0.0;
  std::size_t cell = 0;
  for (; cell + 1 < lengths.values.size(); ++cell) {
    below += lengths.values[cell];
    if (below >= share * all) {
      break;
    }
  }
  return lengths.sum.cell_width * static_cast<double>(cell + 1);
}

ShrunkScatter shrink_by_groups(Dense scatter, double noise,
                               std::span<const CodecCoordinate> coordinates) {
  struct Group {
    std::size_t pairs = 0;
    double squares = 0.0;
  };
  const std::size_t size = scatter.rows;
  std::map<std::size_t, Group> groups;
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = i + 1; j < size; ++j) {
      Group& group = groups[group_of(coordinates[i], coordinates[j])];
      ++group.pairs;
      group.squares += scatter.at(i, j) * scatter.at(i, j);
    }
  }
  ShrunkScatter result{std::move(scatter), Dense(size, size)};
  for (std::size_t i = 0; i < size; ++i) {
    result.factors.at(i, i) = 1.0;
    for (std::size_t j = i + 1; j < size; ++j) {
      const Group& group = groups.at(group_of(coordinates[i], coordinates[j]));
      const double mean = group.squares / static_cast<double>(group.pairs);
      const double factor = 2 * group.pairs < kFewestPairs ? 1.0
                            : mean > 0.0 ? std::max(0.0, 1.0 - noise * noise / 2.0 / mean)
                                         : 0.0;
      result.factors.at(i, j) = result.factors.at(j, i) = factor;
      result.matrix.at(i, j) *= factor;
      result.matrix.at(j, i) = result.matrix.at(i, j);
    }
  }
  return result;
}

double noise_edge(const Dense& factors, double noise, std::size_t matrices, std::uint64_t seed) {
  const std::size_t size = factors.rows;
  double sum = 0.0;
  for (std::size_t m = 0; m < matrices; ++m) {
    SeededRandom random = SeededRandom::of_piece(seed, m);
    Dense simulated(size, size);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = i; j < size; ++j) {
        const double scale = i == j ? noise : noise * std::sqrt(0.5) * factors.at(i, j);
        simulated.at(i, j) = simulated.at(j, i) = scale * random.normal();
      }
    }
    sum += largest_size(simulated, random);
  }
  return sum / static_cast<double>(matrices);
}

Dense means_outside(const Dense& means, const EigenPairs& pairs, std::size_t inside, double noise) {
  const std::size_t size = means.columns;
  const std::size_t outside = size - inside;
  Dense along(means.rows, outside);
  std::vector<double> squares(outside, 0.0);
  for (std::size_t k = 0; k < means.rows; ++k) {
    for (std::size_t i = 0; i < outside; ++i) {
      const double* vector = pairs.vector(inside + i);
      for (std::size_t j = 0; j < size; ++j) {
        along.at(k, i) += vector[j] * means.at(k, j);
      }
      squares[i] += along.at(k, i) * along.at(k, i) / static_cast<double>(means.rows);
    }
  }
  Dense result(means.rows, size);
  for (std::size_t i = 0; i < outside; ++i) {
    double mean = 0.0;
    for (std::size_t step = 0; step <= 2 * kNeighbours; ++step) {
      // The ends stand for what would be beyond them.
      const std::size_t place = std::min(i + step, kNeighbours + outside - 1);
      mean += squares[place < kNeighbours ? 0 : place - kNeighbours] / (2.0 * kNeighbours + 1.0);
    }
    const double kept = std::max(0.0, 1.0 - noise * noise / std::max(mean, 1e-12));
    const double* vector = pairs.vector(inside + i);
    for (std::size_t k = 0; k < means.rows && kept > 0.0; ++k) {
      for (std::size_t j = 0; j < size; ++j) {
        result.at(k, j) += kept * along.at(k, i) * vector[j];
      }
    }
  }
  return result;
}

std::vector<Dense> shrink_to_mean(const std::vector<Dense>& scatters, double noise) {
  const std::size_t size = scatters.front().rows;
  const auto classes = static_cast<double>(scatters.size());
  Dense mean(size, size);
  for (const Dense& scatter : scatters) {
    for (std::size_t i = 0; i < mean.values.size(); ++i) {
      mean.values[i] += scatter.values[i] / classes;
    }
  }
  double largest = 1e-9;
  for (std::size_t i = 0; i < size; ++i) {
    largest = std::max(largest, mean.at(i, i));
  }
  const EigenPairs pairs = symmetric_eigen(mean.values, size);
  const auto bounded = [&](double value) { return std::max(value, kLeastVariance * largest); };
  const Dense root = apply(pairs, [&](double value) { return std::sqrt(bounded(value)); });
  const Dense inverse = apply(pairs, [&](double value) { return 1.0 / std::sqrt(bounded(value)); });
  const Dense squared = product(inverse, inverse);
  std::vector<Dense> relative;
  Dense signal(size, size);
  for (const Dense& scatter : scatters) {
    Dense differs = product(product(inverse, scatter), inverse);
    for (std::size_t i = 0; i < size; ++i) {
      differs.at(i, i) -= 1.0;
    }
    for (std::size_t i = 0; i < differs.values.size(); ++i) {
      signal.values[i] += differs.values[i] * differs.values[i] / classes;
    }
    relative.push_back(std::move(differs));
  }
  std::vector<Dense> result;
  for (Dense& differs : relative) {
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) {
        const double blurred = noise * noise / 2.0 * squared.at(i, i) * squared.at(j, j);
        const double seen = std::max(0.0, signal.at(i, j) - kTrustedNoise * blurred);
        differs.at(i, j) *= seen / (seen + blurred + 1e-12);
      }
      differs.at(i, i) += 1.0;
    }
    const Dense bounded_below = apply(symmetric_eigen(std::move(differs.values), size),
                                      [](double value) { return std::max(value, kLeastRelative); });
    result.push_back(product(product(root, bounded_below), root));
  }
  return result;
}

std::vector<double> variances_outside(const Dense& scatter, std::span<const double> directions,
                                      std::span<const double> variances,
                                      std::span<const CodecCoordinate> coordinates) {
  struct Mean {
    double sum = 0.0;
    double count = 0.0;
  };
  const std::size_t size = scatter.rows;
  std::map<std::pair<CodecBlock, std::size_t>, Mean> means;
  for (std::size_t i = 0; i < size; ++i) {
    double left = scatter.at(i, i);
    for (std::size_t d = 0; d < variances.size(); ++d) {
      left -= directions[d * size + i] * directions[d * size + i] * variances[d];
    }
    Mean& mean = means[{coordinates[i].block, coordinates[i].frequency()}];
    mean.sum += left;
    mean.count += 1.0;
  }
  std::vector<double> result;
  for (const CodecCoordinate& coordinate : coordinates) {
    const Mean& mean = means.at({coordinate.block, coordinate.frequency()});
    result.push_back(std::max(0.0, mean.sum / mean.count));
  }
  return result;
}

}  // namespace mehler
