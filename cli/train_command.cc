#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <variant>

#include "commands.h"
#include "fitting.h"
#include "mehler/core/atomic_file.h"
#include "mehler/core/error.h"
#include "mehler/release/marginal_measurements.h"
#include "mehler/release/payload.h"
#include "method_options.h"
#include "options_file.h"
#include "sampling.h"
#include "table_options.h"
#include "terminal.h"

namespace mehler {
namespace {

struct TrainOptions {
  std::string release;
  std::string output;
  std::string seed;
  std::string threads;
  MethodFlags method_flags;
  bool resume = false;
  bool quiet = false;
};

/// Up to so many records all are compared with the release, of more so many: the cost of a fit does
/// not grow with the table, and that of saying how close it is need not either.
constexpr std::uint64_t kAllCompared = 262'144;
constexpr std::uint64_t kCompared = 131'072;
/// The same with images, each of which takes as long as hundreds of other records.
constexpr std::uint64_t kComparedImages = 10'000;

/// How close the records of a model are to the counts of its release, in words.
std::string words_on(const Generator& generator, const Context& context) {
  const Release& release = generator.release();
  if (!release.has_counts() || !ReleaseComparison::is_possible(release)) {
    return "";
  }
  ReleaseComparison comparison(release, context);
  SampleOptions sample;
  const std::uint64_t all = release.usual_rows();
  sample.rows = release.schema().image() != nullptr ? std::min(all, kComparedImages)
                : all <= kAllCompared               ? all
                                                    : kCompared;
  generator.draw(sample, context,
                 [&](const Table&, const EncodedBatch& records) { comparison.add(records); });
  const std::string of_records =
      sample.rows < all ? fmt::format(", by {} of its records", group_digits(sample.rows)) : "";
  return fit_words(generator, comparison.agreement(), of_records);
}

void run_train(const TrainOptions& options) {
  const std::size_t threads = threads_or_all(options.threads);
  FitRequest request;
  request.seed = parse_seed(options.seed);
  request.resume = options.resume;
  const Release release = Release::from_file(options.release);
  const Method& method = method_of(release);
  request.options = options.method_flags.fit_values(method);
  if (method.has_checkpoints) {
    request.checkpoint = options.output + ".checkpoint";
  }
  require_other_file(options.output, {options.release});
  AtomicFile file(options.output);
  const std::unique_ptr<const Generator> generator = [&] {
    try {
      return fit_with_progress(release, request, threads, options.quiet);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::kInvalidArgument) {
        set_kept("");  // it diverged, and from the checkpoint it would again
      }
      if (error.code() == ErrorCode::kInvalidRelease &&
          std::holds_alternative<TrainedWeights>(release.payload())) {
        throw not_whole(options.release, error);
      }
      throw;
    }
  }();
  const std::string words =
      options.quiet ? "" : words_on(*generator, Context{threads, nullptr, &interrupted});
  generator->write(file);
  if (!request.checkpoint.empty()) {
    std::filesystem::remove(request.checkpoint);
  }
  set_kept("");
  if (!options.quiet) {
    const bool images = std::ranges::any_of(release.schema().columns(), &Column::is_image);
    fmt::print("{}{}Wrote {}.\nSample from it with: mehler sample {} -o synthetic.{}\n", words,
               classes_hint(release), options.output, options.output, images ? "npz" : "csv");
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
                   "The same seed gives the same model, whatever the threads; default 1")
      ->type_name("S");
  options->method_flags.add_fit_options(*command);
  command->add_option("--threads", options->threads, "Worker threads; by default all cores")
      ->type_name("T");
  command->add_flag(
      "--resume", options->resume,
      "Go on from FILE.checkpoint, which an interrupted training leaves beside its output");
  command->footer("Methods have options of their own: 'mehler methods NAME' shows them.");
  add_options_file(*command);
  command->add_flag("--quiet", options->quiet, "No progress and no summary");
  command->add_option("-o,--output", options->output, "Where to write the model")
      ->required()
      ->type_name("FILE");
  command->callback([options] { run_train(*options); });
}

}  // namespace mehler
