#include "mehler/synthesis/dp_gan/gan_release.h"

#include <fmt/format.h>

#include "mehler/core/error.h"
#include "mehler/core/options.h"
#include "mehler/measurement/schema_origin.h"
#include "mehler/synthesis/dp_gan/gan_training.h"
#include "mehler/synthesis/dp_gan/trained_release.h"
#include "mehler/table/assumed_domains.h"

namespace mehler {
namespace {

/// The generator steps once for so many steps of its critic: with fewer in all it would stay as it
/// began, and the whole budget would be spent on that.
void require_trained_generator(const GanRecipe& recipe) {
  if (recipe.plan.steps < recipe.critic_steps) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("{} must be at least {} with {} {}, but is {}: a generator takes a step after "
                    "each {} of its critic, and would take none; ask for more steps, or for fewer "
                    "of the critic",
                    option_words("steps"), recipe.critic_steps, option_words("critic-steps"),
                    recipe.critic_steps, recipe.plan.steps, recipe.critic_steps));
  }
}

}  // namespace

void require_gan(const Schema& schema, const GanRecipe& recipe, SchemaOrigin origin) {
  require_trainable(schema, {recipe.method, recipe.plan, recipe.inputs, {}}, origin);
  require_trained_generator(recipe);
  recipe.require_memory(Encoder(with_assumed_domains(schema)));
}

Release release_gan(PrivateTable&& table, const GanRecipe& recipe, Accountant& accountant,
                    const Context& context) {
  require_gan(table.schema(), recipe, schema_origin(accountant));
  const Encoder encoder(table.schema());
  const auto train = [&](PrivateBatches& records, SubsampledMechanism& paid,
                         const TrainedWeights& counted) {
    return train_generators(recipe, encoder, records, paid, counted, context);
  };
  return release_trained(std::move(table), {recipe.method, recipe.plan, recipe.inputs, train},
                         accountant, context);
}

}  // namespace mehler
