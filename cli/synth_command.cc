#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "commands.h"
#include "mehler/core/atomic_file.h"
#include "mehler/core/error.h"
#include "mehler/synthesis/methods.h"
#include "number_options.h"
#include "options_file.h"
#include "release_options.h"
#include "sampling.h"
#include "terminal.h"
#include "training_options.h"

namespace mehler {
namespace {

struct SynthOptions {
  ReleaseFlags release;
  TrainingFlags training;
  std::string method = "dp-hp";
  std::string rows;
  std::string seed;
  std::string output;
  bool quiet = false;
};

void run_synth(const SynthOptions& options) {
  find_method(options.method);
  const std::uint64_t seed = parse_seed(options.seed);
  const TrainingOptions training = options.training.parse(seed);
  std::filesystem::path release_path = options.output;
  release_path.replace_extension(".release");
  std::filesystem::path model_path = options.output;
  model_path.replace_extension(".mehler");
  for (const std::filesystem::path& path :
       {std::filesystem::path(options.output), release_path, model_path}) {
    require_other_file(path, options.release.inputs());
  }
  SampleOptions sample;
  sample.seed = seed;
  if (!options.rows.empty()) {
    sample.rows = parse_count(options.rows, "--rows", 1, UINT64_MAX);
  }
  // All three are opened before the private table is read: a place that cannot be written is found
  // now.
  AtomicFile release_file(release_path);
  AtomicFile model_file(model_path);
  TableWriter table_file(options.output);
  const Release release = options.release.run(options.quiet);
  release.write(release_file);
  // The budget is spent: whatever happens from here on, the release is there to go on from.
  try {
    const Generator generator =
        train_with_progress(release, training, {}, options.release.threads(), options.quiet);
    generator.write(model_file);
    if (options.rows.empty()) {
      sample.rows = released_rows(release);
    }
    sample_to_file(generator, sample, table_file, options.release.threads(), options.quiet);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}. The release was kept: go on with 'mehler train {}'",
                                          error.what(), release_path.string()));
  }
  if (!options.quiet) {
    fmt::print("Wrote {} with {} synthetic records, the release {} and the model {}.\n{}",
               options.output, group_digits(sample.rows), release_path.string(),
               model_path.string(), wrap(release.statement().in_words(), 0));
  }
}

}  // namespace

void add_synth_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "synth", "From a private table to a synthetic one: release, train and sample in one go");
  auto options = std::make_shared<SynthOptions>();
  options->release.add_to(*command);
  command
      ->add_option("--method", options->method,
                   "One of those that 'mehler methods' lists; default dp-hp")
      ->type_name("M");
  command
      ->add_option("--rows", options->rows,
                   "Synthetic records; by default the released number of records")
      ->type_name("N");
  command
      ->add_option("--seed", options->seed,
                   "Of training and sampling, never of the noise; default 1")
      ->type_name("S");
  options->training.add_to(*command);
  add_options_file(*command);
  command->add_flag("--quiet", options->quiet, "No progress and no summary");
  command
      ->add_option("-o,--output", options->output,
                   "Where to write the records: .csv, .tsv, .parquet or .arrow; the release and "
                   "the model go beside")
      ->required()
      ->type_name("FILE");
  command->callback([options] { run_synth(*options); });
}

}  // namespace mehler
