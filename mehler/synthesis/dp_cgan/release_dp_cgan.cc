#include "mehler/synthesis/dp_cgan/release_dp_cgan.h"

#include "mehler/synthesis/dp_cgan/dp_cgan_recipe.h"
#include "mehler/synthesis/dp_gan/gan_release.h"

namespace mehler {

void require_dp_cgan(const Schema& schema, const GanOptions& options) {
  require_gan(schema, dp_cgan_recipe(schema, options));
}

Release release_dp_cgan(PrivateTable&& table, const GanOptions& options, Accountant& accountant,
                        const Context& context) {
  const GanRecipe recipe = dp_cgan_recipe(table.schema(), options);
  return release_gan(std::move(table), recipe, accountant, context);
}

}  // namespace mehler
