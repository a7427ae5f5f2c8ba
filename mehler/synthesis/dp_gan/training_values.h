#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "mehler/core/options.h"

namespace mehler {

/// Values that options of trainings share: their limits and how they are read.
struct TrainingValues {
  static constexpr std::uint64_t kMostSteps = 10'000'000;
  static constexpr std::size_t kMostLayers = 8;
  static constexpr std::size_t kMostUnits = 65'536;
  static constexpr std::uint64_t kMostRecords = std::uint64_t{1} << 40;

  /// A number within (0, largest], if it was given. Throws Error(kInvalidArgument) for another.
  static std::optional<double> positive_number(const OptionValues& values, const std::string& name,
                                               double largest, const std::string& remedy);
  /// A whole number from 1 to the largest, if it was given.
  static std::optional<std::uint64_t> count(const OptionValues& values, const std::string& name,
                                            std::uint64_t largest);
  /// The sizes of hidden layers, such as "512,256"; none if they were not given.
  static std::vector<std::size_t> widths(const OptionValues& values, const std::string& name);
  /// Throws Error(kInvalidArgument) if noise is given beside the published protocol.
  static void refuse_noise_of_published(bool published, const OptionValues& values);
};

}  // namespace mehler
