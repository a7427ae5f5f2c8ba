#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/generator/generator.h"

namespace mehler {

/// How a generator is trained. Results are the same for a seed and a number of threads.
struct TrainingOptions {
  std::uint64_t seed = 1;
  std::size_t epochs = 40;
  std::size_t steps_per_epoch = 25;
  std::size_t batch_rows = 2000;
  double learning_rate = 0.01;
  /// The learning rate falls by this factor after each epoch.
  double learning_rate_decay = 0.92;
  std::vector<std::size_t> hidden = {200, 200};
  std::size_t noise_inputs = 10;

  /// Throws Error(kInvalidArgument) for a value outside its range.
  void validate() const;
};

/// What an epoch did.
struct TrainingProgress {
  std::size_t epoch = 0;
  std::size_t epochs = 0;
  double training_loss = 0.0;
  double validation_loss = 0.0;
};

/// Trains a generator from a release alone.
///
/// The release Y is split by data fission into two independent halves, Y + t sigma Z and Y - sigma
/// Z / t: one is trained on, the other scores each epoch, and the epoch with the best score is
/// kept. Stopping so costs no privacy. Throws Error(kInvalidArgument) if the training diverges,
/// Error(kCancelled) on request.
Generator train_generator(const Release& release, const TrainingOptions& options,
                          const Context& context,
                          const std::function<void(const TrainingProgress&)>& report = nullptr);

}  // namespace mehler
