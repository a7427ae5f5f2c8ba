#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "commands.h"
#include "mehler/core/atomic_file.h"
#include "mehler/core/error.h"
#include "mehler/demo/people.h"
#include "mehler/table/files/table_writer.h"

namespace mehler {
namespace {

constexpr std::size_t kDefaultRows = 30'000;
constexpr std::uint64_t kDefaultSeed = 1;

struct DemoOptions {
  std::string name = "people";
  std::string folder;
  std::size_t rows = kDefaultRows;
  std::uint64_t seed = kDefaultSeed;
};

void run_demo(const DemoOptions& options) {
  const std::filesystem::path folder(options.folder);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw Error(ErrorCode::kFile,
                fmt::format("the folder '{}' cannot be made: {}; choose another place",
                            options.folder, error.message()));
  }
  const std::filesystem::path table_path = folder / "people.csv";
  const std::filesystem::path schema_path = folder / "people.schema.json";
  AtomicFile schema(schema_path);
  TableWriter table(table_path);
  table.write(simulate_people(options.rows, options.seed));
  schema.write(people_schema().to_json());
  table.finish();
  schema.commit();
  fmt::print("Wrote {} ({} simulated patients) and its schema {}.\n", table_path.string(),
             options.rows, schema_path.string());
}

}  // namespace

void add_demo_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "demo", "Write a built-in simulated table and its schema, to try things on");
  auto options = std::make_shared<DemoOptions>();
  command
      ->add_option("NAME", options->name,
                   "Which table: people (default), patients of a made-up clinic")
      ->type_name("")
      ->check(CLI::IsMember({"people"}));
  command->add_option("-o,--output", options->folder, "The folder to write to")
      ->required()
      ->type_name("FOLDER");
  command
      ->add_option("--rows", options->rows,
                   fmt::format("Number of records; default {}", kDefaultRows))
      ->type_name("N")
      ->check(CLI::Range(std::size_t{1}, std::size_t{10'000'000}));
  command->add_option("--seed", options->seed, "Another seed gives other records")->type_name("S");
  command->callback([options] { run_demo(*options); });
}

}  // namespace mehler
