#pragma once

#include "mehler/simd/hermite_sums.h"

namespace mehler {

/// Restores the best instruction set when a test ends.
struct InstructionSetRestorer {
  ~InstructionSetRestorer() { force_instruction_set(""); }
};

}  // namespace mehler
