#pragma once

#include <span>

#include "mehler/estimation/marginal_estimates.h"
#include "mehler/measurement/measurement_rounds.h"
#include "mehler/synthesis/marginals/pair_choice.h"

namespace mehler {

/// The factor, at least 1, by which the precision of pairs with the target is raised above their
/// share.
///
/// In wide tables they are few among many: they get a quarter of the budget. Where the target's
/// rarest class has too few records to stand out of their noise they get up to 8 times the
/// precision, and up to half of the budget. `blocks` and `shares` are those of the pairs; what is
/// left of the rounds' budget is theirs.
double target_factor(const ColumnEstimate& target, const PairChoice& choice,
                     std::span<const CountBlock> blocks, std::span<const ColumnPair> pairs,
                     std::span<const double> shares, const MeasurementRounds& rounds);

}  // namespace mehler
