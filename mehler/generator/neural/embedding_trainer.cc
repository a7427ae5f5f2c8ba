#include "mehler/generator/neural/embedding_trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mehler/core/error.h"
#include "mehler/record_networks/network_inputs.h"

namespace mehler {
namespace {

constexpr std::size_t kValidationRows = 16'000;
/// Of images, each of which has hundreds of numbers.
constexpr std::size_t kValidationImages = 2'000;

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

std::vector<double> shares_of_rows(const std::vector<double>& shares, const LossWeights& weights) {
  return weights.equal_classes ? evened_out(shares) : shares;
}

std::size_t batch_rows_of(const TrainingOptions& options, double records) {
  if (!options.batch_rate) {
    return options.batch_rows;
  }
  constexpr double kFewest = 16.0;
  constexpr double kMost = 1e6;
  return static_cast<std::size_t>(std::clamp(*options.batch_rate * records, kFewest, kMost));
}

std::vector<std::size_t> classes_in_order(const std::vector<std::size_t>& class_rows) {
  std::vector<std::size_t> classes;
  for (std::size_t c = 0; c < class_rows.size(); ++c) {
    classes.insert(classes.end(), class_rows[c], c);
  }
  return classes;
}

const TrainingOptions& checked(const TrainingOptions& options, const Schema& schema) {
  options.validate(schema);
  return options;
}

}  // namespace

std::vector<double> class_shares(const Schema& schema, std::vector<double> counts,
                                 const std::map<std::string, double>& rates) {
  for (const auto& [name, rate] : rates) {
    const std::vector<std::string> labels = schema.label()->labels();
    counts[static_cast<std::size_t>(std::find(labels.begin(), labels.end(), name) -
                                    labels.begin())] *= rate;
  }
  return counts;
}

std::vector<double> evened_out(const std::vector<double>& shares) {
  const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
  const auto present = static_cast<double>(
      std::count_if(shares.begin(), shares.end(), [](double share) { return share > 0.0; }));
  std::vector<double> result;
  for (const double share : shares) {
    result.push_back(share > 0.0 ? 0.5 * share / total + 0.5 / present : 0.0);
  }
  return result;
}

std::vector<double> normalized_shares(std::vector<double> shares) {
  const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) {
    share /= total;
  }
  return shares;
}

EmbeddingTrainer::EmbeddingTrainer(const Encoder& encoder, const FeatureSet& features,
                                   const TrainingTargets& targets, const TrainingOptions& options,
                                   const Context& context, SeededRandom random)
    : options_(checked(options, encoder.schema())),
      context_(context),
      pool_(context.threads),
      random_(random),
      training_loss_(features, targets.training, options.weights),
      validation_loss_(features, targets.validation, targets.validation_weights),
      heads_(encoder),
      design_(options.design(encoder.schema())),
      network_(design_.network(encoder, targets.training.class_counts.size(), heads_.outputs(),
                               random_.next_word())),
      adam_(network_.parameters().size()),
      class_shares_(
          class_shares(encoder.schema(), targets.training.class_counts, options.class_rates)),
      class_rows_(rows_per_class(shares_of_rows(class_shares_, options.weights),
                                 batch_rows_of(options, targets.records))),
      row_classes_(classes_in_order(class_rows_)),
      check_rows_(rows_per_class(
          shares_of_rows(targets.validation.class_counts, targets.validation_weights),
          encoder.schema().image() != nullptr ? kValidationImages : kValidationRows)),
      best_parameters_(network_.parameters().begin(), network_.parameters().end()),
      best_statistics_(network_.statistics().begin(), network_.statistics().end()) {
  SeededRandom check_random(random_.next_word());
  check_inputs_ =
      make_inputs(design_, classes_in_order(check_rows_), class_rows_.size(), check_random, pool_);
}

TrainingProgress EmbeddingTrainer::run_epoch() {
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

TrainedNetwork EmbeddingTrainer::best() const {
  Network network = network_;
  std::copy(best_parameters_.begin(), best_parameters_.end(), network.parameters().begin());
  std::copy(best_statistics_.begin(), best_statistics_.end(), network.statistics().begin());
  return {GeneratorNetworks(design_, std::move(network)), normalized_shares(class_shares_)};
}

std::vector<std::span<float>> EmbeddingTrainer::numbers() {
  return {network_.parameters(), network_.statistics(), adam_.first(),
          adam_.second(),        best_parameters_,      best_statistics_};
}

std::vector<std::span<const float>> EmbeddingTrainer::numbers() const {
  return {network_.parameters(), network_.statistics(), adam_.first(),
          adam_.second(),        best_parameters_,      best_statistics_};
}

EmbeddingTrainer::State EmbeddingTrainer::state() const {
  return {epoch_, adam_.steps(), random_.state(), best_score_};
}

void EmbeddingTrainer::set_state(const State& state) {
  epoch_ = state.epoch;
  adam_.set_steps(state.adam_steps);
  random_ = SeededRandom(state.random_state);
  best_score_ = state.best_score;
}

}  // namespace mehler
