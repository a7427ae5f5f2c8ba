#include "mehler/synthesis/dp_gan/gan_training.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "mehler/core/step_meter.h"
#include "mehler/record_networks/adversarial_pair.h"
#include "mehler/record_networks/network_inputs.h"
#include "mehler/synthesis/dp_gan/private_training_options.h"

namespace mehler {
namespace {

/// Of weights and of what the generator is given: public, and never of noise.
constexpr std::uint64_t kSeed = 1;
/// Generated records of a step: as many as there are real ones on average, within these.
constexpr double kFewestGenerated = 16.0;
constexpr double kMostGenerated = 2000.0;

/// Generated records of a step, for so many real ones on average.
std::size_t generated_rows(double real_rows) {
  return static_cast<std::size_t>(std::clamp(real_rows, kFewestGenerated, kMostGenerated));
}

}  // namespace

GeneratorNetworks train_generators(const GanRecipe& recipe, const Encoder& encoder,
                                   PrivateBatches& batches, SubsampledMechanism& paid,
                                   const TrainedWeights& counted, const Context& context) {
  constexpr std::uint64_t kStepsBetweenChecks = 100;
  GeneratorNetworks result(encoder, recipe.generator, recipe.one_per_class(), kSeed);
  const std::vector<double> shares = counted.class_shares();
  const NoisyBlock& counts = *counted.count;
  double records = 0.0;
  for (std::size_t i = 0; i < counts.columns; ++i) {
    records += counts.at(0, i);
  }
  WorkerPool pool(context.threads);
  StepMeter meter(context, paid.plan().steps * result.networks().size());
  for (std::size_t c = 0; c < result.networks().size(); ++c) {
    if (recipe.one_per_class() && !(shares[c] > 0.0)) {
      continue;  // none is drawn of it
    }
    const double own = recipe.one_per_class() ? counts.at(0, c) : records;
    const double real_rows = std::max(paid.plan().rate() * own, 1.0);
    AdversarialPair pair(recipe, result.networks()[c], batches.inputs(),
                         SeededRandom::of_piece(kSeed, 1000 + c));
    SeededRandom random = SeededRandom::of_piece(kSeed, 2000 + c);
    std::vector<std::size_t> classes(generated_rows(real_rows));
    const auto draw_classes = [&] {
      for (std::size_t& of_row : classes) {
        of_row = batches.inputs().told_classes() > 0 ? draw_class(shares, random) : 0;
      }
    };
    for (std::uint64_t step = 1; paid.steps_left(c) > 0; ++step) {
      context.throw_if_cancelled();
      std::vector<float> of_real =
          batches.noisy_gradient(pair.critic(), recipe.loss, paid, c, pool);
      for (float& value : of_real) {
        value /= static_cast<float>(real_rows);
      }
      draw_classes();
      pair.step_critic(of_real, classes, step, pool);
      if (step % recipe.critic_steps == 0) {
        draw_classes();
        pair.step_generator(classes, step, pool);
      }
      if (step % kStepsBetweenChecks == 0 || paid.steps_left(c) == 0) {
        pair.require_numbers(step, PrivateTrainingOptions::lower_learning_rates());
      }
      meter.next();
    }
    pair.finish();
  }
  return result;
}

}  // namespace mehler
