#pragma once

#include <vector>

#include "mehler/accounting/privacy_statement.h"
#include "mehler/core/options.h"
#include "mehler/features/embedding_options.h"

namespace mehler {

/// What the method dp-merf measures, and how its noise is scaled.
struct DpMerfOptions {
  FourierOptions fourier = {.frequencies = FourierOptions::kDefaultFrequencies};
  NoiseRules rules = {};

  /// The options that parse() reads.
  static std::vector<Option> list();
  /// Throws Error(kInvalidArgument) for a value that an option does not take.
  static DpMerfOptions parse(const OptionValues& values);
};

}  // namespace mehler
