#pragma once

#include "mehler/core/context.h"
#include "mehler/privacy/accountant.h"
#include "mehler/privacy/private_table.h"
#include "mehler/release/release.h"

namespace mehler {

/// Turns a private table into a release of noisy counts of each column alone: what a table without
/// any relation between columns can be made of. The baseline of comparisons.
///
/// Privacy: charges the accountant all that is left of its budget, each part before its noise is
/// drawn. The records are read once, or twice where their codes take too much memory.
Release release_independent(PrivateTable&& table, Accountant& accountant, const Context& context);

}  // namespace mehler
