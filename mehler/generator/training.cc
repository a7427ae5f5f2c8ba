#include "mehler/generator/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mehler/core/error.h"
#include "mehler/generator/adam.h"
#include "mehler/generator/embedding_loss.h"
#include "mehler/generator/matrix_product.h"

namespace mehler {
namespace {

/// The share of noise that training takes on: its half has noise sigma sqrt(1 + t^2), the other
/// sigma sqrt(1 + 1/t^2).
constexpr double kFissionRatio = 0.5;
constexpr std::size_t kValidationRows = 16'000;

/// The released counts of classes, or of all records, without what noise made negative.
std::vector<double> class_counts_of(const Release& release) {
  std::vector<double> counts(release.features().classes(), 0.0);
  if (counts.size() == 1) {
    counts[0] = std::max(1.0, release.record_count());
    return counts;
  }
  const NoisyBlock& block = release.blocks()[*release.count_block()];
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
std::pair<EmbeddingTarget, EmbeddingTarget> split(const Release& release, SeededRandom& random) {
  EmbeddingTarget training;
  training.class_counts = class_counts_of(release);
  EmbeddingTarget validation = training;
  training.noise_factor = std::sqrt(1.0 + kFissionRatio * kFissionRatio);
  validation.noise_factor = std::sqrt(1.0 + 1.0 / (kFissionRatio * kFissionRatio));
  for (std::size_t b = 0; b < release.blocks().size(); ++b) {
    const FeatureBlock& block = release.features().blocks()[b];
    const NoisyBlock& noisy = release.blocks()[b];
    if (block.maps[0].map.kind() == FeatureMap::Kind::kConstant) {
      continue;
    }
    training.sums.emplace_back();
    validation.sums.emplace_back();
    for (std::size_t row = 0; row < noisy.rows; ++row) {
      std::size_t place = 0;
      for (const WeightedMap& member : block.maps) {
        const double sigma = release.statement().blocks[b].sigma / member.weight;
        for (std::size_t i = 0; i < member.map.dimension(); ++i, ++place) {
          const double noise = sigma * random.normal();
          training.sums.back().push_back(noisy.at(row, place) + kFissionRatio * noise);
          validation.sums.back().push_back(noisy.at(row, place) - noise / kFissionRatio);
        }
      }
    }
  }
  return {training, validation};
}

std::vector<std::size_t> classes_in_order(const std::vector<std::size_t>& class_rows) {
  std::vector<std::size_t> classes;
  for (std::size_t c = 0; c < class_rows.size(); ++c) {
    classes.insert(classes.end(), class_rows[c], c);
  }
  return classes;
}

}  // namespace

void TrainingOptions::validate() const {
  const auto require = [](bool holds, const char* what) {
    if (!holds) {
      throw Error(ErrorCode::kInvalidArgument, what);
    }
  };
  require(epochs >= 1 && epochs <= 100'000,
          "the number of epochs must lie in [1, 100000]; 40 is a good start");
  require(steps_per_epoch >= 1, "an epoch must have at least 1 step; 25 is a good start");
  require(batch_rows >= 16 && batch_rows <= 1'000'000,
          "the batch size must lie in [16, 1000000]; 2000 is a good start");
  require(learning_rate > 0.0 && learning_rate <= 1.0,
          "the learning rate must lie in (0, 1]; 0.01 is a good start");
  require(learning_rate_decay > 0.0 && learning_rate_decay <= 1.0,
          "the decay of the learning rate must lie in (0, 1]; 0.92 is a good start");
  require(noise_inputs >= 1 && noise_inputs <= 10'000,
          "the number of noise inputs must lie in [1, 10000]");
  require(!hidden.empty(), "the network needs at least one hidden layer");
}

Generator train_generator(const Release& release, const TrainingOptions& options,
                          const Context& context,
                          const std::function<void(const TrainingProgress&)>& report) {
  options.validate();
  set_product_threads(context.threads);
  SeededRandom random(options.seed);
  const auto [training, validation] = split(release, random);
  const EmbeddingLoss training_loss(release, training);
  const EmbeddingLoss validation_loss(release, validation);
  const OutputHeads heads(release.encoder());
  const std::size_t classes = training.class_counts.size();
  Network network({options.noise_inputs + classes, options.hidden, heads.outputs()},
                  random.next_word());
  Adam adam(network.parameters().size());

  const std::vector<std::size_t> class_rows = training_loss.rows_per_class(options.batch_rows);
  const std::vector<std::size_t> row_classes = classes_in_order(class_rows);
  const std::vector<std::size_t> check_rows = validation_loss.rows_per_class(kValidationRows);
  SeededRandom check_random(random.next_word());
  const Matrix check_inputs = Generator::make_inputs(classes_in_order(check_rows), classes,
                                                     options.noise_inputs, check_random);

  double best = std::numeric_limits<double>::infinity();
  std::vector<float> best_parameters;
  std::vector<float> best_statistics;
  double learning_rate = options.learning_rate;
  SoftBatch gradient;
  for (std::size_t epoch = 0; epoch < options.epochs; ++epoch) {
    double sum = 0.0;
    for (std::size_t step = 0; step < options.steps_per_epoch; ++step) {
      context.throw_if_cancelled();
      const Matrix inputs =
          Generator::make_inputs(row_classes, classes, options.noise_inputs, random);
      const SoftBatch batch = heads.apply(network.forward(inputs));
      sum += training_loss.evaluate(batch, class_rows, gradient);
      network.backward(heads.backward(batch, gradient));
      adam.step(network.parameters(), network.gradient(), learning_rate);
    }
    learning_rate *= options.learning_rate_decay;
    const SoftBatch check = heads.apply(network.infer(check_inputs));
    const double score = validation_loss.evaluate(check, check_rows, gradient);
    if (!std::isfinite(sum) || !std::isfinite(score)) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("the training diverged in epoch {}: its loss is no number any more; "
                              "nothing was kept. "
                              "Lower the learning rate, which is {}",
                              epoch + 1, options.learning_rate));
    }
    if (score < best) {
      best = score;
      best_parameters.assign(network.parameters().begin(), network.parameters().end());
      best_statistics.assign(network.statistics().begin(), network.statistics().end());
    }
    if (report) {
      report(
          {epoch + 1, options.epochs, sum / static_cast<double>(options.steps_per_epoch), score});
    }
  }
  std::copy(best_parameters.begin(), best_parameters.end(), network.parameters().begin());
  std::copy(best_statistics.begin(), best_statistics.end(), network.statistics().begin());
  std::vector<double> probabilities = training.class_counts;
  const double total = std::accumulate(probabilities.begin(), probabilities.end(), 0.0);
  for (double& probability : probabilities) {
    probability /= total;
  }
  return Generator(release, std::move(network), options.noise_inputs, std::move(probabilities));
}

}  // namespace mehler
