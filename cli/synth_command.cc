#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "commands.h"
#include "fitting.h"
#include "mehler/core/atomic_file.h"
#include "mehler/core/error.h"
#include "mehler/core/options.h"
#include "mehler/generator/made_identifiers.h"
#include "mehler/measurement/measured_release.h"
#include "options_file.h"
#include "release_options.h"
#include "sample_grid.h"
#include "sampling.h"
#include "terminal.h"

namespace mehler {
namespace {

struct SynthOptions {
  ReleaseFlags release;
  std::string rows;
  std::string seed;
  std::string output;
  std::string grid;
  bool quiet = false;
};

/// A path as a word of a shell command; never like an option.
std::string path_word(const std::filesystem::path& path) {
  const std::string text = path.string();
  return shell_word(text.starts_with('-') ? "./" + text : text);
}

/// The commands that do the rest of what this one was asked for.
struct Rest {
  const SynthOptions& options;
  const Method& method;
  std::filesystem::path release;
  std::filesystem::path model;

  std::string sample() const {
    return fmt::format(
        "mehler sample {}{}{} -o {}{}", path_word(model), flag_words("--rows", options.rows),
        flag_words("--threads", options.release.given_threads()), path_word(options.output),
        options.grid.empty() ? "" : " --grid " + path_word(options.grid));
  }

  std::string train_and_sample(const OptionValues& fit_options) const {
    return fmt::format(
        "mehler train {}{}{}{} -o {} && {}", path_word(release), flag_words("--seed", options.seed),
        MethodFlags::words(method.fit_options, fit_options),
        flag_words("--threads", options.release.given_threads()), path_word(model), sample());
  }
};

void run_synth(const SynthOptions& options) {
  const Schema schema = options.release.read_schema();
  const Method& method = options.release.method(schema);
  FitRequest request;
  request.seed = parse_seed(options.seed);
  request.options = options.release.method_flags().fit_values(method);
  // What is wrong with options is said before the budget is spent.
  method.check(schema, options.release.method_flags().release_values(method), request.options);
  const std::filesystem::path given = options.output;
  // "digits/" is a folder of images, with the release beside it.
  std::filesystem::path release_path = given.has_filename() ? given : given.parent_path();
  release_path.replace_extension(".release");
  std::filesystem::path model_path = release_path;
  model_path.replace_extension(".mehler");
  for (const std::filesystem::path& path :
       {std::filesystem::path(options.output), release_path, model_path}) {
    require_other_file(path, options.release.inputs());
  }
  options.release.require_new_release(release_path);
  SampleOptions sample;
  if (!options.rows.empty()) {
    sample.rows = parse_count(options.rows, "--rows", 1, UINT64_MAX);
    // Refuses more rows than identifiers can be made up for, before the budget is spent.
    MadeIdentifiers(schema, sample.rows, sample.seed);
  }
  // All are opened before the private table is read: a place that cannot be written is found now.
  AtomicFile release_file(release_path);
  AtomicFile model_file(model_path);
  SampleGrid grid(options.grid, schema, options.release.inputs(),
                  {options.output, release_path.string(), model_path.string()});
  TableWriter table_file(options.output, schema);
  const Release release = options.release.run(schema, options.quiet);
  set_kept(std::string(kBudgetIsSpent));
  release.write(release_file);
  // The budget is spent: whatever happens from here on, the release is there to go on from.
  const Rest rest{options, method, release_path, model_path};
  const std::string release_was_kept = fmt::format(
      "The release '{}', for which the budget is spent, was kept", release_path.string());
  const auto set_release_kept = [&](const OptionValues& fit_options) {
    set_kept(release_was_kept + "; go on from it with: " + rest.train_and_sample(fit_options));
  };
  set_release_kept(request.options);
  const std::unique_ptr<const Generator> generator = [&] {
    try {
      return fit_with_progress(release, request, options.release.threads(), options.quiet);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::kInvalidArgument && method.calmer != nullptr) {
        set_release_kept(method.calmer(request.options));       // it diverged, and would again
      } else if (error.code() == ErrorCode::kInvalidRelease) {  // there is nothing to learn from it
        set_kept(release_was_kept);
      }
      throw;
    }
  }();
  generator->write(model_file);
  set_kept(fmt::format("The release '{}' and the model '{}' were kept; go on with: {}",
                       release_path.string(), model_path.string(), rest.sample()));
  if (options.rows.empty()) {
    sample.rows = release.usual_rows();
  }
  std::optional<ReleaseComparison> comparison;
  if (release.has_counts() && ReleaseComparison::is_possible(release) && !options.quiet) {
    comparison.emplace(release, Context{options.release.threads(), nullptr, nullptr});
  }
  sample_to_file(*generator, sample, table_file, options.release.threads(), options.quiet,
                 comparison ? &*comparison : nullptr);
  const std::string grid_words = grid.draw(*generator, sample, options.release.threads());
  set_kept("");
  if (!options.quiet) {
    fmt::print("Wrote {} with {}, the release {} and the model {}.\n{}", options.output,
               counted(sample.rows, "synthetic record"), release_path.string(), model_path.string(),
               grid_words + (comparison ? fit_words(*generator, comparison->agreement()) : "") +
                   wrap(release.in_words(), 0) + bought_words(schema, release) +
                   budget_hint(release) + classes_hint(release) +
                   privacy_unit_hint(release.schema()));
  }
}

}  // namespace

void add_synth_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "synth", "From a private table to a synthetic one: release, train and sample in one go");
  auto options = std::make_shared<SynthOptions>();
  options->release.add_to(*command);
  command
      ->add_option("--rows", options->rows,
                   "Synthetic records; by default the released number of records")
      ->type_name("N");
  command
      ->add_option("--seed", options->seed, "Of fitting the model, never of the noise; default 1")
      ->type_name("S");
  options->release.method_flags().add_fit_options(*command);
  add_options_file(*command);
  command->add_flag("--quiet", options->quiet, "No progress and no summary");
  command
      ->add_option(
          "-o,--output", options->output,
          "Where to write the records: .csv, .tsv, .parquet or .arrow; of images also .npz, "
          ".npy, -ubyte or -ubyte.gz (IDX, with the labels beside it), or / at the end "
          "for a folder of PNG files. The release and the model go beside")
      ->required()
      ->type_name("FILE");
  add_grid_option(*command, options->grid);
  command->callback([options] { run_synth(*options); });
}

}  // namespace mehler
