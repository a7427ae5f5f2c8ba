#pragma once

#include "mehler/core/context.h"
#include "mehler/measurement/private_batches.h"
#include "mehler/record_networks/generator_networks.h"
#include "mehler/release/payload.h"
#include "mehler/synthesis/dp_gan/gan_recipe.h"

namespace mehler {

/// Trains generators against critics: a critic learns from noisy gradients of real records and from
/// what the generator makes, the generator from the critic. Takes all steps that `paid` has.
///
/// Privacy: real records are met by PrivateBatches alone; everything else is computed from its
/// noisy sums, noisy counts and public numbers, so it costs nothing. `counted`: the noisy number of
/// records, of each class where there is a target.
///
/// Throws Error(kInvalidArgument) if the training diverges, Error(kCancelled) on request.
GeneratorNetworks train_generators(const GanRecipe& recipe, const Encoder& encoder,
                                   PrivateBatches& batches, SubsampledMechanism& paid,
                                   const TrainedWeights& counted, const Context& context);

}  // namespace mehler
