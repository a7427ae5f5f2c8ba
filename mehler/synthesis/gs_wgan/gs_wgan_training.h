#pragma once

#include "mehler/core/context.h"
#include "mehler/measurement/private_batches.h"
#include "mehler/record_networks/generator_networks.h"
#include "mehler/release/payload.h"
#include "mehler/synthesis/gs_wgan/gs_wgan_recipe.h"

namespace mehler {

/// Trains a generator by what private critics say of its records, in steps that were paid for.
///
/// Privacy: of the records it is given the noisy gradients of PrivateCritics and noisy counts; the
/// generated records that critics are trained with are public.
///
/// Throws Error(kInvalidArgument) if the training diverges, Error(kCancelled) on request.
GeneratorNetworks train_by_critics(const GsWganRecipe& recipe, const Encoder& encoder,
                                   const PrivateBatches& records, SubsampledMechanism& paid,
                                   const TrainedWeights& counted, const Context& context);

}  // namespace mehler
