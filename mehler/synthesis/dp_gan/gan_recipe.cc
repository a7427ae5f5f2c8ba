#include "mehler/synthesis/dp_gan/gan_recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "mehler/core/error.h"
#include "mehler/core/integer_math.h"
#include "mehler/core/options.h"
#include "mehler/record_networks/generator_networks.h"
#include "mehler/record_networks/record_layout.h"

namespace mehler {
namespace {

constexpr std::size_t kMostBytes = 4'000'000'000;
/// Of a number of a network: itself, its gradient, what optimisers keep, sums and noisy sums.
constexpr std::size_t kBytesOfNumber = 40;
/// What a step keeps of a unit, of as many records as it takes at once.
constexpr std::size_t kBytesOfUnit = 2048 * std::size_t{32};

}  // namespace

BatchRule BatchRule::of(std::uint64_t expected_records) {
  if (expected_records < 2'000) {
    return {64.0, 300};
  }
  if (expected_records < 20'000) {
    return {256.0, 1000};
  }
  return {expected_records < 100'000 ? 400.0 : 1000.0, 2000};
}

void apply_options(const GanOptions& options, GanRecipe& recipe) {
  const std::uint64_t expected =
      options.expected_records.value_or(PrivateTrainingOptions::kExpectedRecords);
  const BatchRule rule = BatchRule::of(expected);
  TrainingPlan& plan = recipe.plan;
  if (options.rate || plan.rate_numerator == 0) {
    plan.rate_numerator = TrainingPlan::numerator_of(
        options.rate.value_or(std::min(1.0, rule.batch / static_cast<double>(expected))));
  }
  if (options.steps || plan.steps == 0) {
    plan.steps = options.steps.value_or(rule.steps);
  }
  plan.clip_norm = options.clip_norm.value_or(plan.clip_norm);
  if (options.published) {
    recipe.generated_clipping = Clipping{plan.clip_norm};
  }
  plan.noise_multiplier = options.noise_multiplier.value_or(plan.noise_multiplier);
  plan.published = options.published;
  recipe.critic_steps = options.critic_steps.value_or(recipe.critic_steps);
  if (!options.critic_hidden.empty()) {
    recipe.critic_hidden = options.critic_hidden;
  }
  if (!options.generator_hidden.empty()) {
    recipe.generator.hidden = options.generator_hidden;
  }
  if (const auto rate = options.critic_learning_rate) {
    recipe.critic_rate = {*rate, *rate};
  }
  if (const auto rate = options.generator_learning_rate) {
    recipe.generator_rate = {*rate, *rate};
  }
}

void GanRecipe::require_memory(const Encoder& encoder) const {
  const std::size_t outputs = RecordLayout(encoder).size;
  const std::size_t classes = label_classes(encoder);
  const std::size_t told = inputs.label == RecordInputs::Label::kTold ? classes : 0;
  const std::size_t of_pair = number_count(critic_layers(outputs + told)) +
                              number_count(generator.layers(encoder, told, outputs));
  const std::size_t units =
      std::accumulate(critic_hidden.begin(), critic_hidden.end(), 2 * outputs + told) +
      std::accumulate(generator.hidden.begin(), generator.hidden.end(), std::size_t{0});
  const std::size_t of_networks = multiply_saturating(multiply_saturating(of_pair, kBytesOfNumber),
                                                      one_per_class() ? classes : 1);
  const std::size_t bytes = add_saturating(of_networks, multiply_saturating(units, kBytesOfUnit));
  if (bytes > kMostBytes) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("the networks of method {} would take about {} MB, and may take {}; ask "
                    "for fewer units ({}, {}), or leave out or group categories of columns",
                    method, bytes / 1'000'000, kMostBytes / 1'000'000, option_words("critic"),
                    option_words("generator-layers")));
  }
}

}  // namespace mehler
