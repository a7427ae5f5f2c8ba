#include "mehler/synthesis/gs_wgan/gs_wgan_recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "mehler/core/error.h"
#include "mehler/core/integer_math.h"
#include "mehler/core/options.h"
#include "mehler/record_networks/record_inputs.h"

namespace mehler {
namespace {

constexpr std::size_t kMostBytes = 4'000'000'000;
/// Of a number of the generator: itself, its gradient, its mean, what Adam keeps.
constexpr std::size_t kBytesOfNumber = 20;
constexpr std::uint64_t kRecordsOfCritic = 64;
constexpr std::uint64_t kMostCritics = 1000;
constexpr std::uint64_t kSteps = 3000;
constexpr std::uint64_t kQueries = 32;
constexpr std::size_t kGeneratedForCritics = 128;

// Its authors' settings: 1000 critics, of which one judges all 32 images of a step; noise of 2
// sigma C with sigma 1.07.
constexpr std::uint64_t kPublishedSteps = 20'000;
constexpr double kPublishedNoise = 1.07;

}  // namespace

GsWganRecipe gs_wgan_recipe(const Schema& schema, const GsWganOptions& options) {
  const std::uint64_t expected =
      options.expected_records.value_or(PrivateTrainingOptions::kExpectedRecords);
  GsWganRecipe recipe;
  TrainingPlan& plan = recipe.plan;
  plan.critics = TrainingCritics::kShards;
  plan.shards = options.shards.value_or(
      options.published ? kMostCritics
                        : std::clamp<std::uint64_t>(expected / kRecordsOfCritic, 2, kMostCritics));
  plan.queries = options.queries.value_or(kQueries);
  plan.steps = options.steps.value_or(options.published ? kPublishedSteps : kSteps);
  plan.clip_norm = options.clip_norm.value_or(1.0);
  plan.noise_multiplier =
      options.published ? kPublishedNoise : options.noise_multiplier.value_or(0.0);
  plan.drawn_jointly = options.published;
  plan.published = options.published;
  recipe.generator.noise_inputs = options.published ? 10 : 32;
  recipe.generator.noise = options.published ? NoiseInputs::kCoins : NoiseInputs::kNormal;
  recipe.generator.hidden_layers = HiddenLayers::kRectified;
  recipe.generator.hidden = schema.image() != nullptr ? std::vector<std::size_t>{256, 256}
                                                      : std::vector<std::size_t>{128, 128};
  if (!options.generator_hidden.empty()) {
    recipe.generator.hidden = options.generator_hidden;
  }
  if (!options.critic_hidden.empty()) {
    recipe.critic.hidden = options.critic_hidden;
  }
  if (options.published) {
    recipe.trained_critics = 1;
    recipe.critic_steps = 5;
    recipe.generator_rate = 1e-4;
    recipe.critic.learning_rate = 1e-4;
  }
  recipe.critic.learning_rate = options.critic_learning_rate.value_or(recipe.critic.learning_rate);
  recipe.generator_rate = options.generator_learning_rate.value_or(recipe.generator_rate);
  recipe.trained_critics = options.trained_critics.value_or(recipe.trained_critics);
  recipe.critic_steps = options.critic_steps.value_or(recipe.critic_steps);
  recipe.warm_steps = options.warm_steps.value_or(recipe.warm_steps);
  return recipe;
}

std::size_t GsWganRecipe::generated_for_critics(std::size_t classes) {
  return round_up(kGeneratedForCritics, classes);
}

void GsWganRecipe::require_memory(const Encoder& encoder) const {
  const RecordInputs taken(encoder, inputs);
  // What the generator takes, its units and their slopes, twice each: it keeps those of a step. Of
  // records what is given and drawn, slopes, and gradients as integers, with noise and as numbers.
  const std::size_t of_record =
      (2 * std::accumulate(generator.hidden.begin(), generator.hidden.end(),
                           generator.noise_inputs + taken.told_classes()) +
       10 * taken.size()) *
      sizeof(float);
  const std::size_t of_step = multiply_saturating(
      std::max<std::size_t>(generated_for_critics(taken.told_classes()), plan.queries), of_record);
  const std::size_t of_generator = multiply_saturating(
      number_count(generator.layers(encoder, taken.told_classes(), taken.layout().size)),
      kBytesOfNumber);
  const std::size_t of_critics = critic.bytes(taken, plan.shards);
  const std::size_t bytes = add_saturating(add_saturating(of_critics, of_generator), of_step);
  if (bytes > kMostBytes) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("the networks of method gs-wgan and the records that they generate at once "
                    "would take about {} MB, and may take {}; ask for fewer critics ({}), fewer "
                    "records ({}) or fewer units ({}, {}), or leave out or group categories of "
                    "columns, of the target above all",
                    bytes / 1'000'000, kMostBytes / 1'000'000, option_words("shards"),
                    option_words("queries"), option_words("critic"),
                    option_words("generator-layers")));
  }
}

}  // namespace mehler
