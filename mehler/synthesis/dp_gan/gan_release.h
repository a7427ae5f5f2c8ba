#pragma once

#include "mehler/core/context.h"
#include "mehler/encoding/columns_to_learn.h"
#include "mehler/privacy/accountant.h"
#include "mehler/privacy/private_table.h"
#include "mehler/release/release.h"
#include "mehler/synthesis/dp_gan/gan_recipe.h"

namespace mehler {

/// Throws Error(kInvalidArgument) for a schema or a recipe that cannot be trained, as far as that
/// is known before a record is read.
void require_gan(const Schema& schema, const GanRecipe& recipe,
                 SchemaOrigin origin = SchemaOrigin::kWritten);

/// The release of every method that trains a critic on private records: reads the records once,
/// counts classes with noise, trains, and releases the generators' weights.
///
/// Privacy: charges the accountant before the records are read: for the counts and for all steps;
/// what the recipe leaves open follows from what is left of the budget.
Release release_gan(PrivateTable&& table, const GanRecipe& recipe, Accountant& accountant,
                    const Context& context);

}  // namespace mehler
