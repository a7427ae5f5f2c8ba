#include "mehler/generator/neural/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mehler/core/atomic_file.h"
#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/record_networks/network_inputs.h"
#include "mehler/release/payload.h"

namespace mehler {
namespace {

/// The share of noise that training takes on: its half has noise sigma sqrt(1 + t^2), the other
/// sigma sqrt(1 + 1/t^2).
constexpr double kFissionRatio = 0.5;
constexpr std::size_t kValidationRows = 16'000;
/// Of images, each of which has hundreds of numbers.
constexpr std::size_t kValidationImages = 2'000;

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

/// The two halves of a release.
FissionTargets split(const Release& release, SeededRandom& random) {
  EmbeddingTarget training;
  training.class_counts = class_counts_of(release);
  EmbeddingTarget validation = training;
  training.noise_factor = std::sqrt(1.0 + kFissionRatio * kFissionRatio);
  validation.noise_factor = std::sqrt(1.0 + 1.0 / (kFissionRatio * kFissionRatio));
  const NoisySums& released = release.sums();
  for (std::size_t b = 0; b < released.blocks.size(); ++b) {
    const FeatureBlock& block = released.features.blocks()[b];
    const NoisyBlock& noisy = released.blocks[b];
    if (block.maps[0].map.kind() == FeatureMap::Kind::kConstant) {
      continue;
    }
    training.sums.emplace_back();
    validation.sums.emplace_back();
    for (std::size_t row = 0; row < noisy.rows; ++row) {
      for (const FeatureSegment& segment : block.segments()) {
        const double sigma = release.statement().noise_of(b).sigma / segment.weight;
        for (std::size_t place = segment.first; place < segment.first + segment.count; ++place) {
          const double noise = sigma * random.normal();
          training.sums.back().push_back(noisy.at(row, place) + kFissionRatio * noise);
          validation.sums.back().push_back(noisy.at(row, place) - noise / kFissionRatio);
        }
      }
    }
  }
  return {std::move(training), std::move(validation)};
}

/// The counts, each times its class's rate.
std::vector<double> class_shares_of(const Release& release, std::vector<double> counts,
                                    const TrainingOptions& options) {
  options.validate(release.schema());
  for (const auto& [name, rate] : options.class_rates) {
    const std::vector<std::string> labels = release.schema().label()->labels();
    counts[static_cast<std::size_t>(std::find(labels.begin(), labels.end(), name) -
                                    labels.begin())] *= rate;
  }
  return counts;
}

/// Rows of each class that a batch of about `rows` rows has: in proportion to the shares, at least
/// 2 for a class with records, an even number.
std::vector<std::size_t> rows_per_class(const std::vector<double>& shares, std::size_t rows) {
  const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
  std::vector<std::size_t> result;
  for (const double share : shares) {
    const auto half = static_cast<std::size_t>(
        std::ceil(0.5 * static_cast<double>(rows) * share / std::max(total, 1e-300)));
    result.push_back(2 * half);
  }
  return result;
}

std::size_t batch_rows_of(const TrainingOptions& options, const Release& release) {
  if (!options.batch_rate) {
    return options.batch_rows;
  }
  constexpr double kFewest = 16.0;
  constexpr double kMost = 1e6;
  return static_cast<std::size_t>(
      std::clamp(*options.batch_rate * release.record_count(), kFewest, kMost));
}

std::vector<std::size_t> classes_in_order(const std::vector<std::size_t>& class_rows) {
  std::vector<std::size_t> classes;
  for (std::size_t c = 0; c < class_rows.size(); ++c) {
    classes.insert(classes.end(), class_rows[c], c);
  }
  return classes;
}

const TrainingOptions& checked(const TrainingOptions& options) {
  options.validate();
  return options;
}

}  // namespace

Trainer::Trainer(const Release& release, const TrainingOptions& options, const Context& context)
    : Trainer(release, options, context, SeededRandom(options.seed)) {}

Trainer::Trainer(const Release& release, const TrainingOptions& options, const Context& context,
                 SeededRandom random)
    : release_(release),
      options_(checked(options)),
      context_(context),
      pool_(context.threads),
      random_(random),
      targets_(split(release, random_)),
      training_loss_(release, targets_.training, options.weights),
      validation_loss_(release, targets_.validation),
      heads_(release.encoder()),
      design_(options.design(release.schema())),
      network_(design_.network(release.encoder(), targets_.training.class_counts.size(),
                               heads_.outputs(), random_.next_word())),
      adam_(network_.parameters().size()),
      class_shares_(class_shares_of(release, targets_.training.class_counts, options)),
      class_rows_(rows_per_class(class_shares_, batch_rows_of(options, release))),
      row_classes_(classes_in_order(class_rows_)),
      check_rows_(rows_per_class(
          targets_.validation.class_counts,
          release.schema().image() != nullptr ? kValidationImages : kValidationRows)),
      best_parameters_(network_.parameters().begin(), network_.parameters().end()),
      best_statistics_(network_.statistics().begin(), network_.statistics().end()) {
  SeededRandom check_random(random_.next_word());
  check_inputs_ =
      make_inputs(design_, classes_in_order(check_rows_), class_rows_.size(), check_random, pool_);
}

TrainingProgress Trainer::run_epoch() {
  MEHLER_ASSERT(!is_finished());
  const double decay = options_.learning_rate_decay.value_or(
      std::pow(TrainingOptions::kLastLearningRate, 1.0 / static_cast<double>(options_.epochs)));
  const double learning_rate =
      options_.learning_rate * std::pow(decay, static_cast<double>(epoch_));
  std::optional<std::size_t> only_product;
  if (options_.one_product_per_epoch && training_loss_.product_blocks() > 0) {
    only_product = epoch_ % training_loss_.product_blocks();
  }
  double sum = 0.0;
  SoftBatch gradient;
  for (std::size_t step = 0; step < options_.steps_per_epoch; ++step) {
    context_.throw_if_cancelled();
    const Matrix inputs = make_inputs(design_, row_classes_, class_rows_.size(), random_, pool_);
    const SoftBatch batch = heads_.apply(network_.forward(inputs, pool_), pool_);
    sum += training_loss_.evaluate(batch, class_rows_, gradient, pool_, only_product);
    network_.backward(heads_.backward(batch, gradient, pool_), pool_);
    adam_.step(network_.parameters(), network_.gradient(), learning_rate, pool_);
  }
  const SoftBatch check = heads_.apply(network_.infer(check_inputs_, pool_), pool_);
  const double score = validation_loss_.value(check, check_rows_, pool_);
  ++epoch_;
  if (!std::isfinite(sum) || !std::isfinite(score)) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the training diverged in epoch {}: its loss is no number any more; "
                            "lower the learning rate, which is {}",
                            epoch_, options_.learning_rate));
  }
  if (score < best_score_) {
    best_score_ = score;
    std::copy(network_.parameters().begin(), network_.parameters().end(), best_parameters_.begin());
    std::copy(network_.statistics().begin(), network_.statistics().end(), best_statistics_.begin());
  }
  return {epoch_, options_.epochs, sum / static_cast<double>(options_.steps_per_epoch), score};
}

NetworkGenerator Trainer::best() const {
  Network network = network_;
  std::copy(best_parameters_.begin(), best_parameters_.end(), network.parameters().begin());
  std::copy(best_statistics_.begin(), best_statistics_.end(), network.statistics().begin());
  std::vector<double> probabilities = class_shares_;
  const double total = std::accumulate(probabilities.begin(), probabilities.end(), 0.0);
  for (double& probability : probabilities) {
    probability /= total;
  }
  return NetworkGenerator(release_, design_, std::move(network), std::move(probabilities));
}

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
