#pragma once

#include <span>

#include "mehler/accounting/gaussian_privacy.h"
#include "mehler/release/release.h"

namespace mehler {

/// The privacy that several releases of the same records spend together: their charges composed, at
/// the largest of their deltas. Less than the sum of their epsilons.
///
/// Throws Error(kInvalidArgument) if there is none, or if they do not protect the same: another
/// relation between tables, another privacy unit or more rows of it.
PrivacyBudget spent_together(std::span<const Release> releases);

}  // namespace mehler
