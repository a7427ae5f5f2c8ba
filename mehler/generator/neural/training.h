#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/generator/generator.h"
#include "mehler/generator/neural/embedding_loss.h"
#include "mehler/generator/neural/network_generator.h"
#include "mehler/generator/neural/training_options.h"
#include "mehler/networks/adam.h"

namespace mehler {

/// What an epoch did.
struct TrainingProgress {
  std::size_t epoch = 0;
  std::size_t epochs = 0;
  double training_loss = 0.0;
  double validation_loss = 0.0;
};

/// The two independent halves of a release.
struct FissionTargets {
  EmbeddingTarget training;
  EmbeddingTarget validation;
};

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

  bool is_finished() const { return epoch_ == options_.epochs; }

  /// One epoch. Throws Error(kInvalidArgument) if the training diverges, Error(kCancelled) on
  /// request.
  TrainingProgress run_epoch();

  /// The best generator so far; at least one epoch has run.
  NetworkGenerator best() const;

  /// Everything that the next epoch depends on, as a file's bytes, and back: a training that goes
  /// on from a checkpoint ends as one that was never interrupted. restore() throws
  /// Error(kInvalidRelease) if the bytes are damaged or belong to another release, other options or
  /// another version of this library, and says which.
  std::string checkpoint() const;
  void restore(std::string_view bytes, std::string_view shown_name);

 private:
  Trainer(const Release& release, const TrainingOptions& options, const Context& context,
          SeededRandom random);

  /// The numbers of a checkpoint, in the order of the file.
  std::vector<std::span<float>> saved_numbers();
  /// Tells releases apart.
  std::string release_digest() const;

  const Release& release_;
  TrainingOptions options_;
  Context context_;
  WorkerPool pool_;
  SeededRandom random_;
  FissionTargets targets_;
  EmbeddingLoss training_loss_;
  EmbeddingLoss validation_loss_;
  OutputHeads heads_;
  NetworkDesign design_;
  Network network_;
  Adam adam_;
  std::vector<double> class_shares_;  ///< released counts times class rates
  std::vector<std::size_t> class_rows_;
  std::vector<std::size_t> row_classes_;
  std::vector<std::size_t> check_rows_;
  Matrix check_inputs_;
  std::size_t epoch_ = 0;
  double best_score_ = std::numeric_limits<double>::infinity();
  std::vector<float> best_parameters_;
  std::vector<float> best_statistics_;
};

/// Trains from start to end: epochs, progress, and the checkpoints that the request asks for, whose
/// options and seed are not read. Throws what Trainer throws.
NetworkGenerator train(const Release& release, const TrainingOptions& options,
                       const FitRequest& request, const Context& context);

}  // namespace mehler
