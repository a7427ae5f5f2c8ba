#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "mehler/core/options.h"

namespace mehler {

/// What is asked of fitting a model to a release, whatever the method. The same release, options
/// and seed give the same model for any number of threads.
struct FitRequest {
  OptionValues options = {};
  std::uint64_t seed = 1;
  /// Where a method that takes long keeps what it has reached, after every part; removed by whoever
  /// has kept the model. Empty for nowhere.
  std::string checkpoint = {};
  /// Go on from the checkpoint instead of starting anew.
  bool resume = false;
  /// Called when there is a checkpoint to go on from.
  std::function<void()> on_checkpoint = {};
};

}  // namespace mehler
