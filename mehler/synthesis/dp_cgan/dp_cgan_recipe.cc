#include "mehler/synthesis/dp_cgan/dp_cgan_recipe.h"

#include <algorithm>

namespace mehler {
namespace {

// Its authors' settings. Each of four tensors was clipped to 1.1, together to 2.2, and got noise of
// sigma times 1.1: with one norm for all a noise multiplier of sigma / 2. Of images sigma is 1.12,
// batches have 600 of 55,000 and there are 30,304 steps; of tables 1.1, 400 and 38.
constexpr double kPublishedClip = 2.2;
constexpr double kPublishedNoiseOfImages = 0.56;
constexpr double kPublishedNoiseOfTables = 0.55;
constexpr double kPublishedBatchOfImages = 600.0;
constexpr double kPublishedBatchOfTables = 400.0;
constexpr std::uint64_t kPublishedStepsOfImages = 30'304;
constexpr std::uint64_t kPublishedStepsOfTables = 38;
constexpr std::uint64_t kTrainedImages = 55'000;

void set_published_plan(const GanOptions& options, bool of_images, TrainingPlan& plan) {
  const std::uint64_t records = options.expected_records.value_or(
      of_images ? kTrainedImages : PrivateTrainingOptions::kExpectedRecords);
  const double batch = of_images ? kPublishedBatchOfImages : kPublishedBatchOfTables;
  plan.rate_numerator =
      TrainingPlan::numerator_of(std::min(1.0, batch / static_cast<double>(records)));
  plan.steps = of_images ? kPublishedStepsOfImages : kPublishedStepsOfTables;
  plan.clip_norm = kPublishedClip;
  plan.noise_multiplier = of_images ? kPublishedNoiseOfImages : kPublishedNoiseOfTables;
}

}  // namespace

GanRecipe dp_cgan_recipe(const Schema& schema, const GanOptions& options) {
  GanRecipe recipe{AdversarialDesign::of_dp_cgan()};
  recipe.method = "dp-cgan";
  recipe.plan.critics = TrainingCritics::kOne;
  if (options.published) {
    set_published_plan(options, schema.image() != nullptr, recipe.plan);
  }
  apply_options(options, recipe);
  return recipe;
}

}  // namespace mehler
