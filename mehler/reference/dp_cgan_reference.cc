#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "mehler/core/error.h"
#include "mehler/core/step_meter.h"
#include "mehler/encoding/columns_to_learn.h"
#include "mehler/generator/neural/embedding_trainer.h"
#include "mehler/record_networks/adversarial_pair.h"
#include "mehler/record_networks/clipped_sum.h"
#include "mehler/record_networks/published_dp_cgan.h"
#include "mehler/reference/exact_embedding.h"
#include "mehler/reference/kinds.h"
#include "mehler/reference/public_classes.h"
#include "mehler/reference/record_vectors.h"

namespace mehler {
namespace {

constexpr const char* kName = "dp-cgan-as-published";
struct DpCganOptions {
  AdversarialDesign design;
  Clipping clipping;
  /// Of tables their program begins anew in each step.
  bool is_shuffled = false;
  std::uint64_t steps = 0;
  std::size_t batch = 0;
  bool batch_is_given = false;
  double sigma = 0.0;
  TrainingOptions training = {};  ///< of which the class rates alone are read

  static std::vector<Option> list() {
    std::vector<Option> options = class_rate();
    options.insert(
        options.begin(),
        {{"steps", "T",
          "Steps of the critic, and as many of the generator; by default 38 of tables, "
          "30304 "
          "of images and 40609 of points (two numeric columns beside the target), which is what "
          "their accounting takes for .9, 9.6 and 1",
          "training"},
         {"batch", "N",
          "Records of a step: of tables the same first ones of the file in every step; default "
          "400, of images 600, of points 300, or all of a smaller table",
          "training"},
         {"sigma", "S",
          "Noise of each tensor of a summed gradient, over what a record's is shortened to, 1.1 "
          "(points: 1); default 1.1, of images 1.12, of points 5. It protects nothing here",
          "training"}});
    return options;
  }

  static DpCganOptions parse(const OptionValues& values, const Schema& schema) {
    values.require_known(list(), fmt::format("reference {}", kName));
    const RecordKind kind = record_kind(schema);
    const PublishedDpCgan published = PublishedDpCgan::of(kind);
    DpCganOptions result;
    result.design = published.design;
    result.clipping = {published.tensor_norm, Clipping::Of::kEachTensor};
    result.design.generated_clipping = result.clipping;
    result.is_shuffled = kind != RecordKind::kTable;
    result.steps = values.count("steps", published.steps, 1, 10'000'000);
    result.batch =
        static_cast<std::size_t>(values.count("batch", published.batch, 2, std::uint64_t{1} << 24));
    result.batch_is_given = values.has("batch");
    result.sigma = values.number("sigma", published.sigma);
    if (!(result.sigma >= 0.0 && result.sigma <= 1e6)) {
      throw Error(
          ErrorCode::kInvalidArgument,
          fmt::format("{} must be a number from 0 to 1000000, but is {}; 0 is without noise",
                      option_words("sigma"), result.sigma));
    }
    result.training = TrainingOptions::parse(values.only(class_rate()), 1);
    result.training.validate(schema);
    return result;
  }

 private:
  /// The one option of training that has a meaning here.
  static std::vector<Option> class_rate() {
    std::vector<Option> options = TrainingOptions::list();
    std::erase_if(options, [](const Option& option) { return option.name != "class-rate"; });
    return options;
  }
};

/// Real records as its authors' program meets them.
class PublishedBatches {
 public:
  PublishedBatches(std::size_t records, std::size_t batch, bool is_shuffled, std::uint64_t seed)
      : records_(records), is_shuffled_(is_shuffled), batch_(batch), random_(seed) {}

  /// Rows of the next step.
  std::vector<std::size_t> next() {
    if (next_ + batch_ > order_.size()) {
      order_.resize(records_);
      std::iota(order_.begin(), order_.end(), std::size_t{0});
      if (is_shuffled_) {
        order_ = shuffled(records_, records_, random_.next_word());
      }
      next_ = 0;
    }
    const auto first = order_.begin() + static_cast<std::ptrdiff_t>(next_);
    next_ += is_shuffled_ ? batch_ : 0;
    return {first, first + static_cast<std::ptrdiff_t>(batch_)};
  }

