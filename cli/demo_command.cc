#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <memory>

#include "commands.h"
#include "fitting.h"
#include "mehler/core/atomic_file.h"
#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/core/options.h"
#include "mehler/demo/mixture.h"
#include "mehler/demo/people.h"
#include "mehler/table/readers/table_writer.h"
#include "terminal.h"

namespace mehler {
namespace {

/// A built-in table.
struct DemoTable {
  std::string_view name;
  std::string_view summary;
  std::size_t rows;  ///< by default
  Schema (*schema)();
  Table (*simulate)(std::size_t rows, std::uint64_t seed);
};

constexpr std::array kTables = {
    DemoTable{"people", "patients of a made-up clinic, every kind of column", 30'000, people_schema,
              simulate_people},
    DemoTable{"mixture", "25 Gaussian clusters in the plane, 5 classes", 90'000, mixture_schema,
              simulate_mixture},
};

const DemoTable& find_table(const std::string& name) {
  std::vector<std::string> names;
  for (const DemoTable& table : kTables) {
    if (table.name == name) {
      return table;
    }
    names.emplace_back(table.name);
  }
  throw Error(ErrorCode::kInvalidArgument, fmt::format("there is no built-in table '{}'{}",
                                                       shown(name), suggest_names(name, names)));
}

struct DemoOptions {
  std::string name = "people";
  std::string folder;
  std::string rows;
  std::string seed;
};

void run_demo(const DemoOptions& options) {
  const DemoTable& demo = find_table(options.name);
  const std::size_t rows =
      options.rows.empty() ? demo.rows : parse_count(options.rows, "--rows", 1, 10'000'000);
  const std::uint64_t seed = parse_seed(options.seed);
  const std::filesystem::path folder(options.folder);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw Error(ErrorCode::kFile,
                fmt::format("the folder '{}' cannot be made: {}; choose another place",
                            options.folder, error.message()));
  }
  const std::filesystem::path table_path = folder / fmt::format("{}.csv", demo.name);
  const std::filesystem::path schema_path = folder / fmt::format("{}.schema.json", demo.name);
  AtomicFile schema(schema_path);
  TableWriter table(table_path, demo.schema());
  table.write(demo.simulate(rows, seed));
  schema.write(demo.schema().to_json());
  table.finish();
  schema.commit();
  fmt::print("Wrote {} ({} simulated records: {}) and its schema {}.\n", table_path.string(),
             group_digits(rows), demo.summary, schema_path.string());
}

}  // namespace

void add_demo_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "demo", "Write a built-in simulated table and its schema, to try things on");
  auto options = std::make_shared<DemoOptions>();
  std::string tables;
  for (const DemoTable& table : kTables) {
    tables += fmt::format("{}{}: {}", tables.empty() ? "" : "; ", table.name, table.summary);
  }
  command
      ->add_option("NAME", options->name, fmt::format("Which table; people by default. {}", tables))
      ->type_name("");
  command->add_option("-o,--output", options->folder, "The folder to write to")
      ->required()
      ->type_name("FOLDER");
  command
      ->add_option("--rows", options->rows,
                   "Number of records; by default 30000 people, 90000 in the mixture")
      ->type_name("N");
  command->add_option("--seed", options->seed, "Another seed gives other records; default 1")
      ->type_name("S");
  command->callback([options] { run_demo(*options); });
}

}  // namespace mehler
