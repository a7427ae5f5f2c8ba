#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mehler/core/options.h"

namespace mehler {

/// What every method that trains networks on private records can be told. What is not given follows
/// from the method, the protocol and the schema.
struct PrivateTrainingOptions {
  /// Where nothing is said of how many records there are.
  static constexpr std::uint64_t kExpectedRecords = 32'768;

  bool published = false;
  /// About how many records there are, as far as that is public.
  std::optional<std::uint64_t> expected_records;
  std::optional<std::uint64_t> steps;
  std::optional<double> clip_norm;
  std::optional<double> noise_multiplier;
  std::optional<std::size_t> critic_steps;
  std::vector<std::size_t> critic_hidden;
  std::vector<std::size_t> generator_hidden;
  std::optional<double> critic_learning_rate;
  std::optional<double> generator_learning_rate;

  /// What to do where a training diverges, by the names of the options.
  static std::string lower_learning_rates();

 protected:
  /// Throws Error(kInvalidArgument) for a value that an option does not take, and for a noise
  /// beside the published protocol, which has its own.
  void read(const OptionValues& values, std::size_t most_critic_steps);
  /// A number within [smallest, largest], if it was given; within (0, largest] where the smallest
  /// is 0. Throws Error(kInvalidArgument) for another.
  static std::optional<double> positive_number(const OptionValues& values, const std::string& name,
                                               double smallest, double largest,
                                               const std::string& remedy);
};

}  // namespace mehler
