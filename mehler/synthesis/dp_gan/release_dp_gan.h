#pragma once

#include "mehler/core/context.h"
#include "mehler/privacy/accountant.h"
#include "mehler/privacy/private_table.h"
#include "mehler/release/release.h"
#include "mehler/synthesis/dp_gan/gan_options.h"

namespace mehler {

/// Throws Error(kInvalidArgument) for what method dp-gan cannot do, before a record is read.
void require_dp_gan(const Schema& schema, const GanOptions& options);

/// Trains a generator for each class of the target against a Wasserstein critic of its own, whose
/// gradients have noise, and releases their weights. Without a target there is one of each.
///
/// Privacy: charges the accountant before the records are read, for all steps: all that is left of
/// its budget, by the published protocol what that costs.
Release release_dp_gan(PrivateTable&& table, const GanOptions& options, Accountant& accountant,
                       const Context& context);

}  // namespace mehler
