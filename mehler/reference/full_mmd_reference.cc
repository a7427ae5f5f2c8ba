#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <optional>

#include "mehler/core/error.h"
#include "mehler/encoding/columns_to_learn.h"
#include "mehler/features/hermite_features.h"
#include "mehler/generator/neural/embedding_loss.h"
#include "mehler/generator/neural/embedding_trainer.h"
#include "mehler/networks/adam.h"
#include "mehler/record_networks/network_inputs.h"
#include "mehler/reference/full_mmd_options.h"
#include "mehler/reference/kernel_distance.h"
#include "mehler/reference/kinds.h"
#include "mehler/reference/public_classes.h"
#include "mehler/reference/record_vectors.h"

namespace mehler {
namespace {

/// The options' length scale, or the median distance.
double length_scale_of(const FullMmdOptions& options, const RecordVectors& vectors,
                       const PublicRecords& records) {
  if (options.length_scale) {
    return *options.length_scale;
  }
  const double median = median_record_distance(vectors, records, options.training.seed);
  if (!(median >= HermiteFeatures::kMinLengthScale)) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("more than half of the pairs of records are equal, or nearly, so the "
                            "median distance is no length scale; give {}",
                            option_words("length-scale")));
  }
  return median;
}

/// Trains DP-MERF's network so that its mini-batches are close to those of the records.
class FullMmdTrainer {
 public:
  FullMmdTrainer(const Encoder& encoder, const PublicRecords& records,
                 const FullMmdOptions& options, const Context& context)
      : records_(records.records()),
        batch_rows_(rows_of_step(options.training.batch_rows, options.batch_is_given,
                                 records.records().rows)),
        options_(options.training_of(records_.rows / batch_rows_)),
        context_(context),
        pool_(context.threads),
        random_(options_.seed),
        classes_(encoder, records),
        vectors_(encoder),
        distance_(length_scale_of(options, vectors_, records),
                  equal_class_weights(classes_.record_counts())),
        heads_(encoder),
        design_(options.design(encoder)),
        network_(design_.network(encoder, classes_.count(), heads_.outputs(), random_.next_word())),
        adam_(network_.parameters().size()),
        class_probabilities_(normalized_shares(
            class_shares(encoder.schema(), classes_.record_counts(), options_.class_rates))) {}

  TrainedNetwork train() {
    for (epoch_ = 0; epoch_ < options_.epochs; ++epoch_) {
      run_epoch();
      if (!std::isfinite(distance_of_epoch_.value())) {
        throw Error(ErrorCode::kInvalidArgument,
                    fmt::format("the training diverged in epoch {}: its loss is no number any "
                                "more; lower the learning rate, which is {}",
                                epoch_ + 1, options_.learning_rate));
      }
    }
    return {GeneratorNetworks(design_, network_), class_probabilities_};
  }

 private:
  void run_epoch() {
    const double learning_rate =
        options_.learning_rate *
        std::pow(options_.learning_rate_decay.value_or(1.0), static_cast<double>(epoch_));
    const std::vector<std::size_t> order =
        shuffled(records_.rows, records_.rows, random_.next_word());
    const std::size_t steps = records_.rows / batch_rows_;
    for (std::size_t step = 0; step < steps; ++step) {
      context_.throw_if_cancelled();
      const auto first = order.begin() + static_cast<std::ptrdiff_t>(step * batch_rows_);
      const bool is_last = step + 1 == steps;
      run_step({first, first + static_cast<std::ptrdiff_t>(batch_rows_)}, learning_rate, is_last);
      tell(static_cast<double>(step + 1) / static_cast<double>(steps), is_last);
    }
  }

  /// A step with some records; measures how far the generated ones were from them on request.
  void run_step(std::vector<std::size_t> rows, double learning_rate, bool is_measured) {
    classes_.sort(rows);
    std::vector<std::size_t> classes(rows.size());
    std::vector<std::size_t> class_rows(classes_.count(), 0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      classes[i] = classes_.of(rows[i]);
      ++class_rows[classes[i]];
    }
    const Matrix inputs = make_inputs(design_, classes, class_rows.size(), random_, pool_);
    const SoftBatch batch = heads_.apply(network_.forward(inputs, pool_), pool_);
    const Matrix generated = vectors_.of(batch, pool_);
    const Matrix real = vectors_.of(records_, rows);
    const Matrix slopes = distance_.gradient(generated, real, class_rows, pool_);
    network_.backward(heads_.backward(batch, vectors_.gradient_of(batch, slopes, pool_), pool_),
                      pool_);
    adam_.step(network_.parameters(), network_.gradient(), learning_rate, pool_);
    if (is_measured) {
      distance_of_epoch_ = distance_.value(generated, real, class_rows, pool_);
    }
  }

  /// About four times a second, and after each epoch.
  void tell(double share_of_epoch, bool is_urgent) {
    const auto now = std::chrono::steady_clock::now();
    if (!context_.progress || (!is_urgent && now - told_ < std::chrono::milliseconds(250))) {
      return;
    }
    told_ = now;
    const double done = static_cast<double>(epoch_) + share_of_epoch;
    context_.progress({0, done / static_cast<double>(options_.epochs),
                       fmt::format("epoch {} of {}{}", epoch_ + 1, options_.epochs,
                                   distance_of_epoch_ ? fmt::format("  squared distance {:.3g}",
                                                                    *distance_of_epoch_)
                                                      : "")});
  }

  const EncodedBatch& records_;
  std::size_t batch_rows_;
  TrainingOptions options_;
  Context context_;
  WorkerPool pool_;
  SeededRandom random_;
  PublicClasses classes_;
  RecordVectors vectors_;
  KernelDistance distance_;
  OutputHeads heads_;
  NetworkDesign design_;
  Network network_;
  Adam adam_;
  std::vector<double> class_probabilities_;
  std::size_t epoch_ = 0;
  std::optional<double> distance_of_epoch_;  ///< squared, of the last batch of the last epoch
  std::chrono::steady_clock::time_point told_ = {};
};

}  // namespace

ReferenceKind full_mmd_reference() {
  return {.name = "full-mmd",
          .summary =
              "a network trained so that mini-batches of its records are close to those of the "
              "table by the Gaussian kernel itself: what features of a kernel approximate",
          .options = FullMmdOptions::list(),
          .check =
              [](const Encoder& encoder, const OptionValues& values) {
                require_columns_to_learn(encoder);
                FullMmdOptions::parse(values, 1).validate(encoder);
              },
          .train = [](const Encoder& encoder, const PublicRecords& records,
                      const ReferenceRequest& request,
                      const Context& context) -> std::unique_ptr<const RecordSampler> {
            FullMmdTrainer trainer(encoder, records,
                                   FullMmdOptions::parse(request.options, request.seed), context);
            return std::make_unique<const NetworkSampler>(encoder, trainer.train());
          }};
}

}  // namespace mehler
