#pragma once

#include "mehler/measurement/measurement_rounds.h"
#include "mehler/synthesis/images/images_options.h"

namespace mehler {

/// Spends everything that is left on the number of records, unless it is public, on moments of
/// codes and on a teacher (docs/methods/images.md).
///
/// Privacy: every sum is charged before it is measured, and depends on the schema and on earlier
/// noisy results alone.
void measure_images(MeasurementRounds& rounds, const Encoder& encoder, const ImagesOptions& options,
                    const Context& context);

}  // namespace mehler
