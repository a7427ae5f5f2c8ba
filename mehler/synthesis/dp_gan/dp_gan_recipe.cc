#include "mehler/synthesis/dp_gan/dp_gan_recipe.h"

#include <algorithm>
#include <cmath>

#include "mehler/record_networks/generator_networks.h"
#include "mehler/record_networks/record_kind.h"
#include "mehler/table/assumed_domains.h"

namespace mehler {
namespace {

// Its authors' settings: batches of 64, gradients of a mean loss clipped to .01, noise of twice its
// sigma because they count on exchanged records. Of images sigma is 1.41, and 20 epochs over
// MNIST's smallest class are 1700 steps; of tables 1.2 and 10 epochs. Of points in the plane only
// the networks are known: those of images.
constexpr double kPublishedBatch = 64.0;
constexpr double kPublishedClip = 0.64;
constexpr double kPublishedNoiseOfImages = 2.82;
constexpr double kPublishedNoiseOfTables = 2.4;
constexpr double kSmallestClassOfMnist = 5421.0;
constexpr std::uint64_t kPublishedStepsOfImages = 1700;
constexpr double kPublishedEpochsOfTables = 10.0;
/// A slip of their code: the normalisation's momentum stands where its variance floor should.
constexpr float kPublishedVarianceFloor = 0.8F;

void set_published_plan(const GanOptions& options, bool of_images, std::size_t classes,
                        TrainingPlan& plan) {
  const double records = static_cast<double>(
      options.expected_records.value_or(PrivateTrainingOptions::kExpectedRecords));
  const double of_class = of_images && !options.expected_records
                              ? kSmallestClassOfMnist
                              : records / static_cast<double>(std::max<std::size_t>(classes, 1));
  plan.rate_numerator = TrainingPlan::numerator_of(std::min(1.0, kPublishedBatch / of_class));
  plan.steps = of_images
                   ? kPublishedStepsOfImages
                   : static_cast<std::uint64_t>(std::max(
                         1.0, std::round(kPublishedEpochsOfTables * of_class / kPublishedBatch)));
  plan.clip_norm = kPublishedClip;
  plan.noise_multiplier = of_images ? kPublishedNoiseOfImages : kPublishedNoiseOfTables;
}

}  // namespace

GanRecipe dp_gan_recipe(const Schema& schema, const GanOptions& options) {
  const Encoder encoder(with_assumed_domains(schema));
  const bool of_images = schema.image() != nullptr;
  const bool as_images =
      of_images || (options.published && record_kind(schema) == RecordKind::kPoint);
  const std::size_t classes = label_classes(encoder);
  GanRecipe recipe;
  recipe.method = "dp-gan";
  recipe.loss = CriticLoss::kWasserstein;
  recipe.plan.critics = classes > 1 ? TrainingCritics::kOnePerClass : TrainingCritics::kOne;
  // One generator has the class among its inputs, also where there is no other.
  recipe.inputs.label = classes == 1 ? RecordInputs::Label::kTold : RecordInputs::Label::kLeftOut;
  recipe.generator.noise_inputs = 100;
  recipe.generator.hidden_layers = HiddenLayers::kLeaky;
  recipe.generator.hidden = as_images ? std::vector<std::size_t>{128, 256, 512, 1024}
                                      : std::vector<std::size_t>{100, 400, 200};
  recipe.critic_hidden = of_images || options.published ? std::vector<std::size_t>{512, 256}
                                                        : std::vector<std::size_t>{128, 64};
  recipe.critic_weight_limit = 0.01F;
  recipe.critic_steps = 5;
  recipe.critic_optimizer = GanRecipe::Optimizer::kRmsProp;
  recipe.generator_optimizer = GanRecipe::Optimizer::kRmsProp;
  recipe.critic_rate = {5e-5, 5e-5};
  recipe.generator_rate = {5e-5, 5e-5};
  if (options.published) {
    recipe.generator.variance_floor = kPublishedVarianceFloor;
    set_published_plan(options, of_images, classes, recipe.plan);
  }
  apply_options(options, recipe);
  return recipe;
}

}  // namespace mehler
