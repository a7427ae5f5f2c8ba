#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mehler/accounting/training_plan.h"
#include "mehler/encoding/encoder.h"
#include "mehler/measurement/critic_loss.h"
#include "mehler/networks/network.h"
#include "mehler/record_networks/network_design.h"
#include "mehler/record_networks/record_inputs.h"
#include "mehler/synthesis/dp_gan/gan_options.h"

namespace mehler {

/// A rate that falls linearly from the first to the last step of some, and stays there.
struct LearningRate {
  double first = 0.0;
  double last = 0.0;
  std::uint64_t steps = 1;

  double at(std::uint64_t step) const;
};

/// Everything that a training of a critic and a generator follows, before a record is read.
struct GanRecipe {
  enum class Optimizer { kGradientDescent, kRmsProp, kAdam };

  std::string method;
  TrainingPlan plan;  ///< its noise multiplier is 0 where it follows from the budget
  CriticLoss loss = CriticLoss::kWasserstein;
  /// Whether the networks are told the class, where there is one.
  RecordInputs::Label label = RecordInputs::Label::kLeftOut;

  NetworkDesign generator;
  Optimizer generator_optimizer = Optimizer::kAdam;
  LearningRate generator_rate;

  std::vector<std::size_t> critic_hidden;
  ActivationLayer::Function critic_activation = ActivationLayer::Function::kLeakyRectifier;
  StartingWeights critic_start = StartingWeights::kPlain;
  Optimizer critic_optimizer = Optimizer::kAdam;
  LearningRate critic_rate;
  /// After each step a critic's weights are put within this; nothing for no limit.
  std::optional<float> critic_weight_limit;
  std::size_t critic_steps = 1;

  bool one_per_class() const { return plan.critics == TrainingCritics::kOnePerClass; }

  /// The critic's layers for records of so many numbers.
  std::vector<Layer> critic_layers(std::size_t inputs) const;

  /// Throws Error(kInvalidArgument) if all networks, their optimisers and what a step keeps take
  /// more memory than a training may.
  void require_memory(const Encoder& encoder) const;
};

/// What the options give beside the settings of a method: batches and steps by the number of
/// expected records, and whatever was said explicitly.
void apply_options(const GanOptions& options, GanRecipe& recipe);

/// How many records a step takes, on average, and how many steps there are, for so many records.
struct BatchRule {
  double batch = 400.0;
  std::uint64_t steps = 2000;

  static BatchRule of(std::uint64_t expected_records);
};

}  // namespace mehler
