#pragma once

#include "mehler/core/context.h"
#include "mehler/features/feature_set.h"
#include "mehler/privacy/accountant.h"
#include "mehler/privacy/private_table.h"
#include "mehler/release/release.h"

namespace mehler {

/// Turns a private table into a release of noisy feature sums: reads the records once, sums their
/// Hermite and one-hot features exactly, adds noise once.
///
/// Privacy: charges the accountant all that is left of its budget, before the records are read.
Release release_mean_embedding(PrivateTable&& table, const EmbeddingOptions& options,
                               Accountant& accountant, const Context& context);

}  // namespace mehler
