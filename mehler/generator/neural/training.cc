#include "mehler/generator/neural/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mehler/core/atomic_file.h"
#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/record_networks/output_heads.h"
#include "mehler/release/payload.h"

namespace mehler {
namespace {

/// The share of noise that training takes on: its half has noise sigma sqrt(1 + t^2), the other
/// sigma sqrt(1 + 1/t^2).
constexpr double kFissionRatio = 0.5;

/// The released counts of classes, or of all records, without what noise made negative.
std::vector<double> class_counts_of(const Release& release) {
  const NoisySums& released = release.sums();
  std::vector<double> counts(released.features.classes(), 0.0);
  if (counts.size() == 1) {
    counts[0] = std::max(1.0, release.record_count());
    return counts;
  }
  const NoisyBlock& block = released.blocks[*released.count_block()];
  for (std::size_t c = 0; c < counts.size(); ++c) {
    counts[c] = std::max(0.0, block.at(c, 0));
  }
  if (std::accumulate(counts.begin(), counts.end(), 0.0) < 1.0) {
    throw Error(ErrorCode::kInvalidRelease,
                "the release's noisy counts leave no records in any class; there is nothing to "
                "learn from it: use more "
                "records or a larger epsilon");
  }
  return counts;
}

/// The two independent halves of a release.
TrainingTargets split(const Release& release, SeededRandom& random) {
  EmbeddingTarget training;
  training.class_counts = class_counts_of(release);
  EmbeddingTarget validation = training;
  const double training_noise = std::sqrt(1.0 + kFissionRatio * kFissionRatio);
  const double validation_noise = std::sqrt(1.0 + 1.0 / (kFissionRatio * kFissionRatio));
  const NoisySums& released = release.sums();
  for (std::size_t b = 0; b < released.blocks.size(); ++b) {
    const FeatureBlock& block = released.features.blocks()[b];
    const NoisyBlock& noisy = released.blocks[b];
    if (block.maps[0].map.kind() == FeatureMap::Kind::kConstant) {
      continue;
    }
    const double block_sigma = release.statement().noise_of(b).sigma;
    training.sigmas.push_back(training_noise * block_sigma);
    validation.sigmas.push_back(validation_noise * block_sigma);
    training.sums.emplace_back();
    validation.sums.emplace_back();
    for (std::size_t row = 0; row < noisy.rows; ++row) {
      for (const FeatureSegment& segment : block.segments()) {
        const double sigma = block_sigma / segment.weight;
        for (std::size_t place = segment.first; place < segment.first + segment.count; ++place) {
          const double noise = sigma * random.normal();
          training.sums.back().push_back(noisy.at(row, place) + kFissionRatio * noise);
          validation.sums.back().push_back(noisy.at(row, place) - noise / kFissionRatio);
        }
      }
    }
  }
  return {std::move(training), std::move(validation), {}, release.record_count()};
}

EmbeddingTrainer trainer_of(const Release& release, const TrainingOptions& options,
                            const Context& context) {
  options.validate();
  if (OutputHeads(release.encoder()).outputs() == 0) {
    throw Error(ErrorCode::kInvalidRelease,
                "the release has no column besides its target, so there is nothing to train; make "
                "one of a schema with another column");
  }
  SeededRandom random(options.seed);
  const TrainingTargets targets = split(release, random);
  return EmbeddingTrainer(release.encoder(), release.sums().features, targets, options, context,
                          random);
}

}  // namespace

Trainer::Trainer(const Release& release, const TrainingOptions& options, const Context& context)
    : release_(release), training_(trainer_of(release, options, context)) {}

NetworkGenerator train(const Release& release, const TrainingOptions& options,
                       const FitRequest& request, const Context& context) {
  constexpr std::size_t kMaxBytes = std::size_t{4} << 30;
  Trainer trainer(release, options, context);
  const auto has_checkpoint = [&] {
    if (request.on_checkpoint) {
      request.on_checkpoint();
    }
  };
  if (request.resume) {
    if (!std::filesystem::exists(request.checkpoint)) {
      throw Error(
          ErrorCode::kFile,
          fmt::format("there is no checkpoint '{}' to go on from; train without {} to start "
                      "anew",
                      request.checkpoint, option_words("resume")));
    }
    trainer.restore(read_whole_file(request.checkpoint, "the checkpoint", kMaxBytes),
                    request.checkpoint);
    has_checkpoint();
  }
  std::size_t first_epoch = 0;
  while (!trainer.is_finished()) {
    const TrainingProgress progress = trainer.run_epoch();
    if (!request.checkpoint.empty()) {
      AtomicFile file(request.checkpoint);
      file.write(trainer.checkpoint());
      file.commit();
      has_checkpoint();
    }
    first_epoch = first_epoch == 0 ? progress.epoch : first_epoch;
    if (context.progress) {
      context.progress(
          {0,
           static_cast<double>(progress.epoch + 1 - first_epoch) /
               static_cast<double>(progress.epochs + 1 - first_epoch),
           fmt::format("epoch {} of {}  loss {:.2f}  held-out loss {:.2f}", progress.epoch,
                       progress.epochs, progress.training_loss, progress.validation_loss)});
    }
  }
  return trainer.best();
}

}  // namespace mehler
