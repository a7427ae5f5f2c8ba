#include "training_options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "mehler/core/atomic_file.h"
#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "method_options.h"
#include "number_options.h"
#include "terminal.h"

namespace mehler {

void TrainingFlags::add_to(CLI::App& command) {
  command_ = &command;
  const TrainingOptions defaults;
  const std::string group = "Method dp-hp: training";
  command
      .add_option("--epochs", epochs_,
                  fmt::format("Epochs; the best one is kept. Default {}", defaults.epochs))
      ->type_name("N")
      ->group(group);
  command
      .add_option("--batch", batch_,
                  fmt::format("Generated records a step; default {}", defaults.batch_rows))
      ->type_name("N")
      ->group(group);
  command
      .add_option("--batch-rate", batch_rate_,
                  "Generated records a step as a share of the released number, in place of --batch")
      ->type_name("P")
      ->group(group);
  command
      .add_option(
          "--learning-rate-decay", learning_rate_decay_,
          fmt::format("Factor after each epoch; by default the rate ends at {} of the first",
                      TrainingOptions::kLastLearningRate))
      ->type_name("F")
      ->group(group);
  command
      .add_option("--gamma", gamma_,
                  "The paper's loss: products count gamma times; by default residuals count by "
                  "their noise")
      ->type_name("G")
      ->group(group);
  command
      .add_flag("--one-product-per-epoch", one_product_per_epoch_,
                "Learn from one product block an epoch, in turn, as the paper does")
      ->group(group);
  command
      .add_option(
          "--class-rate", class_rates_,
          "CLASS=R generates a class of the target R times as often as it was released; may "
          "be repeated")
      ->type_name("CLASS=R")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option("--learning-rate", learning_rate_,
                  fmt::format("Of the first epoch; default {}", defaults.learning_rate))
      ->type_name("R")
      ->group(group);
}

TrainingOptions TrainingFlags::parse(std::uint64_t seed) const {
  TrainingOptions options;
  options.seed = seed;
  if (is_given("--epochs")) {
    options.epochs = parse_count(epochs_, "--epochs", 1, 100'000);
  }
  if (is_given("--batch")) {
    options.batch_rows = parse_count(batch_, "--batch", 16, 1'000'000);
  }
  if (is_given("--learning-rate")) {
    options.learning_rate = parse_number(learning_rate_, "--learning-rate");
  }
  if (is_given("--batch-rate")) {
    if (is_given("--batch")) {
      throw Error(
          ErrorCode::kInvalidArgument,
          "--batch and --batch-rate both say how many records a step has; give one of them");
    }
    options.batch_rate = parse_number(batch_rate_, "--batch-rate");
  }
  if (is_given("--learning-rate-decay")) {
    options.learning_rate_decay = parse_number(learning_rate_decay_, "--learning-rate-decay");
  }
  if (is_given("--gamma")) {
    options.weights = {LossWeights::Rule::kGamma, parse_number(gamma_, "--gamma")};
  }
  options.one_product_per_epoch = one_product_per_epoch_;
  for (const std::string& text : class_rates_) {
    const auto [name, rate] = parse_column_number(text, "--class-rate");
    if (name.empty()) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("--class-rate takes CLASS=NUMBER, but got '{}'; write ill=2, say",
                              shown(text)));
    }
    if (!options.class_rates.emplace(name, rate).second) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("--class-rate is given twice for '{}'; give it once", shown(name)));
    }
  }
  options.validate();
  return options;
}

void TrainingFlags::require_options_of(std::string_view method) const {
  require_options_of_the_method(*command_, method);
}

std::string option_words(std::string_view option, const std::string& given) {
  return given.empty() ? "" : fmt::format(" {} {}", option, given);
}

std::string TrainingFlags::words(const std::string& learning_rate) const {
  std::string words =
      option_words("--epochs", epochs_) + option_words("--batch", batch_) +
      option_words("--batch-rate", batch_rate_) +
      option_words("--learning-rate", learning_rate.empty() ? learning_rate_ : learning_rate) +
      option_words("--learning-rate-decay", learning_rate_decay_) +
      option_words("--gamma", gamma_) + (one_product_per_epoch_ ? " --one-product-per-epoch" : "");
  for (const std::string& text : class_rates_) {
    words += " --class-rate=" + shell_word(text);
  }
  return words;
}

NetworkGenerator train_with_progress(const Release& release, const TrainingOptions& options,
                                     const CheckpointPlan& plan, std::size_t threads, bool quiet) {
  Trainer trainer(release, options, Context{threads, nullptr, &interrupted});
  const auto set_checkpoint_kept = [&] {
    set_kept(fmt::format(
        "What was reached is in '{}': give the same command with --resume to go on", plan.path));
  };
  if (plan.resume) {
    constexpr std::size_t kMaxBytes = std::size_t{4} << 30;
    if (!std::filesystem::exists(plan.path)) {
      throw Error(
          ErrorCode::kFile,
          fmt::format("there is no checkpoint '{}' to go on from; train without --resume to start "
                      "anew",
                      plan.path));
    }
    trainer.restore(read_whole_file(plan.path, "the checkpoint", kMaxBytes), plan.path);
    set_checkpoint_kept();
  }
  StatusLine line(quiet);
  const auto start = std::chrono::steady_clock::now();
  double epochs_run = 0.0;
  while (!trainer.is_finished()) {
    const TrainingProgress progress = trainer.run_epoch();
    if (!plan.path.empty()) {
      AtomicFile file(plan.path);
      file.write(trainer.checkpoint());
      file.commit();
      set_checkpoint_kept();
    }
    epochs_run += 1.0;
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const auto left = static_cast<double>(progress.epochs - progress.epoch);
    line.show(fmt::format("training  epoch {} of {}  loss {:.2f}  held-out loss {:.2f}  {} left",
                          progress.epoch, progress.epochs, progress.training_loss,
                          progress.validation_loss, duration_words(seconds / epochs_run * left)));
  }
  return trainer.best();
}

TableGenerator fit_with_progress(const Release& release, std::uint64_t seed, std::size_t threads,
                                 bool quiet) {
  ProgressLine line("fitting", quiet);
  const Context context{threads, line.callback(), &interrupted};
  TableFitOptions options;
  options.seed = seed;
  return TableGenerator(release, options, context);
}

std::string fit_words(const TableGenerator& generator, const ReleaseAgreement& agreement) {
  constexpr const char* kTables[] = {"a column", "a pair of columns", "a triple of columns"};
  std::string words = "How close: to match the released counts,";
  for (std::size_t i = 0; i < agreement.counts.size(); ++i) {
    const CountAgreement& counts = agreement.counts[i];
    words += fmt::format("{} {} {}in {} ({}: {})", i > 0 ? " and" : "", percent_words(counts.error),
                         i > 0 ? "" : "of the records would have to change ",
                         kTables[counts.columns - 1], i > 0 ? "noise" : "the release's own noise",
                         percent_words(counts.noise));
  }
  words += ", on average. At or below the noise is as close as the release lets anyone see.";
  if (generator.fit().slow_mixing) {
    words +=
        " The fit had not settled when it ended: some columns determine one another almost; "
        "expect less of how they go together.";
  }
  return wrap(words, 0);
}

std::uint64_t parse_seed(const std::string& text) {
  return text.empty() ? 1 : parse_count(text, "--seed", 0, UINT64_MAX);
}

}  // namespace mehler
