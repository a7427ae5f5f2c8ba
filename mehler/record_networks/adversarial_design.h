#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "mehler/networks/network.h"
#include "mehler/record_networks/clipped_sum.h"
#include "mehler/record_networks/critic_loss.h"
#include "mehler/record_networks/network_design.h"
#include "mehler/record_networks/record_inputs.h"

namespace mehler {

/// A rate that falls linearly from the first to the last step of some, and stays there.
struct LearningRate {
  double first = 0.0;
  double last = 0.0;
  std::uint64_t steps = 1;

  double at(std::uint64_t step) const;
};

/// How a generator and a critic are made and learn from one another.
struct AdversarialDesign {
  enum class Optimizer { kGradientDescent, kRmsProp, kAdam };

  CriticLoss loss = CriticLoss::kWasserstein;
  /// What the networks are given of a record: whether its class, where there is one.
  RecordInputs::Style inputs;

  NetworkDesign generator;
  Optimizer generator_optimizer = Optimizer::kAdam;
  LearningRate generator_rate;

  std::vector<std::size_t> critic_hidden;
  ActivationLayer::Function critic_activation = ActivationLayer::Function::kLeakyRectifier;
  StartingWeights critic_start = StartingWeights::kPlain;
  Optimizer critic_optimizer = Optimizer::kAdam;
  LearningRate critic_rate;
  /// Of the gradient of a generated record's loss; nothing for as long as it is. It is public
  /// either way: shortened or not is a matter of what a critic learns.
  std::optional<Clipping> generated_clipping;
  /// After each step a critic's weights are put within this; nothing for no limit.
  std::optional<float> critic_weight_limit;
  /// Of a critic, for each step of its generator.
  std::size_t critic_steps = 1;
  /// What stays of the running mean of the generator's weights in a step, if that mean is what is
  /// kept in the end; nothing for the last weights.
  std::optional<double> kept_of_mean;

  /// DP-CGAN's: one pair of networks that are told the class.
  static AdversarialDesign of_dp_cgan();

  /// The layers of a critic that takes so many numbers of a record.
  std::vector<Layer> critic_layers(std::size_t taken) const;
};

}  // namespace mehler
