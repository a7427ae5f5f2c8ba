#pragma once

#include "mehler/core/context.h"
#include "mehler/privacy/accountant.h"
#include "mehler/privacy/private_table.h"
#include "mehler/release/release.h"
#include "mehler/synthesis/dp_hp/dp_hp_options.h"

namespace mehler {

/// Turns a private table into a release of noisy feature sums: reads the records once, sums their
/// features exactly, adds noise once.
///
/// Privacy: charges the accountant all that is left of its budget, before the records are read.
Release release_dp_hp(PrivateTable&& table, const DpHpOptions& options, Accountant& accountant,
                      const Context& context);

}  // namespace mehler
