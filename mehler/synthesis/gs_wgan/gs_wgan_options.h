#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "mehler/core/options.h"
#include "mehler/synthesis/dp_gan/private_training_options.h"

namespace mehler {

/// What method gs-wgan can be told (docs/methods/gs-wgan.md).
struct GsWganOptions : PrivateTrainingOptions {
  /// Critics that records are dealt out to.
  std::optional<std::uint64_t> shards;
  /// Generated records of a step of the generator.
  std::optional<std::uint64_t> queries;
  /// Critics that are trained for each step of the generator.
  std::optional<std::size_t> trained_critics;
  /// Steps of every critic before the first of the generator.
  std::optional<std::size_t> warm_steps;

  /// The options that parse() reads.
  static std::vector<Option> list();
  /// Throws Error(kInvalidArgument) for a value that an option does not take.
  static GsWganOptions parse(const OptionValues& values);
};

}  // namespace mehler
