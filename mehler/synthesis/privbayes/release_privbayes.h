#pragma once

#include "mehler/core/context.h"
#include "mehler/privacy/accountant.h"
#include "mehler/privacy/private_table.h"
#include "mehler/release/release.h"
#include "mehler/synthesis/privbayes/privbayes_options.h"

namespace mehler {

/// Throws Error(kInvalidArgument) for a schema that this method, or its published protocol, is not
/// for.
void require_privbayes(const Schema& schema, const PrivBayesOptions& options);

/// Turns a private table into a release of noisy counts: of each column, and of each column
/// together with a few others, its parents in a Bayesian network, which is chosen column by column.
///
/// Privacy: each choice (by the exponential mechanism, drawn exactly) and each table's noise is
/// charged before it is drawn; what is offered to a choice depends on earlier results alone. All
/// together spend what is left of the budget; by the published protocol a part of it
/// (docs/methods/privbayes.md, "Privacy").
Release release_privbayes(PrivateTable&& table, const PrivBayesOptions& options,
                          Accountant& accountant, const Context& context);

}  // namespace mehler
