#include "mehler/synthesis/dp_gan/gan_training.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "mehler/core/error.h"
#include "mehler/core/options.h"
#include "mehler/networks/adam.h"
#include "mehler/networks/rms_prop.h"
#include "mehler/record_networks/network_inputs.h"
#include "mehler/record_networks/straight_through.h"
#include "mehler/synthesis/dp_gan/step_meter.h"

namespace mehler {
namespace {

/// Of weights and of what the generator is given: public, and never of noise.
constexpr std::uint64_t kSeed = 1;
/// Generated records of a step: as many as there are real ones on average, within these.
constexpr double kFewestGenerated = 16.0;
constexpr double kMostGenerated = 2000.0;

/// Whichever optimiser a recipe asks for.
class AnyOptimizer {
 public:
  AnyOptimizer(GanRecipe::Optimizer kind, std::size_t parameters) {
    if (kind == GanRecipe::Optimizer::kAdam) {
      adam_.emplace(parameters);
    } else if (kind == GanRecipe::Optimizer::kRmsProp) {
      rms_prop_.emplace(parameters);
    }
  }

  void step(std::span<float> parameters, std::span<const float> gradient, double rate,
            WorkerPool& pool) {
    if (adam_) {
      return adam_->step(parameters, gradient, rate, pool);
    }
    if (rms_prop_) {
      return rms_prop_->step(parameters, gradient, rate, pool);
    }
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      parameters[i] -= static_cast<float>(rate) * gradient[i];
    }
  }

 private:
  std::optional<Adam> adam_;
  std::optional<RmsProp> rms_prop_;
};

/// One critic and one generator.
class Pair {
 public:
  /// `real_rows`: real records of a step, on average. `shares`: of classes that generated records
  /// have, where networks are told them.
  Pair(const GanRecipe& recipe, Network& generator, const NetworkDesign& design,
       const RecordInputs& inputs, std::vector<double> shares, double real_rows,
       SeededRandom random)
      : recipe_(recipe),
        generator_(generator),
        design_(design),
        heads_(inputs),
        told_classes_(inputs.told_classes()),
        shares_(std::move(shares)),
        real_rows_(std::max(real_rows, 1.0)),
        rows_(static_cast<std::size_t>(std::clamp(real_rows, kFewestGenerated, kMostGenerated))),
        random_(random),
        critic_(recipe.critic_layers(inputs.size()), random_.next_word()),
        critic_optimizer_(recipe.critic_optimizer, critic_.parameters().size()),
        generator_optimizer_(recipe.generator_optimizer, generator.parameters().size()) {}

  const Network& critic() const { return critic_; }

  /// A step of the critic, given the noisy sum of the real half of its gradient.
  void step_critic(const std::vector<float>& noisy_sum, std::uint64_t step, WorkerPool& pool) {
    const StraightThrough::Drawn drawn = draw(pool);
    said_slopes(critic_.forward(drawn.records, pool), slope_of_generated);
    critic_.backward(slopes_, pool);
    gradient_.resize(noisy_sum.size());
    const auto of_real = static_cast<float>(1.0 / real_rows_);
    for (std::size_t i = 0; i < gradient_.size(); ++i) {
      gradient_[i] = of_real * noisy_sum[i] + critic_.gradient()[i];
    }
    critic_optimizer_.step(critic_.parameters(), gradient_, recipe_.critic_rate.at(step), pool);
    if (const auto limit = recipe_.critic_weight_limit) {
      for (float& weight : critic_.parameters()) {
        weight = std::clamp(weight, -*limit, *limit);
      }
    }
  }

  void step_generator(std::uint64_t step, WorkerPool& pool) {
    const StraightThrough::Drawn drawn = draw(pool);
    said_slopes(critic_.forward(drawn.records, pool), slope_of_generator);
    Matrix by_records;
    critic_.backward(slopes_, pool, &by_records);
    generator_.backward(heads_.backward(drawn, by_records, pool), pool);
    generator_optimizer_.step(generator_.parameters(), generator_.gradient(),
                              recipe_.generator_rate.at(step), pool);
  }

  void require_numbers(std::uint64_t step) const {
    const auto all_finite = [](std::span<const float> values) {
      return std::all_of(values.begin(), values.end(),
                         [](float value) { return std::isfinite(value); });
    };
    if (!all_finite(critic_.parameters()) || !all_finite(generator_.parameters()) ||
        !all_finite(generator_.statistics())) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("the training diverged by step {}: a weight is no number any more; "
                              "lower the learning rates ({}, {})",
                              step, option_words("critic-learning-rate"),
                              option_words("generator-learning-rate")));
    }
  }

 private:
  /// New generated records, by the statistics of their own batch.
  StraightThrough::Drawn draw(WorkerPool& pool) {
    classes_.assign(rows_, 0);
    if (told_classes_ > 0) {
      for (std::size_t& of_row : classes_) {
        of_row = draw_class(shares_, random_);
      }
    }
    const Matrix inputs = make_inputs(design_, classes_, told_classes_, random_, pool);
    return heads_.draw(generator_.forward(inputs, pool), classes_, random_, pool);
  }

  /// The mean over generated records of a slope of what the critic says of each.
  void said_slopes(const Matrix& said, double (*slope)(CriticLoss, double)) {
    slopes_ = Matrix(said.rows, 1);
    for (std::size_t i = 0; i < said.rows; ++i) {
      slopes_.values[i] =
          static_cast<float>(slope(recipe_.loss, static_cast<double>(said.values[i])) /
                             static_cast<double>(said.rows));
    }
  }

  const GanRecipe& recipe_;
  Network& generator_;
  const NetworkDesign& design_;
  StraightThrough heads_;
  std::size_t told_classes_;
  std::vector<double> shares_;
  double real_rows_;
  std::size_t rows_;
  SeededRandom random_;
  Network critic_;
  AnyOptimizer critic_optimizer_;
  AnyOptimizer generator_optimizer_;
  std::vector<std::size_t> classes_;
  Matrix slopes_;
  std::vector<float> gradient_;
};

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
    Pair pair(recipe, result.networks()[c], result.design(), batches.inputs(), shares,
              paid.plan().rate() * own, SeededRandom::of_piece(kSeed, 1000 + c));
    for (std::uint64_t step = 1; paid.steps_left(c) > 0; ++step) {
      context.throw_if_cancelled();
      pair.step_critic(batches.noisy_gradient(pair.critic(), recipe.loss, paid, c, pool), step,
                       pool);
      if (step % recipe.critic_steps == 0) {
        pair.step_generator(step, pool);
      }
      if (step % kStepsBetweenChecks == 0 || paid.steps_left(c) == 0) {
        pair.require_numbers(step);
      }
      meter.next();
    }
  }
  return result;
}

}  // namespace mehler
