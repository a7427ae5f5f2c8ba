#pragma once

#include "mehler/core/context.h"
#include "mehler/privacy/accountant.h"
#include "mehler/privacy/private_table.h"
#include "mehler/release/release.h"
#include "mehler/synthesis/dp_gan/gan_options.h"

namespace mehler {

/// Throws Error(kInvalidArgument) for what method dp-cgan cannot do, before a record is read.
void require_dp_cgan(const Schema& schema, const GanOptions& options);

/// Trains one generator that is told the class against one critic that is told it too and
/// whose gradients have noise, and releases its weights. Throws Error(kInvalidArgument) for a
/// schema without a target: there is no class to tell.
///
/// Privacy: charges the accountant before the records are read, for all steps: all that is left of
/// its budget, by the published protocol what that costs.
Release release_dp_cgan(PrivateTable&& table, const GanOptions& options, Accountant& accountant,
                        const Context& context);

}  // namespace mehler
