// Method marginals with one part replaced, for the ablation experiment:
//
//   mehler_variants release TABLE SCHEMA EPSILON DELTA VARIANT OUTPUT
//   mehler_variants fit RELEASE VARIANT OUTPUT
//
// OUTPUT: a release file; a table of as many synthetic records as the release counts.

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "experiments/variants/fit_variants.h"
#include "experiments/variants/release_variants.h"
#include "mehler/core/atomic_file.h"
#include "mehler/core/error.h"
#include "mehler/core/seeded_random.h"
#include "mehler/generator/fitted_table/cell_decoder.h"
#include "mehler/table/readers/table_writer.h"

namespace mehler {
namespace {

struct Arguments {
  std::string input;
  std::string schema;
  PrivacyBudget budget;
  std::string variant;
  std::string output;
};

Context all_threads() { return {Context::available_threads(), nullptr, nullptr}; }

void make_release(const Arguments& arguments) {
  AtomicFile file(arguments.output);
  Accountant accountant(arguments.budget);
  const Schema schema = Schema::from_file(arguments.schema);
  const TableReader reader({arguments.input}, {}, &schema);
  release_variant(PrivateTable(reader.parts(), schema), arguments.variant, accountant,
                  all_threads())
      .write(file);
}

void fit(const Arguments& arguments) {
  TableWriter file(arguments.output);
  const Release release = Release::from_file(arguments.input);
  const VariantRows fitted = fit_variant(release, arguments.variant, all_threads());
  // Tables of categories have no numbers to link.
  const CellDecoder decoder(fitted.columns, FinerForest(fitted.cells),
                            ValueLinks(fitted.columns.size()));
  SeededRandom random(1);
  file.write(release.encoder().decode(decoder.decode(fitted.rows, 0, fitted.rows.rows, random)));
  file.finish();
}

int run(int argc, char** argv) {
  CLI::App program{
      "Method marginals with one part replaced, for experiments/run marginals-ablation."};
  program.name("mehler_variants");
  program.require_subcommand(1);
  Arguments arguments;
  CLI::App* release = program.add_subcommand("release", "Measure a private table of categories");
  release->add_option("TABLE", arguments.input)->required();
  release->add_option("SCHEMA", arguments.schema)->required();
  release->add_option("EPSILON", arguments.budget.epsilon)->required();
  release->add_option("DELTA", arguments.budget.delta)->required();
  release->add_option("VARIANT", arguments.variant)
      ->required()
      ->check(CLI::IsMember(release_variants()));
  release->add_option("OUTPUT", arguments.output)->required();
  release->callback([&] { make_release(arguments); });
  CLI::App* fitting = program.add_subcommand("fit", "Fit a table to a release");
  fitting->add_option("RELEASE", arguments.input)->required();
  fitting->add_option("VARIANT", arguments.variant)
      ->required()
      ->check(CLI::IsMember(fit_variants()));
  fitting->add_option("OUTPUT", arguments.output)->required();
  fitting->callback([&] { fit(arguments); });
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return program.exit(error);
  }
  return 0;
}

}  // namespace
}  // namespace mehler

int main(int argc, char** argv) {
  try {
    return mehler::run(argc, argv);
  } catch (const mehler::Error& error) {
    fmt::print(stderr, "mehler_variants: {}\n", error.what());
    return 2;
  } catch (const std::exception&) {  // its text could quote a record
    fmt::print(stderr, "mehler_variants: something unforeseen happened\n");
    return 1;
  }
}
