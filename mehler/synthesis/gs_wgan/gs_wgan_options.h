#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "mehler/core/options.h"

namespace mehler {

/// What method gs-wgan can be told (docs/methods/gs-wgan.md). What is not given follows from the
/// protocol and the schema.
struct GsWganOptions {
  bool published = false;
  /// About how many records there are, as far as that is public.
  std::optional<std::uint64_t> expected_records;
  /// Critics that records are dealt out to.
  std::optional<std::uint64_t> shards;
  /// Steps of the generator.
  std::optional<std::uint64_t> steps;
  /// Generated records of a step.
  std::optional<std::uint64_t> queries;
  std::optional<double> clip_norm;
  std::optional<double> noise_multiplier;
  std::optional<std::size_t> critic_steps;
  /// Steps of every critic before the first of the generator.
  std::optional<std::size_t> warm_steps;
  std::vector<std::size_t> critic_hidden;
  std::vector<std::size_t> generator_hidden;
  std::optional<double> critic_learning_rate;
  std::optional<double> generator_learning_rate;

  /// The options that parse() reads.
  static std::vector<Option> list();
  /// Throws Error(kInvalidArgument) for a value that an option does not take.
  static GsWganOptions parse(const OptionValues& values);
};

}  // namespace mehler