 private:
  std::size_t records_;
  bool is_shuffled_;
  std::size_t batch_;
  SeededRandom random_;
  std::vector<std::size_t> order_;
  std::size_t next_ = 0;
};

/// Trains DP-CGAN's networks as its authors do, with what voids their guarantee.
class DpCganTrainer {
 public:
  DpCganTrainer(const Encoder& encoder, const PublicRecords& records, const DpCganOptions& options,
                std::uint64_t seed, const Context& context)
      : records_(records.records()),
        options_(options),
        context_(context),
        pool_(context.threads),
        meter_(context_, options.steps),
        classes_(encoder, records),
        inputs_(encoder, options.design.inputs),
        batches_(records_.rows, rows_of_step(options.batch, options.batch_is_given, records_.rows),
                 options.is_shuffled, SeededRandom::seed_of_piece(seed, 1)),
        noise_(SeededRandom::of_piece(seed, 2)),
        networks_(encoder, options.design.generator, false, SeededRandom::seed_of_piece(seed, 3)),
        pair_(options.design, networks_.networks()[0], inputs_, SeededRandom::of_piece(seed, 4)) {}

  GeneratorNetworks train() {
    constexpr std::uint64_t kStepsBetweenChecks = 100;
    for (std::uint64_t step = 1; step <= options_.steps; ++step) {
      context_.throw_if_cancelled();
      const std::vector<std::size_t> rows = batches_.next();
      // Its authors' generated records have the labels of the batch.
      std::vector<std::size_t> labels(rows.size());
      std::transform(rows.begin(), rows.end(), labels.begin(),
                     [&](std::size_t row) { return classes_.of(row); });
      pair_.step_critic(gradient_of(rows), labels, step, pool_);
      pair_.step_generator(labels, step, pool_);
      if (step % kStepsBetweenChecks == 0 || step == options_.steps) {
        pair_.require_numbers(step, fmt::format("lower {}, or give a larger {}",
                                                option_words("sigma"), option_words("batch")));
      }
      meter_.next();
    }
    return std::move(networks_);
  }

 private:
  /// The mean gradient of real records, with noise.
  std::vector<float> gradient_of(std::span<const std::size_t> rows) {
    Matrix taken(rows.size(), inputs_.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      inputs_.put(records_, rows[i], taken.row(i).data());
    }
    std::vector<float> gradient = clipped_sum(pair_.critic(), options_.design.loss, slope_of_real,
                                              options_.clipping, taken, pool_);
    std::vector<float> normals(gradient.size());
    noise_.fill_normal(normals);
    const auto size = static_cast<float>(options_.sigma * options_.clipping.norm);
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      gradient[i] = (gradient[i] + size * normals[i]) / static_cast<float>(rows.size());
    }
    return gradient;
  }

  const EncodedBatch& records_;
  const DpCganOptions& options_;
  Context context_;
  WorkerPool pool_;
  StepMeter meter_;
  PublicClasses classes_;
  RecordInputs inputs_;
  PublishedBatches batches_;
  SeededRandom noise_;
  GeneratorNetworks networks_;
  AdversarialPair pair_;
};

void check_dp_cgan(const Encoder& encoder, const OptionValues& values) {
  require_columns_to_learn(encoder);
  DpCganOptions::parse(values, encoder.schema());
  require_classes(encoder, fmt::format("reference {}", kName), "");
}

std::unique_ptr<const RecordSampler> train_dp_cgan(const Encoder& encoder,
                                                   const PublicRecords& records,
                                                   const ReferenceRequest& request,
                                                   const Context& context) {
  const DpCganOptions options = DpCganOptions::parse(request.options, encoder.schema());
  DpCganTrainer trainer(encoder, records, options, request.seed, context);
  // Its authors' output has as many records of each class as there are.
  std::vector<double> shares = normalized_shares(
      class_shares(encoder.schema(), PublicClasses(encoder, records).record_counts(),
                   options.training.class_rates));
  return std::make_unique<const NetworkSampler>(encoder,
                                                TrainedNetwork{trainer.train(), std::move(shares)});
}

}  // namespace

ReferenceKind dp_cgan_reference() {
  return {.name = kName,
          .summary =
              "DP-CGAN as its authors' program trains it: noise that is too small for what it "
              "states, labels of the records without any, and of tables the same first records in "
              "every step. It has noise and no guarantee",
          .options = DpCganOptions::list(),
          .check = check_dp_cgan,
          .train = train_dp_cgan};
}

}  // namespace mehler
