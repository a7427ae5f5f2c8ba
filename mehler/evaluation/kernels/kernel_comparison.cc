#include "mehler/evaluation/kernels/kernel_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string_view>

#include "mehler/core/error.h"
#include "mehler/core/seeded_random.h"
#include "mehler/features/length_scale.h"

namespace mehler {
namespace {

constexpr double kLargestShift = 10.0;

void require_count(std::size_t count, std::string_view name, std::size_t largest) {
  if (count < 1 || count > largest) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("the number of {} must lie in [1, {}], but is {}", name, largest, count));
  }
}

void require_rising(const std::vector<std::size_t>& sizes, std::string_view name) {
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    if (sizes[i] <= sizes[i - 1]) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("{} must rise, but {} follows {}", name, sizes[i], sizes[i - 1]));
    }
  }
}

void require_limits(const KernelComparison& comparison) {
  require_count(comparison.points, "points", KernelComparison::kMaxPoints);
  require_count(comparison.draws, "draws", KernelComparison::kMaxDraws);
  if (!(std::fabs(comparison.shift) <= kLargestShift)) {  // written so that NaN fails too
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the shift must lie in [-{0}, {0}], but is {1}; at 1 the two sides "
                            "overlap as in the paper",
                            kLargestShift, comparison.shift));
  }
  require_rising(comparison.orders, "the orders of Hermite features");
  require_rising(comparison.entries, "the numbers of random features");
  for (const std::size_t entries : comparison.entries) {
    require_count(entries, "random features", KernelComparison::kMaxEntries);
    if (entries % 2 != 0) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("the number of random features must be even, because they are pairs "
                              "of a cosine and a sine, but is {}; take {}",
                              entries, entries + 1));
    }
  }
}

/// Hermite features take points of [-1, 1]; the kernel stays the same when points and length scale
/// shrink alike.
double largest_size(const SimulatedPoints& points) {
  double largest = 1.0;
  for (const auto* side : {&points.x, &points.y}) {
    for (const double value : *side) {
      largest = std::max(largest, std::fabs(value));
    }
  }
  return largest;
}

std::vector<double> divided(std::vector<double> values, double divisor) {
  for (double& value : values) {
    value = std::clamp(value / divisor, -1.0, 1.0);
  }
  return values;
}

void add_hermite_rows(const KernelComparison& comparison, const SimulatedPoints& points, double rho,
                      bool bounded, std::vector<ComparisonRow>& rows) {
  const double largest = largest_size(points);
  // Order 0 is the first entry of any other order.
  const HermiteFeatures features(std::max<std::size_t>(1, comparison.orders.back()),
                                 length_scale_of_rho(rho) / largest, rho);
  const std::vector<KernelError> errors =
      hermite_kernel_errors(features, divided(points.x, largest), divided(points.y, largest));
  for (const std::size_t order : comparison.orders) {
    rows.push_back({order, order + 1, errors[order], std::nullopt,
                    bounded ? std::optional(hermite_error_bound(order)) : std::nullopt,
                    std::nullopt});
  }
}

void add_random_rows(const KernelComparison& comparison, const SimulatedPoints& points, double rho,
                     bool bounded, const Context& context, std::vector<ComparisonRow>& rows) {
  std::vector<std::size_t> frequencies;
  for (const std::size_t entries : comparison.entries) {
    frequencies.push_back(entries / 2);
  }
  // One seed a draw, from a sequence of its own: the points do not change with the draws.
  SeededRandom seeds(~comparison.seed);
  std::vector<std::uint64_t> draw_seeds(comparison.draws);
  for (std::uint64_t& seed : draw_seeds) {
    seed = seeds.next_word();
  }
  std::vector<std::vector<KernelError>> errors(comparison.draws);
  std::atomic<std::size_t> next{0};
  run_workers(context.threads, [&](std::size_t) {
    for (std::size_t draw = next++; draw < comparison.draws; draw = next++) {
      context.throw_if_cancelled();
      const RandomFourierFeatures features(1, frequencies.back(), length_scale_of_rho(rho),
                                           draw_seeds[draw]);
      errors[draw] = random_fourier_kernel_errors(features, points.x, points.y, frequencies);
    }
  });
  const auto draws = static_cast<double>(comparison.draws);
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    KernelError error;
    double squares = 0.0;
    for (const std::vector<KernelError>& draw : errors) {
      error.mean += draw[i].mean / draws;
      error.largest = std::max(error.largest, draw[i].largest);
    }
    for (const std::vector<KernelError>& draw : errors) {
      squares += (draw[i].mean - error.mean) * (draw[i].mean - error.mean);
    }
    const std::size_t entries = comparison.entries[i];
    rows.push_back({std::nullopt, entries, error, std::sqrt(squares / std::max(1.0, draws - 1.0)),
                    std::nullopt,
                    bounded ? std::optional(random_feature_error_bound(entries)) : std::nullopt});
  }
}

}  // namespace

SimulatedPoints simulate_points(const KernelComparison& comparison) {
  require_limits(comparison);
  SeededRandom random(comparison.seed);
  SimulatedPoints points;
  for (std::size_t i = 0; i < comparison.points; ++i) {
    points.x.push_back(random.normal());
  }
  for (std::size_t i = 0; i < comparison.points; ++i) {
    points.y.push_back(random.normal() + comparison.shift);
  }
  return points;
}

std::vector<ComparisonRow> compare_kernel_features(const KernelComparison& comparison, double rho,
                                                   const Context& context) {
  require_rho(rho);
  const SimulatedPoints points = simulate_points(comparison);
  // What the paper proves, it proves for this rho and standard normal points on both sides.
  const bool bounded = std::fabs(3.0 * rho - 1.0) < 1e-6 && comparison.shift == 0.0;
  std::vector<ComparisonRow> rows;
  if (!comparison.orders.empty()) {
    add_hermite_rows(comparison, points, rho, bounded, rows);
  }
  if (!comparison.entries.empty()) {
    add_random_rows(comparison, points, rho, bounded, context, rows);
  }
  return rows;
}

}  // namespace mehler
