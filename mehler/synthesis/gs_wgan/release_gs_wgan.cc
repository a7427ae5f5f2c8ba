#include "mehler/synthesis/gs_wgan/release_gs_wgan.h"

#include "mehler/measurement/schema_origin.h"
#include "mehler/synthesis/dp_gan/trained_release.h"
#include "mehler/synthesis/gs_wgan/gs_wgan_recipe.h"
#include "mehler/synthesis/gs_wgan/gs_wgan_training.h"
#include "mehler/table/assumed_domains.h"

namespace mehler {
namespace {

constexpr const char* kMethod = "gs-wgan";

void require_recipe(const Schema& schema, const GsWganRecipe& recipe, SchemaOrigin origin) {
  require_trainable(schema, {kMethod, recipe.plan, recipe.inputs, {}}, origin);
  recipe.require_memory(Encoder(with_assumed_domains(schema)));
}

}  // namespace

void require_gs_wgan(const Schema& schema, const GsWganOptions& options) {
  require_recipe(schema, gs_wgan_recipe(schema, options), SchemaOrigin::kWritten);
}

Release release_gs_wgan(PrivateTable&& table, const GsWganOptions& options, Accountant& accountant,
                        const Context& context) {
  const GsWganRecipe recipe = gs_wgan_recipe(table.schema(), options);
  require_recipe(table.schema(), recipe, schema_origin(accountant));
  const Encoder encoder(table.schema());
  const auto train = [&](PrivateBatches& records, SubsampledMechanism& paid,
                         const TrainedWeights& counted) {
    return train_by_critics(recipe, encoder, records, paid, counted, context);
  };
  return release_trained(std::move(table), {kMethod, recipe.plan, recipe.inputs, train}, accountant,
                         context);
}

}  // namespace mehler
