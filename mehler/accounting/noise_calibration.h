#pragma once

#include <cstdint>
#include <span>

#include "mehler/accounting/charge.h"
#include "mehler/accounting/gaussian_privacy.h"

namespace mehler {

/// The smallest noise multiplier, and up to a relative 1e-4 more, for which that many steps beside
/// `others` keep a budget by ComposedPrivacy; never too small. delta is kept by a thousandth less,
/// so that a reader whose computer rounds otherwise agrees. Throws Error(kInvalidArgument) for
/// invalid arguments, and Error(kBudgetExceeded) if no noise multiplier up to kMaxNoiseMultiplier
/// is enough, because of the others. Cost: about ten answers of ComposedPrivacy.
double calibrate_noise_multiplier(const PrivacyBudget& budget, double sampling_rate,
                                  std::uint64_t steps, std::span<const Charge> others = {});

}  // namespace mehler
