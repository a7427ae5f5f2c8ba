#pragma once

#include "mehler/measurement/measurement_rounds.h"
#include "mehler/synthesis/marginals/wide_rule.h"

namespace mehler {

/// Spends everything that is left on columns, moments of their scores, and a teacher of the target,
/// if that has classes (docs/design/0017-wide-tables.md). The number of records has been measured.
///
/// Privacy: every block is charged before it is measured, and depends on the schema and on earlier
/// noisy results alone.
void measure_moments(MeasurementRounds& rounds, const Encoder& encoder, const WideRule& rule,
                     const Context& context);

}  // namespace mehler
