#pragma once

#include <vector>

#include "mehler/core/options.h"

namespace mehler {

/// How a model is fitted to a release of method privbayes.
struct NetworkFitOptions {
  /// A table fitted to all counts at once, as by method marginals, instead of the network.
  bool as_table = false;

  static std::vector<Option> list();
  /// Throws Error(kInvalidArgument) for a value that an option does not take.
  static NetworkFitOptions parse(const OptionValues& values);
};

}  // namespace mehler
