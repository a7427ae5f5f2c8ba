#include "mehler/synthesis/dp_gan/release_dp_gan.h"

#include "mehler/synthesis/dp_gan/dp_gan_recipe.h"
#include "mehler/synthesis/dp_gan/gan_release.h"

namespace mehler {

void require_dp_gan(const Schema& schema, const GanOptions& options) {
  require_gan(schema, dp_gan_recipe(schema, options));
}

Release release_dp_gan(PrivateTable&& table, const GanOptions& options, Accountant& accountant,
                       const Context& context) {
  const GanRecipe recipe = dp_gan_recipe(table.schema(), options);
  return release_gan(std::move(table), recipe, accountant, context);
}

}  // namespace mehler
