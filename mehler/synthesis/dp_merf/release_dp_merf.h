#pragma once

#include "mehler/core/context.h"
#include "mehler/privacy/accountant.h"
#include "mehler/privacy/private_table.h"
#include "mehler/release/release.h"
#include "mehler/synthesis/dp_merf/dp_merf_options.h"

namespace mehler {

/// Turns a private table into a release of its noisy counts of classes and, for each class, of
/// noisy sums of random Fourier features and codes.
///
/// Privacy: charges the accountant before the records are read: all that is left of its budget, by
/// the published protocol less.
Release release_dp_merf(PrivateTable&& table, const DpMerfOptions& options, Accountant& accountant,
                        const Context& context);

}  // namespace mehler
