#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mehler/core/options.h"

namespace mehler {

/// What the methods that train a critic on private records can be told (docs/methods/dp-gan.md,
/// docs/methods/dp-cgan.md). What is not given follows from the method, the protocol and the
/// schema.
struct GanOptions {
  /// Where nothing is said of how many records there are.
  static constexpr std::uint64_t kExpectedRecords = 32'768;

  bool published = false;
  /// About how many records there are, as far as that is public.
  std::optional<std::uint64_t> expected_records;
  /// A record's probability to be in a step's batch.
  std::optional<double> rate;
  std::optional<std::uint64_t> steps;
  std::optional<double> clip_norm;
  std::optional<double> noise_multiplier;
  std::optional<std::size_t> critic_steps;
  std::vector<std::size_t> critic_hidden;
  std::vector<std::size_t> generator_hidden;
  std::optional<double> critic_learning_rate;
  std::optional<double> generator_learning_rate;

  /// The options that parse() reads.
  static std::vector<Option> list();
  /// Throws Error(kInvalidArgument) for a value that an option does not take.
  static GanOptions parse(const OptionValues& values, const std::string& method);
};

}  // namespace mehler
