#include "mehler/synthesis/dp_cgan/dp_cgan_recipe.h"

#include <algorithm>

#include "mehler/record_networks/published_dp_cgan.h"

namespace mehler {
namespace {

TrainingPlan published_plan(const PublishedDpCgan& published, const GanOptions& options) {
  const auto records = static_cast<double>(options.expected_records.value_or(
      published.records.value_or(PrivateTrainingOptions::kExpectedRecords)));
  TrainingPlan plan;
  plan.rate_numerator =
      TrainingPlan::numerator_of(std::min(1.0, static_cast<double>(published.batch) / records));
  plan.steps = published.steps;
  plan.clip_norm = published.norm();
  plan.noise_multiplier = published.noise_multiplier();
  return plan;
}

}  // namespace

GanRecipe dp_cgan_recipe(const Schema& schema, const GanOptions& options) {
  GanRecipe recipe{AdversarialDesign::of_dp_cgan()};
  recipe.kept_of_mean = 0.999;
  if (options.published) {
    const PublishedDpCgan published = PublishedDpCgan::of(record_kind(schema));
    recipe = GanRecipe{published.design};
    recipe.plan = published_plan(published, options);
  }
  recipe.method = "dp-cgan";
  recipe.plan.critics = TrainingCritics::kOne;
  apply_options(options, recipe);
  return recipe;
}

}  // namespace mehler
