#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "commands.h"
#include "mehler/core/atomic_file.h"
#include "mehler/core/error.h"
#include "mehler/demo/people.h"
#include "mehler/table/files/table_writer.h"
#include "number_options.h"
#include "terminal.h"

namespace mehler {
namespace {

constexpr std::size_t kDefaultRows = 30'000;
constexpr std::uint64_t kDefaultSeed = 1;

struct DemoOptions {
  std::string name = "people";
  std::string folder;
  std::string rows = std::to_string(kDefaultRows);
  std::string seed = std::to_string(kDefaultSeed);
};

void run_demo(const DemoOptions& options) {
  const std::size_t rows = parse_count(options.rows, "--rows", 1, 10'000'000);
  const std::uint64_t seed = parse_count(options.seed, "--seed", 0, UINT64_MAX);
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
  table.write(simulate_people(rows, seed));
  schema.write(people_schema().to_json());
  table.finish();
  schema.commit();
  fmt::print("Wrote {} ({} simulated patients) and its schema {}.\n", table_path.string(),
             group_digits(rows), schema_path.string());
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
      ->type_name("N");
  command->add_option("--seed", options->seed, "Another seed gives other records")->type_name("S");
  command->callback([options] { run_demo(*options); });
}

}  // namespace mehler
