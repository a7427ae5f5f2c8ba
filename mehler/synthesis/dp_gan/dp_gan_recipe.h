#pragma once

#include "mehler/synthesis/dp_gan/gan_recipe.h"
#include "mehler/table/schema.h"

namespace mehler {

/// What method dp-gan does with tables of a schema; nothing of it is read from records. Its
/// authors' settings where the options ask for the published protocol.
GanRecipe dp_gan_recipe(const Schema& schema, const GanOptions& options);

}  // namespace mehler
