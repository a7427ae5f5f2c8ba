#pragma once

#include "mehler/accounting/training_plan.h"
#include "mehler/core/strict_json.h"

namespace mehler {

/// A training as release files and reports have it (docs/format.md), and back. Throws
/// Error(kInvalidRelease) for what is none.
Json training_json(const TrainingPlan& plan);
TrainingPlan read_training(const Json& json);

}  // namespace mehler
