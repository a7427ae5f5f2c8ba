#include "mehler/synthesis/marginals/target_precision.h"

#include <algorithm>
#include <cmath>

#include "mehler/counts/contrasts.h"

namespace mehler {
namespace {

constexpr double kShareOfWide = 0.25;   ///< of the pairs' budget, at least, in wide tables
constexpr double kClearClass = 5.0;     ///< a class with this many times the noise of a pair
constexpr double kMostForRarest = 8.0;  ///< times the precision, for a class with fewer

}  // namespace

double target_factor(const ColumnEstimate& target, const PairChoice& choice,
                     std::span<const CountBlock> blocks, std::span<const ColumnPair> pairs,
                     std::span<const double> shares, const MeasurementRounds& rounds) {
  double of_target = 0.0;
  double of_others = 0.0;
  double noise = 0.0;  // of cells of pairs with the target, with a precision of 1 a share
  double tables = 0.0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const double cost = shares[i] * rounds.cost(blocks[i]);
    if (choice.is_of_target(pairs[i])) {
      of_target += cost;
      noise += std::sqrt(squared_contrast_norm(blocks[i].marginal()->shape()) / shares[i]);
      tables += 1.0;
    } else {
      of_others += cost;
    }
  }
  if (!(of_target > 0.0)) {
    return 1.0;
  }
  double factor = 1.0;
  if (pairs.size() > kFewPairs) {
    factor = kShareOfWide / (1.0 - kShareOfWide) * of_others / of_target;
  }
  if (target.cells->column().is_category()) {
    noise *= std::sqrt((of_target + of_others) / rounds.left()) / tables;
    const auto classes = std::span(target.counts).first(target.cells->value_cells());
    const double rarest = std::max(*std::min_element(classes.begin(), classes.end()), 1.0);
    const double wanted = std::pow(kClearClass * noise / rarest, 2.0);
    factor = std::max(factor, std::min({wanted, kMostForRarest, of_others / of_target}));
  }
  return std::max(factor, 1.0);
}

}  // namespace mehler
