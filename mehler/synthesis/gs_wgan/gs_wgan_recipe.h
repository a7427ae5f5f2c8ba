#pragma once

#include <cstddef>

#include "mehler/accounting/training_plan.h"
#include "mehler/encoding/encoder.h"
#include "mehler/measurement/private_critics.h"
#include "mehler/record_networks/network_design.h"
#include "mehler/record_networks/record_inputs.h"
#include "mehler/synthesis/gs_wgan/gs_wgan_options.h"

namespace mehler {

/// Everything that a training of a generator against many private critics follows, before a record
/// is read.
struct GsWganRecipe {
  TrainingPlan plan;  ///< its noise multiplier is 0 where it follows from the budget
  /// What critics are given of a record: its class too.
  RecordInputs::Style inputs = {RecordInputs::Label::kTold, RecordInputs::Pixels::kFromZero};
  NetworkDesign generator;
  double generator_rate = 3e-4;
  PrivateCriticTraining critic;
  /// Critics that are trained for each step of the generator, in turn, and steps of each.
  std::size_t trained_critics = 64;
  std::size_t critic_steps = 1;
  std::size_t warm_steps = 25;
  /// Of the running mean of the generator's weights that is released: what stays of it in a step.
  double kept_of_mean = 0.999;

  /// Generated records among which critics find those of their classes: as many of each.
  static std::size_t generated_for_critics(std::size_t classes);

  /// Throws Error(kInvalidArgument) if all critics, or the records that are generated at once, take
  /// more memory than a training may.
  void require_memory(const Encoder& encoder) const;
};

/// What method gs-wgan does with tables of a schema; nothing of it is read from records. Its
/// authors' noise and schedule where the options ask for the published protocol.
GsWganRecipe gs_wgan_recipe(const Schema& schema, const GsWganOptions& options);

}  // namespace mehler
