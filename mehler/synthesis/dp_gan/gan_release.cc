#include "mehler/synthesis/dp_gan/gan_release.h"

#include "mehler/synthesis/dp_gan/gan_training.h"
#include "mehler/synthesis/dp_gan/trained_release.h"
#include "mehler/table/assumed_domains.h"

namespace mehler {

void require_gan(const Schema& schema, const GanRecipe& recipe) {
  require_trainable(schema, {recipe.method, recipe.plan, recipe.label, {}});
  recipe.require_memory(Encoder(with_assumed_domains(schema)));
}

Release release_gan(PrivateTable&& table, const GanRecipe& recipe, Accountant& accountant,
                    const Context& context) {
  require_gan(table.schema(), recipe);
  const Encoder encoder(table.schema());
  const auto train = [&](PrivateBatches& records, SubsampledMechanism& paid,
                         const TrainedWeights& counted) {
    return train_generators(recipe, encoder, records, paid, counted, context);
  };
  return release_trained(std::move(table), {recipe.method, recipe.plan, recipe.label, train},
                         accountant, context);
}

}  // namespace mehler
