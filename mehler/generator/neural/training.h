#pragma once

#include <string>
#include <string_view>

#include "mehler/core/context.h"
#include "mehler/generator/generator.h"
#include "mehler/generator/neural/embedding_trainer.h"
#include "mehler/generator/neural/network_generator.h"
#include "mehler/generator/neural/training_options.h"

namespace mehler {

/// Trains a generator from a release alone, an epoch at a time.
///
/// The release Y is split by data fission into two independent halves, Y + t sigma Z and
/// Y - sigma Z / t: one is trained on, the other scores each epoch, and the epoch with the best
/// score is kept. Stopping so costs no privacy.
class Trainer {
 public:
  /// Throws Error(kInvalidArgument) for an option outside its range, Error(kInvalidRelease) if the
  /// release's noisy counts leave no records. `release` must outlive the trainer.
  Trainer(const Release& release, const TrainingOptions& options, const Context& context);
  Trainer(Release&& release, const TrainingOptions& options, const Context& context) = delete;

  bool is_finished() const { return training_.is_finished(); }

  /// One epoch. Throws Error(kInvalidArgument) if the training diverges, Error(kCancelled) on
  /// request.
  TrainingProgress run_epoch() { return training_.run_epoch(); }

  /// The best generator so far; at least one epoch has run.
  NetworkGenerator best() const { return NetworkGenerator(release_, training_.best()); }

  /// Everything that the next epoch depends on, as a file's bytes, and back: a training that goes
  /// on from a checkpoint ends as one that was never interrupted. restore() throws
  /// Error(kInvalidRelease) if the bytes are damaged or belong to another release, other options or
  /// another version of this library, and says which.
  std::string checkpoint() const;
  void restore(std::string_view bytes, std::string_view shown_name);

 private:
  /// Tells releases apart.
  std::string release_digest() const;

  const Release& release_;
  EmbeddingTrainer training_;
};

/// Trains from start to end: epochs, progress, and the checkpoints that the request asks for, whose
/// options and seed are not read. Throws what Trainer throws.
NetworkGenerator train(const Release& release, const TrainingOptions& options,
                       const FitRequest& request, const Context& context);

}  // namespace mehler
