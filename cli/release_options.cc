#include "release_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "mehler/core/error.h"
#include "mehler/core/options.h"
#include "mehler/measurement/measured_release.h"
#include "terminal.h"

namespace mehler {

std::vector<std::string> ReleaseFlags::inputs() const {
  std::vector<std::string> paths = table_.paths();
  paths.push_back(schema_);
  return paths;
}

void ReleaseFlags::require_new_release(const std::filesystem::path& path) const {
  if (!force_ && std::filesystem::is_regular_file(path)) {
    throw Error(
        ErrorCode::kFile,
        fmt::format("'{}' exists. A release that is overwritten is gone, but what was spent on it "
                    "stays spent; choose another name for the output, or add --force",
                    path.string()));
  }
}

Schema ReleaseFlags::read_schema() const {
  Schema schema = Schema::from_file(schema_);
  schema.require_declared_or_bought();
  return schema;
}

DomainBudget ReleaseFlags::domain_budget(const Schema& schema) const {
  DomainBudget budget;
  if (!buy_share_.empty()) {
    if (!schema.is_to_be_bought()) {
      throw Error(ErrorCode::kInvalidArgument,
                  "--buy-share is for bounds and categories that the schema leaves to be bought, "
                  "and it leaves none; leave the option out, or write \"buy\" in the schema");
    }
    budget.share = parse_number(buy_share_, "--buy-share");
  }
  budget.validate();
  return budget;
}

Release ReleaseFlags::run(const Schema& schema, bool quiet) const {
  const PrivacyBudget budget{parse_number(epsilon_, "--epsilon"), parse_number(delta_, "--delta")};
  Accountant accountant(budget);
  const Method& chosen = method(schema);
  ReleaseRequest request{.method = chosen.name,
                         .options = method_flags_.release_values(chosen),
                         .domains = domain_budget(schema)};
  chosen.check(schema, request.options, {});
  const TableReader reader = table_.open(threads(), &schema);
  ProgressLine line("reading", quiet,
                    [progress = reader.progress()] { return progress->fraction(); });
  const Context context{threads(), line.callback(), &interrupted,
                        [] { set_kept(std::string(kBudgetIsSpent)); }};
  const auto passes = reader.can_be_read_again() ? PrivateTable::Parts::kForManyPasses
                                                 : PrivateTable::Parts::kForOnePass;
  return release(PrivateTable(reader.parts(), schema, passes), accountant, request, context);
}

void ReleaseFlags::add_to(CLI::App& command) {
  table_.add_to(command, true);
  command.add_option("--schema", schema_, "The table's schema; all of it becomes public")
      ->required()
      ->type_name("FILE");
  command
      .add_option("--epsilon", epsilon_,
                  "Privacy loss, greater than 0; smaller is more private. No default")
      ->required()
      ->type_name("E");
  command
      .add_option(
          "--delta", delta_,
          "The delta of (epsilon, delta)-differential privacy: what probabilities may differ "
          "by beyond the factor e^epsilon. Between 0 and 1, well below 1/records. No "
          "default")
      ->required()
      ->type_name("D");
  command
      .add_option("--buy-share", buy_share_,
                  fmt::format("Part of the budget for bounds and categories where the schema says "
                              "\"buy\"; default {}",
                              DomainBudget().share))
      ->type_name("S");
  std::vector<std::string> names;
  for (const Method& method : methods()) {
    names.push_back(method.name);
  }
  command
      .add_option("--method", method_,
                  fmt::format("One of {}; default {}, for tables with an image column images. Each "
                              "has options of its own: 'mehler methods NAME' shows them",
                              fmt::join(names, ", "), names.front()))
      ->type_name("NAME");
  method_flags_.add_release_options(command);
  command
      .add_option("--threads", threads_,
                  "Worker threads; by default all cores. Never changes what is released")
      ->type_name("T");
  command.add_flag("--force", force_, "Overwrite a release that exists; its budget stays spent");
}

}  // namespace mehler
