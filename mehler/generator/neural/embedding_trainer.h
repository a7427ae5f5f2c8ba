#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/core/seeded_random.h"
#include "mehler/core/worker_pool.h"
#include "mehler/encoding/encoder.h"
#include "mehler/features/feature_set.h"
#include "mehler/generator/neural/embedding_loss.h"
#include "mehler/generator/neural/network_sampler.h"
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

/// What a network is trained to meet, and what scores its epochs.
struct TrainingTargets {
  EmbeddingTarget training;
  EmbeddingTarget validation;
  /// Of the score; training has the options' own.
  LossWeights validation_weights = {};
  /// What a batch rate is a share of.
  double records = 0.0;
};

/// Trains a network, an epoch at a time, so that the mean embedding of what it generates meets a
/// target. The epoch with the best score is kept. Results are the same for any number of threads.
///
/// Privacy: sees sums of features and no records. Whether the sums have noise is the caller's
/// affair: of a release they have (Trainer), of public records they have none (reference/).
class EmbeddingTrainer {
 public:
  /// Throws Error(kInvalidArgument) for an option outside its range or that does not fit the
  /// schema. `encoder` must outlive it. `random` goes on after whatever made the targets.
  EmbeddingTrainer(const Encoder& encoder, const FeatureSet& features,
                   const TrainingTargets& targets, const TrainingOptions& options,
                   const Context& context, SeededRandom random);

  bool is_finished() const { return epoch_ == options_.epochs; }

  /// One epoch. Throws Error(kInvalidArgument) if the training diverges, Error(kCancelled) on
  /// request.
  TrainingProgress run_epoch();

  /// The best network so far; at least one epoch has run.
  TrainedNetwork best() const;

  /// Everything that the next epoch depends on: some numbers, and the rest.
  struct State {
    std::size_t epoch = 0;
    std::size_t adam_steps = 0;
    std::uint64_t random_state = 0;
    double best_score = 0.0;
  };
  std::vector<std::span<float>> numbers();
  std::vector<std::span<const float>> numbers() const;
  State state() const;
  void set_state(const State& state);

  const TrainingOptions& options() const { return options_; }

 private:
  TrainingOptions options_;
  Context context_;
  WorkerPool pool_;
  SeededRandom random_;
  EmbeddingLoss training_loss_;
  EmbeddingLoss validation_loss_;
  OutputHeads heads_;
  NetworkDesign design_;
  Network network_;
  Adam adam_;
  std::vector<double> class_shares_;  ///< counts of the target times class rates
  std::vector<std::size_t> class_rows_;
  std::vector<std::size_t> row_classes_;
  std::vector<std::size_t> check_rows_;
  Matrix check_inputs_;
  std::size_t epoch_ = 0;
  double best_score_ = std::numeric_limits<double>::infinity();
  std::vector<float> best_parameters_;
  std::vector<float> best_statistics_;
};

/// The counts of classes, each times its rate: how often a class is generated.
std::vector<double> class_shares(const Schema& schema, std::vector<double> counts,
                                 const std::map<std::string, double>& rates);

/// Shares of a batch's rows where the means of classes count the same: half their own, half the
/// same for all classes that there are. Of a class of a thousandth of the records two rows would
/// say nothing, and count as much as all others.
std::vector<double> evened_out(const std::vector<double>& shares);

/// Shares that add up to 1.
std::vector<double> normalized_shares(std::vector<double> shares);

}  // namespace mehler
