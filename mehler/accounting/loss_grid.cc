#include "mehler/accounting/loss_grid.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mehler {
namespace {

constexpr double kNoBound = std::numeric_limits<double>::infinity();
constexpr std::size_t kMinPoints = std::size_t{1} << 12;
constexpr std::size_t kMaxPoints = std::size_t{1} << 20;
constexpr double kMaxWindow = 1e5;

/// What is left out above and wrapped around from below, as a share of delta.
constexpr double kLeftOut = 1e-10;

/// How much of the variance of all losses the grid may add.
constexpr double kExcessVariance = 1e-4;

/// The probabilities that bound a range of losses are not made smaller than this.
constexpr double kSmallestShare = 1e-280;

/// The least tilt that keeps rounding errors small beside delta. Rounding leaves about 1e-10 of
/// Chernoff's bound, which at a share c of the best tilt is about delta^(2c - c^2); a smaller tilt
/// needs a smaller window, because it gives rare large losses less weight.
double tilt_for(const LossFocus& focus) {
  const double share = 1.0 - std::sqrt(9.0 / std::max(-std::log(focus.delta), 9.0));
  return focus.tilt * std::max(share, 0.25);
}

/// One kind of pair on a coarse grid of its own.
struct LossSketch {
  LossPart part;
  LossDistribution losses;
};

std::vector<LossSketch> sketches_of(const LossPairCounts& pairs, LossDirection direction,
                                    double delta) {
  constexpr double kSketchPoints = 4096.0;
  std::vector<LossSketch> sketches;
  for (const auto& [pair, count] : pairs) {
    const auto times = static_cast<double>(count);
    const double tail = std::clamp(kLeftOut * delta / times, kSmallestShare, 1e-9);
    const LossRange range = range_of(pair, direction, tail);
    const double step = (range.high - range.low) / kSketchPoints;
    sketches.push_back({{pair, times, range}, LossDistribution(pair, direction, range, step)});
  }
  return sketches;
}

double log_moment_of_all(const std::vector<LossSketch>& sketches, double order) {
  double sum = 0.0;
  for (const LossSketch& sketch : sketches) {
    sum += sketch.part.count * sketch.losses.log_moment(order);
  }
  return sum;
}

double slack_of_all(const std::vector<LossSketch>& sketches) {
  double sum = 0.0;
  for (const LossSketch& sketch : sketches) {
    sum += sketch.part.count * sketch.losses.slack();
  }
  return sum;
}

/// Orders for Chernoff's bound, from a thousandth of the tilt to ten thousand times it.
template <typename Visit>
void for_each_order(double tilt, const Visit& visit) {
  constexpr int kOrders = 40;
  double order = 1e-3 * tilt;
  for (int i = 0; i < kOrders; ++i) {
    visit(order);
    order *= 1.5;
  }
}

/// The losses that a grid holds, and the order of the bound that gave the upper end.
struct LossWindow {
  double low = 0.0;
  double high = 0.0;
  double order = 0.0;
};

/// The losses that the grid has to hold, by Chernoff's bound: above, all but kLeftOut of delta, and
/// what lies higher comes in again at the lower end and may add no more than that; below, all but
/// kLeftOut of the weighted losses, which come in again at the upper end, where they weigh little.
LossWindow window_of(const std::vector<LossSketch>& sketches, const LossFocus& focus) {
  const double log_left_out = std::log(std::max(kLeftOut * focus.delta, kSmallestShare));
  const double log_tilted = log_moment_of_all(sketches, focus.tilt);
  LossWindow window{-kNoBound, kNoBound, 0.0};
  double without_return = kNoBound;
  for_each_order(focus.tilt, [&](double order) {
    const double high = (log_moment_of_all(sketches, order) - log_left_out) / order;
    if (high < window.high) {
      window.high = high;
      window.order = order;
    }
    const double log_above = log_moment_of_all(sketches, focus.tilt + order);
    without_return =
        std::min(without_return, (log_above - focus.tilt * focus.epsilon - log_left_out) / order);
    const double log_below = log_moment_of_all(sketches, focus.tilt - order);
    window.low = std::max(window.low, (log_tilted - log_below + std::log(kLeftOut)) / order);
  });
  window.low = std::min(window.low, focus.epsilon - slack_of_all(sketches));
  window.high = std::max(
      {window.high, without_return, focus.epsilon + 1e-6 * (1.0 + std::abs(focus.epsilon))});
  return window;
}

/// Connecting the dots adds to the variance of a loss about h^2 / 6, and at most h times its
/// deviation where that is smaller than the step h.
double excess_variance(const std::vector<LossSketch>& sketches, double step) {
  double sum = 0.0;
  for (const LossSketch& sketch : sketches) {
    sum += sketch.part.count * step * std::min(step / 6.0, std::sqrt(sketch.losses.variance()));
  }
  return sum;
}

std::size_t points_for(const std::vector<LossSketch>& sketches, const LossWindow& window) {
  double variance = 0.0;
  for (const LossSketch& sketch : sketches) {
    variance += sketch.part.count * sketch.losses.variance();
  }
  std::size_t points = kMinPoints;
  while (points * sketches.size() * 2 <= kMaxPoints &&
         excess_variance(sketches, (window.high - window.low) / static_cast<double>(points)) >
             kExcessVariance * variance) {
    points *= 2;
  }
  return points;
}

/// So that the window fits, and no kind of loss has many more points than it.
double step_for(const std::vector<LossSketch>& sketches, const LossWindow& window,
                std::size_t points) {
  double step = (window.high - window.low) / static_cast<double>(points - 4);
  for (const LossSketch& sketch : sketches) {
    step = std::max(step, (sketch.part.range.high - sketch.part.range.low) /
                              (2.0 * static_cast<double>(points)));
  }
  return step;
}

}  // namespace

LossGrid loss_grid_for(const LossPairCounts& pairs, LossDirection direction,
                       const LossFocus& focus) {
  LossGrid grid;
  grid.tilt = tilt_for(focus);
  const auto sketches = sketches_of(pairs, direction, focus.delta);
  const LossWindow window = window_of(sketches, {focus.epsilon, focus.delta, grid.tilt});
  if (!(window.high <= kMaxWindow && window.low >= -kMaxWindow)) {  // written so that NaN fails too
    return grid;
  }
  grid.points = points_for(sketches, window);
  grid.step = step_for(sketches, window, grid.points);
  grid.first = static_cast<std::int64_t>(std::floor(window.low / grid.step)) - 1;
  grid.tail_order = window.order;
  grid.slack = slack_of_all(sketches);
  for (const LossSketch& sketch : sketches) {
    grid.parts.push_back(sketch.part);
  }
  return grid;
}

}  // namespace mehler
