#pragma once

#include "mehler/core/context.h"
#include "mehler/privacy/accountant.h"
#include "mehler/privacy/private_table.h"
#include "mehler/release/release.h"
#include "mehler/synthesis/gs_wgan/gs_wgan_options.h"

namespace mehler {

/// Throws Error(kInvalidArgument) for what method gs-wgan cannot do, before a record is read.
void require_gs_wgan(const Schema& schema, const GsWganOptions& options);

/// Trains a generator that is told the class by the noisy gradients that many critics, each with
/// records of its own, give of generated records, and releases its weights.
///
/// Privacy: charges the accountant before the records are read, for all steps: all that is left of
/// its budget, by the published protocol what that costs.
Release release_gs_wgan(PrivateTable&& table, const GsWganOptions& options, Accountant& accountant,
                        const Context& context);

}  // namespace mehler
