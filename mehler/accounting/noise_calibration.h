#pragma once

#include <cstdint>
#include <span>

#include "mehler/accounting/charge.h"
#include "mehler/accounting/gaussian_privacy.h"

namespace mehler {

/// What a step does with a record that is sampled: adds it, as SubsampledGaussian has it, or shows
/// it in the place of another, as ReplacedGaussian does.
enum class SampledRecord { kAdded, kReplaced };

/// A noise multiplier for which this many steps, together with `others`, keep a budget by
/// ComposedPrivacy: never too small, and at most a relative 1e-4 above the smallest. A thousandth
/// of delta is left over, so that a reader whose computer rounds differently agrees. Throws
/// Error(kInvalidArgument) for invalid arguments, and Error(kBudgetExceeded) if no noise multiplier
/// up to kMaxNoiseMultiplier is enough, because of the others. Cost: about ten answers of
/// ComposedPrivacy.
double calibrate_noise_multiplier(const PrivacyBudget& budget, double sampling_rate,
                                  std::uint64_t steps, std::span<const Charge> others = {},
                                  SampledRecord record = SampledRecord::kAdded);

}  // namespace mehler
