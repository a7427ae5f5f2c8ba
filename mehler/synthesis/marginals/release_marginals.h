#pragma once

#include "mehler/core/context.h"
#include "mehler/privacy/accountant.h"
#include "mehler/privacy/private_table.h"
#include "mehler/release/release.h"
#include "mehler/synthesis/marginals/marginals_options.h"

namespace mehler {

/// Turns a private table into a release of noisy counts: of all records, of each column, of values
/// within ranges of numbers, of pairs and of some triples of columns, as orthonormal contrasts.
///
/// Privacy: the records are read once, or in passes where their codes take too much memory
/// (make_count_source()). Each round is charged to the accountant before its noise is drawn; what
/// later rounds measure depends on the noisy results of earlier ones alone, and all of them
/// together spend what is left of the budget, which Gaussian noise composes to exactly
/// (docs/methods/marginals.md, "Privacy").
Release release_marginals(PrivateTable&& table, const MarginalsOptions& options,
                          Accountant& accountant, const Context& context);

}  // namespace mehler
