#include "training_options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>

#include "number_options.h"
#include "terminal.h"

namespace mehler {

void TrainingFlags::add_to(CLI::App& command) {
  const TrainingOptions defaults;
  const std::string group = "Training";
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
      .add_option("--learning-rate", learning_rate_,
                  fmt::format("Of the first epoch; default {}", defaults.learning_rate))
      ->type_name("R")
      ->group(group);
}

TrainingOptions TrainingFlags::parse(std::uint64_t seed) const {
  TrainingOptions options;
  options.seed = seed;
  if (!epochs_.empty()) {
    options.epochs = parse_count(epochs_, "--epochs", 1, 100'000);
  }
  if (!batch_.empty()) {
    options.batch_rows = parse_count(batch_, "--batch", 16, 1'000'000);
  }
  if (!learning_rate_.empty()) {
    options.learning_rate = parse_number(learning_rate_, "--learning-rate");
  }
  options.validate();
  return options;
}

Generator train_with_progress(const Release& release, const TrainingOptions& options,
                              std::size_t threads, bool quiet) {
  StatusLine line(quiet);
  const auto start = std::chrono::steady_clock::now();
  const Context context{threads, nullptr, &interrupted};
  return train_generator(release, options, context, [&](const TrainingProgress& progress) {
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const auto done = static_cast<double>(progress.epoch);
    line.show(fmt::format(
        "training  epoch {} of {}  loss {:.2f}  held-out loss {:.2f}  {} left", progress.epoch,
        progress.epochs, progress.training_loss, progress.validation_loss,
        duration_words(seconds / done * (static_cast<double>(progress.epochs) - done))));
  });
}

std::uint64_t parse_seed(const std::string& text) {
  return text.empty() ? 1 : parse_count(text, "--seed", 0, UINT64_MAX);
}

}  // namespace mehler
