#pragma once

#include <functional>
#include <string>

#include "mehler/core/context.h"
#include "mehler/encoding/columns_to_learn.h"
#include "mehler/measurement/private_batches.h"
#include "mehler/privacy/accountant.h"
#include "mehler/privacy/private_table.h"
#include "mehler/record_networks/generator_networks.h"
#include "mehler/release/release.h"

namespace mehler {

/// What a method that trains on private records does with them.
struct PrivateTraining {
  std::string method;
  /// Its noise multiplier is 0 where it follows from the budget.
  TrainingPlan plan;
  /// What the networks are given of a record.
  RecordInputs::Style inputs;
  /// Takes the steps that were paid for; `counted` has the noisy counts.
  std::function<GeneratorNetworks(PrivateBatches& records, SubsampledMechanism& paid,
                                  const TrainedWeights& counted)>
      train;
};

/// Throws Error(kInvalidArgument) for a schema or a plan that cannot be trained, as far as that is
/// known before a record is read.
void require_trainable(const Schema& schema, const PrivateTraining& training,
                       SchemaOrigin origin = SchemaOrigin::kWritten);

/// Reads the records once, counts classes with noise, trains, and releases the generators' weights.
///
/// Privacy: charges the accountant before the records are read: for the counts and for all steps;
/// what the plan leaves open follows from what is left of the budget.
Release release_trained(PrivateTable&& table, const PrivateTraining& training,
                        Accountant& accountant, const Context& context);

}  // namespace mehler
