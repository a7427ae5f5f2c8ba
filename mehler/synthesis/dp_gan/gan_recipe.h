#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "mehler/accounting/training_plan.h"
#include "mehler/encoding/encoder.h"
#include "mehler/record_networks/adversarial_design.h"
#include "mehler/synthesis/dp_gan/gan_options.h"

namespace mehler {

/// Everything that a training of a critic and a generator follows, before a record is read.
struct GanRecipe : AdversarialDesign {
  std::string method = {};
  TrainingPlan plan = {};  ///< its noise multiplier is 0 where it follows from the budget

  bool one_per_class() const { return plan.critics == TrainingCritics::kOnePerClass; }

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
