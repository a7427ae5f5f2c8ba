#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mehler/core/options.h"
#include "mehler/synthesis/dp_gan/private_training_options.h"

namespace mehler {

/// What the methods that train a critic on private records can be told (docs/methods/dp-gan.md,
/// docs/methods/dp-cgan.md).
struct GanOptions : PrivateTrainingOptions {
  /// A record's probability to be in a step's batch.
  std::optional<double> rate;

  /// The options that parse() reads, with the defaults of a method.
  static std::vector<Option> list(const std::string& method);
  /// Throws Error(kInvalidArgument) for a value that an option does not take.
  static GanOptions parse(const OptionValues& values, const std::string& method);
};

}  // namespace mehler
