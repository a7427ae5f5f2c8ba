#include "mehler/synthesis/gs_wgan/gs_wgan_training.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "mehler/core/error.h"
#include "mehler/core/step_meter.h"
#include "mehler/measurement/private_critics.h"
#include "mehler/networks/adam.h"
#include "mehler/networks/running_mean.h"
#include "mehler/record_networks/network_inputs.h"
#include "mehler/record_networks/straight_through.h"
#include "mehler/synthesis/dp_gan/private_training_options.h"

namespace mehler {
namespace {

/// Of weights and of what the generator is given: public, and never of noise.
constexpr std::uint64_t kSeed = 1;

/// The generator, and the running mean of its weights.
class Learner {
 public:
  Learner(const GsWganRecipe& recipe, Network& generator, const RecordInputs& inputs,
          std::vector<double> shares, WorkerPool& pool)
      : recipe_(recipe),
        generator_(generator),
        heads_(inputs),
        told_classes_(inputs.told_classes()),
        shares_(std::move(shares)),
        pool_(pool),
        random_(SeededRandom::of_piece(kSeed, 1000)),
        adam_(generator.parameters().size()),
        mean_(recipe.kept_of_mean, std::as_const(generator).parameters()) {}

  /// Records whose classes are as frequent as they were counted.
  StraightThrough::Drawn draw(std::size_t rows) {
    std::vector<std::size_t> classes(rows);
    for (std::size_t& of_row : classes) {
      of_row = draw_class(shares_, random_);
    }
    return draw_of(classes);
  }

  /// As many records of every class, which take turns.
  Matrix draw_for_critics() {
    std::vector<std::size_t> classes(GsWganRecipe::generated_for_critics(told_classes_));
    for (std::size_t row = 0; row < classes.size(); ++row) {
      classes[row] = row % told_classes_;
    }
    return draw_of(classes).records;
  }

  /// A step, given the gradients by the records that were drawn last.
  void step(const StraightThrough::Drawn& drawn, Matrix by_records) {
    for (float& value : by_records.values) {
      value /= static_cast<float>(by_records.rows);
    }
    generator_.backward(heads_.backward(drawn, by_records, pool_), pool_);
    adam_.step(generator_.parameters(), generator_.gradient(), recipe_.generator_rate, pool_);
    mean_.add(std::as_const(generator_).parameters());
  }

  void require_numbers(std::uint64_t step) const {
    if (!std::all_of(mean_.mean().begin(), mean_.mean().end(),
                     [](float value) { return std::isfinite(value); })) {
      throw Error(
          ErrorCode::kInvalidArgument,
          fmt::format("the training diverged by step {}: a weight is no number any more; {}", step,
                      PrivateTrainingOptions::lower_learning_rates()));
    }
  }

  /// Puts the mean into the generator's place.
  void finish() {
    std::copy(mean_.mean().begin(), mean_.mean().end(), generator_.parameters().begin());
  }

 private:
  StraightThrough::Drawn draw_of(std::span<const std::size_t> classes) {
    const Matrix inputs = make_inputs(recipe_.generator, classes, told_classes_, random_, pool_);
    return heads_.draw(generator_.forward(inputs, pool_), classes, random_, pool_);
  }

  const GsWganRecipe& recipe_;
  Network& generator_;
  StraightThrough heads_;
  std::size_t told_classes_;
  std::vector<double> shares_;
  WorkerPool& pool_;
  SeededRandom random_;
  Adam adam_;
  RunningMean mean_;
};

}  // namespace

GeneratorNetworks train_by_critics(const GsWganRecipe& recipe, const Encoder& encoder,
                                   const PrivateBatches& records, SubsampledMechanism& paid,
                                   const TrainedWeights& counted, const Context& context) {
  constexpr std::uint64_t kStepsBetweenChecks = 100;
  GeneratorNetworks result(encoder, recipe.generator, false, kSeed);
  WorkerPool pool(context.threads);
  Learner learner(recipe, result.networks()[0], records.inputs(), counted.class_shares(), pool);
  PrivateCritics critics(records, recipe.critic, paid);
  const auto train_critics = [&](std::size_t number, std::size_t steps) {
    critics.train(learner.draw_for_critics(), number, steps, pool);
  };
  for (std::size_t step = 0; step < recipe.warm_steps; ++step) {
    context.throw_if_cancelled();
    train_critics(paid.plan().shards, 1);
  }
  StepMeter meter(context, paid.plan().steps);
  for (std::uint64_t step = 1; paid.steps_left(0) > 0; ++step) {
    context.throw_if_cancelled();
    train_critics(std::min<std::size_t>(recipe.trained_critics, paid.plan().shards),
                  recipe.critic_steps);
    const StraightThrough::Drawn drawn = learner.draw(paid.plan().queries);
    learner.step(drawn, critics.noisy_gradients(drawn.records, paid, pool));
    if (step % kStepsBetweenChecks == 0 || paid.steps_left(0) == 0) {
      learner.require_numbers(step);
    }
    meter.next();
  }
  learner.finish();
  return result;
}

}  // namespace mehler
