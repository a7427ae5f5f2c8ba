#include "mehler/record_networks/adversarial_pair.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "mehler/core/error.h"
#include "mehler/record_networks/network_inputs.h"

namespace mehler {

AdversarialPair::AnyOptimizer::AnyOptimizer(AdversarialDesign::Optimizer kind,
                                            std::size_t parameters) {
  if (kind == AdversarialDesign::Optimizer::kAdam) {
    adam_.emplace(parameters);
  } else if (kind == AdversarialDesign::Optimizer::kRmsProp) {
    rms_prop_.emplace(parameters);
  }
}

void AdversarialPair::AnyOptimizer::step(std::span<float> parameters,
                                         std::span<const float> gradient, double rate,
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

AdversarialPair::AdversarialPair(const AdversarialDesign& design, Network& generator,
                                 const RecordInputs& inputs, SeededRandom random)
    : design_(design),
      generator_(generator),
      heads_(inputs),
      told_classes_(inputs.told_classes()),
      random_(random),
      critic_(design.critic_layers(inputs.size()), random_.next_word()),
      critic_optimizer_(design.critic_optimizer, critic_.parameters().size()),
      generator_optimizer_(design.generator_optimizer, generator.parameters().size()) {
  if (design.kept_of_mean) {
    mean_.emplace(*design.kept_of_mean);
  }
}

void AdversarialPair::step_critic(std::span<const float> of_real,
                                  std::span<const std::size_t> classes, std::uint64_t step,
                                  WorkerPool& pool) {
  MEHLER_ASSERT(of_real.size() == critic_.parameters().size());
  std::vector<float> gradient = gradient_of_generated(draw(classes, pool).records, pool);
  std::transform(gradient.begin(), gradient.end(), of_real.begin(), gradient.begin(),
                 std::plus<>());
  critic_optimizer_.step(critic_.parameters(), gradient, design_.critic_rate.at(step), pool);
  if (const auto limit = design_.critic_weight_limit) {
    for (float& weight : critic_.parameters()) {
      weight = std::clamp(weight, -*limit, *limit);
    }
  }
}

void AdversarialPair::step_generator(std::span<const std::size_t> classes, std::uint64_t step,
                                     WorkerPool& pool) {
  const StraightThrough::Drawn drawn = draw(classes, pool);
  Matrix by_records;
  critic_.backward(slopes_of_mean(critic_.forward(drawn.records, pool), slope_of_generator), pool,
                   &by_records);
  generator_.backward(heads_.backward(drawn, by_records, pool), pool);
  generator_optimizer_.step(generator_.parameters(), generator_.gradient(),
                            design_.generator_rate.at(step), pool);
  if (mean_) {
    mean_->add(std::as_const(generator_).parameters());
  }
}

void AdversarialPair::finish() {
  if (mean_) {
    std::copy(mean_->mean().begin(), mean_->mean().end(), generator_.parameters().begin());
  }
}

void AdversarialPair::require_numbers(std::uint64_t step, std::string_view remedy) const {
  const auto all_finite = [](std::span<const float> values) {
    return std::all_of(values.begin(), values.end(),
                       [](float value) { return std::isfinite(value); });
  };
  if (!all_finite(critic_.parameters()) || !all_finite(std::as_const(generator_).parameters()) ||
      !all_finite(std::as_const(generator_).statistics())) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the training diverged by step {}: a weight is no number any more; {}",
                            step, remedy));
  }
}

StraightThrough::Drawn AdversarialPair::draw(std::span<const std::size_t> classes,
                                             WorkerPool& pool) {
  const Matrix inputs = make_inputs(design_.generator, classes, told_classes_, random_, pool);
  return heads_.draw(generator_.forward(inputs, pool), classes, random_, pool);
}

std::vector<float> AdversarialPair::gradient_of_generated(const Matrix& records, WorkerPool& pool) {
  if (const auto clipping = design_.generated_clipping) {
    std::vector<float> gradient =
        clipped_sum(critic_, design_.loss, slope_of_generated, *clipping, records, pool);
    for (float& value : gradient) {
      value /= static_cast<float>(records.rows);
    }
    return gradient;
  }
  critic_.backward(slopes_of_mean(critic_.forward(records, pool), slope_of_generated), pool);
  return {critic_.gradient().begin(), critic_.gradient().end()};
}

Matrix AdversarialPair::slopes_of_mean(const Matrix& said, LossSlope slope) const {
  Matrix slopes(said.rows, 1);
  for (std::size_t i = 0; i < said.rows; ++i) {
    slopes.values[i] = static_cast<float>(slope(design_.loss, static_cast<double>(said.values[i])) /
                                          static_cast<double>(said.rows));
  }
  return slopes;
}

}  // namespace mehler
