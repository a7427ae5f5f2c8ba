#include <fmt/format.h>

#include <memory>
#include <variant>

#include "commands.h"
#include "mehler/core/atomic_file.h"
#include "mehler/measurement/measured_release.h"
#include "mehler/release/payload.h"
#include "options_file.h"
#include "release_options.h"
#include "terminal.h"

namespace mehler {
namespace {

struct ReleaseOptions {
  ReleaseFlags release;
  std::string output;
  bool quiet = false;
};

void run_release(const ReleaseOptions& options) {
  require_other_file(options.output, options.release.inputs());
  options.release.require_new_release(options.output);
  AtomicFile file(options.output);
  const Schema schema = options.release.read_schema();
  const Release release = options.release.run(schema, options.quiet);
  set_kept(std::string(kBudgetIsSpent));
  release.write(file);
  set_kept("");
  if (options.quiet) {
    return;
  }
  fmt::print("Wrote {}: {} {}, {}.\n", options.output, group_digits(release.dimension()),
             std::holds_alternative<TrainedWeights>(release.payload())
                 ? "weights of generators and noisy counts"
                 : "noisy numbers",
             records_words(release));
  fmt::print("{}{}{}{}", wrap(release.in_words(), 0), bought_words(schema, release),
             budget_hint(release) + classes_hint(release), privacy_unit_hint(release.schema()));
  fmt::print("See it with: mehler inspect {}\n", options.output);
}

}  // namespace

void add_release_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "release", "Read a private table and write noisy sums or counts that are safe to publish");
  auto options = std::make_shared<ReleaseOptions>();
  options->release.add_to(*command);
  add_options_file(*command);
  command->add_flag("--quiet", options->quiet, "No progress and no summary");
  command->add_option("-o,--output", options->output, "Where to write the release")
      ->required()
      ->type_name("FILE");
  command->callback([options] { run_release(*options); });
}

}  // namespace mehler
