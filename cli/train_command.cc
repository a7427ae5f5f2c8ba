#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "commands.h"
#include "mehler/core/atomic_file.h"
#include "mehler/core/error.h"
#include "options_file.h"
#include "sampling.h"
#include "table_options.h"
#include "terminal.h"
#include "training_options.h"

namespace mehler {
namespace {

struct TrainOptions {
  std::string release;
  std::string output;
  std::string seed;
  std::string threads;
  TrainingFlags training;
  bool resume = false;
  bool quiet = false;
};

/// Fits a table to a release of counts.
void fit(const TrainOptions& options, const Release& release, AtomicFile& file,
         std::size_t threads) {
  options.training.require_options_of("mehler");
  if (options.resume) {
    throw Error(ErrorCode::kInvalidArgument,
                "--resume goes on with the training of a network, but this release is of counts, "
                "which a table is fitted to in one go; leave --resume out");
  }
  const TableGenerator generator =
      fit_with_progress(release, parse_seed(options.seed), threads, options.quiet);
  std::string words;
  if (!options.quiet) {
    const Context context{threads, nullptr, &interrupted};
    ReleaseComparison comparison(release, context);
    SampleOptions sample;
    sample.rows = released_rows(release);
    generator.sample(sample, context, [&](const Table& rows) { add_records(rows, comparison); });
    words = fit_words(generator, comparison.agreement());
  }
  generator.write(file);
  fmt::print("{}", words);
}

/// Trains a network on a release of feature sums.
void train(const TrainOptions& options, const Release& release, AtomicFile& file,
           std::size_t threads) {
  const TrainingOptions training = options.training.parse(parse_seed(options.seed));
  const CheckpointPlan plan{options.output + ".checkpoint", options.resume};
  const NetworkGenerator generator = [&] {
    try {
      return train_with_progress(release, training, plan, threads, options.quiet);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::kInvalidArgument) {
        set_kept("");  // it diverged, and from the checkpoint it would again
      }
      throw;
    }
  }();
  generator.write(file);
  std::filesystem::remove(plan.path);
  set_kept("");
}

void run_train(const TrainOptions& options) {
  options.training.parse(parse_seed(options.seed));  // what is wrong is said before files are read
  const std::size_t threads = threads_or_all(options.threads);
  const Release release = Release::from_file(options.release);
  require_other_file(options.output, {options.release});
  AtomicFile file(options.output);
  (has_contrasts(release) ? fit : train)(options, release, file, threads);
  if (!options.quiet) {
    fmt::print("Wrote {}.\nSample from it with: mehler sample {} -o synthetic.csv\n",
               options.output, options.output);
  }
}

}  // namespace

void add_train_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "train", "Train or fit a model from a release; private records are not needed");
  auto options = std::make_shared<TrainOptions>();
  command->add_option("RELEASE", options->release, "The release file")->required()->type_name("");
  command
      ->add_option("--seed", options->seed,
                   "The same seed and threads give the same model; default 1")
      ->type_name("S");
  options->training.add_to(*command);
  command->add_option("--threads", options->threads, "Worker threads; by default all cores")
      ->type_name("T");
  command->add_flag(
      "--resume", options->resume,
      "Go on from FILE.checkpoint, which an interrupted training leaves beside its output");
  add_options_file(*command);
  command->add_flag("--quiet", options->quiet, "No progress and no summary");
  command->add_option("-o,--output", options->output, "Where to write the model")
      ->required()
      ->type_name("FILE");
  command->callback([options] { run_train(*options); });
}

}  // namespace mehler
