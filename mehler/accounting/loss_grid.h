#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mehler/accounting/loss_pair.h"
#include "mehler/accounting/privacy_loss_distribution.h"

namespace mehler {

/// Where a composed loss is wanted at full precision: near this epsilon and this delta. `tilt` is
/// the exponent of Chernoff's bound there; one less than the best Renyi order.
struct LossFocus {
  double epsilon = 0.0;
  double delta = 0.0;
  double tilt = 0.0;
};

/// One kind of pair, how often it occurs, and which of its losses are kept.
struct LossPart {
  LossPair pair;
  double count = 0.0;
  LossRange range;
};

/// The grid on which losses are composed. Whatever it is, what is computed on it is a bound; it
/// decides how close.
struct LossGrid {
  std::vector<LossPart> parts;
  /// 2^12 to 2^20 over the number of parts; 0 if losses are too large to be composed.
  std::size_t points = 0;
  double step = 0.0;
  /// The first point is first * step.
  std::int64_t first = 0;
  /// The exponent of the weights.
  double tilt = 0.0;
  /// A good order for Chernoff's bound of what lies above the last point.
  double tail_order = 0.0;
  /// By how much a sum of losses may be larger than stated (LossDistribution::slack()).
  double slack = 0.0;
};

/// The grid for a focus with 0 < delta <= 1/2 and tilt > 0: from a coarse one for each pair it
/// takes Chernoff's bounds of the sum, and the variance that the grid would add to it.
LossGrid loss_grid_for(const LossPairCounts& pairs, LossDirection direction,
                       const LossFocus& focus);

}  // namespace mehler
