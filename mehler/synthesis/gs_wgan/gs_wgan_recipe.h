#pragma once

#include <cstddef>

#include "mehler/accounting/training_plan.h"
#include "mehler/encoding/encoder.h"
#include "mehler/measurement/private_critics.h"
#include "mehler/record_networks/network_design.h"
#include "mehler/synthesis/gs_wgan/gs_wgan_options.h"

namespace mehler {

/// Everything that a training of a generator against many private critics follows, before a record
/// is read.
struct GsWganRecipe {
  TrainingPlan plan;  ///< its noise multiplier is 0 where it follows from the budget
  NetworkDesign generator;
  double generator_rate = 1e-4;
  PrivateCriticTraining critic;
  std::size_t critic_steps = 5;
  std::size_t warm_steps = 25;
  /// Of the running mean of the generator's weights that is released: what stays of it in a step.
  double kept_of_mean = 0.999;

  /// Throws Error(kInvalidArgument) if all critics take more memory than a training may.
  void require_memory(const Encoder& encoder) const;
};

/// What method gs-wgan does with tables of a schema; nothing of it is read from records. Its
/// authors' noise and schedule where the options ask for the published protocol.
GsWganRecipe gs_wgan_recipe(const Schema& schema, const GsWganOptions& options);

}  // namespace mehler
