#include <fmt/format.h>

#include <memory>
#include <variant>

#include "commands.h"
#include "fitting.h"
#include "mehler/core/error.h"
#include "mehler/release/payload.h"
#include "mehler/release/release.h"
#include "mehler/report/release_report.h"
#include "mehler/synthesis/methods.h"
#include "terminal.h"

namespace mehler {
namespace {

struct InspectOptions {
  std::vector<std::string> paths;
  bool json = false;
  bool blocks = false;
};

/// Whether a release of weights holds the networks that it describes is known to its method alone,
/// which finds out by making them.
void require_whole(const std::string& path, const Release& release) {
  if (!std::holds_alternative<TrainedWeights>(release.payload())) {
    return;
  }
  method_of(release);  // throws for one that only another version knows
  try {
    fit(release);
  } catch (const Error& error) {
    throw not_whole(path, error);
  }
}

}  // namespace

void add_inspect_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand("inspect",
                                             "Show a release's guarantee, schema, blocks and "
                                             "noise; re-derives epsilon and fails on a mismatch. "
                                             "Of several: what they spent together");
  auto options = std::make_shared<InspectOptions>();
  command->add_option("RELEASE", options->paths, "The release file, or several")
      ->required()
      ->type_name("");
  command->add_flag("--json", options->json, "As JSON, for programs: with all blocks");
  command->add_flag("--blocks", options->blocks,
                    fmt::format("List every block, also if there are more than {}", kFewBlocks));
  command->callback([options] {
    // Reading verifies: a release whose epsilon does not follow from its noise is refused there.
    std::vector<NamedRelease> releases;
    for (const std::string& path : options->paths) {
      releases.push_back({path, Release::from_file(path)});
      require_whole(path, releases.back().release);
    }
    if (releases.size() > 1) {
      fmt::print("{}", options->json ? json_of(releases) : text_of(releases));
      return;
    }
    const auto& [path, release] = releases.front();
    fmt::print("{}", options->json ? json_of(release, path)
                                   : with_flags(text_of(release, path, options->blocks)));
  });
}

}  // namespace mehler
