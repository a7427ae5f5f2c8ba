#include "mehler/synthesis/dp_cgan/dp_cgan_recipe.h"

#include <algorithm>

namespace mehler {
namespace {

/// Settings of its authors. Each of four tensors was clipped to C, together to 2 C, and got noise
/// of sigma C: with one norm for all a noise multiplier of sigma / 2.
struct PublishedPlan {
  double batch;
  std::uint64_t records;  ///< of which a batch is, where nobody says how many there are
  std::uint64_t steps;
  double clip_norm;
  double noise_multiplier;
};

PublishedPlan published_plan(RecordKind kind) {
  switch (kind) {
    case RecordKind::kImage:
      return {600.0, 55'000, 30'304, 2.2, 0.56};
    case RecordKind::kPoint:
      return {300.0, 90'000, 40'609, 2.0, 2.5};
    case RecordKind::kTable:
      break;
  }
  return {400.0, PrivateTrainingOptions::kExpectedRecords, 38, 2.2, 0.55};
}

void set_published(const GanOptions& options, RecordKind kind, GanRecipe& recipe) {
  const PublishedPlan published = published_plan(kind);
  TrainingPlan& plan = recipe.plan;
  const auto records = static_cast<double>(options.expected_records.value_or(published.records));
  plan.rate_numerator = TrainingPlan::numerator_of(std::min(1.0, published.batch / records));
  plan.steps = published.steps;
  plan.clip_norm = published.clip_norm;
  plan.noise_multiplier = published.noise_multiplier;
  if (kind == RecordKind::kPoint) {
    recipe.generator.noise_inputs = 20;
    recipe.generator.hidden = {1024};
    recipe.critic_hidden = {1024};
  }
}

}  // namespace

GanRecipe dp_cgan_recipe(const Schema& schema, const GanOptions& options) {
  GanRecipe recipe{AdversarialDesign::of_dp_cgan()};
  recipe.method = "dp-cgan";
  recipe.plan.critics = TrainingCritics::kOne;
  if (options.published) {
    set_published(options, record_kind(schema), recipe);
  }
  apply_options(options, recipe);
  return recipe;
}

}  // namespace mehler
