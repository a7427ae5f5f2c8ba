#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "commands.h"
#include "fitting.h"
#include "mehler/core/options.h"
#include "sampling.h"
#include "table_options.h"
#include "terminal.h"

namespace mehler {
namespace {

struct SampleFlags {
  std::string model;
  std::string output;
  std::string rows;
  std::string seed;
  std::vector<std::string> where;
  std::string threads;
  bool quiet = false;
};

void run_sample(const SampleFlags& flags) {
  const std::unique_ptr<Generator> generator = Generator::from_file(flags.model);
  SampleOptions options;
  options.rows = flags.rows.empty() ? released_rows(generator->release())
                                    : parse_count(flags.rows, "--rows", 1, UINT64_MAX);
  options.seed = parse_seed(flags.seed);
  options.where = parse_conditions(flags.where, generator->release().schema());
  generator->check_conditions(options.where);
  require_other_file(flags.output, {flags.model});
  TableWriter file(flags.output);
  sample_to_file(*generator, options, file, threads_or_all(flags.threads), flags.quiet);
  if (!flags.quiet) {
    fmt::print("Wrote {} with {} synthetic records.\n{}", flags.output, group_digits(options.rows),
               wrap(generator->release().in_words(), 0));
  }
}

}  // namespace

void add_sample_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand("sample", "Draw synthetic records from a model");
  auto flags = std::make_shared<SampleFlags>();
  command->add_option("MODEL", flags->model, "The model file")->required()->type_name("");
  command->add_option("--rows", flags->rows, "How many; by default the released number of records")
      ->type_name("N");
  command->add_option("--seed", flags->seed, "Another seed gives other records; default 1")
      ->type_name("S");
  command
      ->add_option("--where", flags->where,
                   "COLUMN=VALUE: only records with this value (for a model of method dp-hp, a "
                   "category); COLUMN= for those where it is missing; may be repeated, all must "
                   "hold")
      ->type_name("COLUMN=VALUE")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  command
      ->add_option("--threads", flags->threads,
                   "Worker threads; by default all cores. Never changes the records")
      ->type_name("T");
  command->add_flag("--quiet", flags->quiet, "No progress and no summary");
  command
      ->add_option("-o,--output", flags->output,
                   "Where to write them: .csv, .tsv, .parquet or .arrow")
      ->required()
      ->type_name("FILE");
  command->callback([flags] { run_sample(*flags); });
}

}  // namespace mehler
