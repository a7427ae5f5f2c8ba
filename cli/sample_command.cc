#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "commands.h"
#include "fitting.h"
#include "mehler/core/error.h"
#include "mehler/core/options.h"
#include "sample_grid.h"
#include "sampling.h"
#include "table_options.h"
#include "terminal.h"

namespace mehler {
namespace {

struct SampleFlags {
  std::string model;
  std::string output;
  std::string grid;
  std::string rows;
  std::string seed;
  std::vector<std::string> where;
  std::string where_file;
  std::string threads;
  bool quiet = false;
};

void run_sample(const SampleFlags& flags) {
  if (flags.output.empty() && flags.grid.empty()) {
    throw Error(ErrorCode::kInvalidArgument,
                "no output was named; name a file for the records with --output, or a picture of "
                "images with --grid");
  }
  if (flags.output.empty() && (!flags.rows.empty() || !flags.where_file.empty())) {
    throw Error(ErrorCode::kInvalidArgument,
                "--rows and --where-file say which records are written, but only a --grid was "
                "named; add --output, or leave them out");
  }
  if (!flags.where_file.empty() && !flags.rows.empty()) {
    throw Error(ErrorCode::kInvalidArgument,
                "--rows cannot be given with --where-file, which says how many rows there are: as "
                "many as it has; leave --rows out");
  }
  const std::unique_ptr<Generator> generator = Generator::from_file(flags.model);
  const Schema& schema = generator->release().schema();
  const std::size_t threads = threads_or_all(flags.threads);
  std::uint64_t unlikely = 0;
  SampleOptions options;
  options.seed = parse_seed(flags.seed);
  options.where = parse_conditions(flags.where, *generator);
  generator->check_conditions(options.where);
  require_other_file(flags.output, {flags.model, flags.where_file});
  SampleGrid grid(flags.grid, schema, {flags.model, flags.where_file}, {flags.output});
  const auto draw_grid = [&] {
    const std::string words = grid.draw(*generator, options, threads);
    if (!flags.quiet) {
      fmt::print("{}", words);
    }
  };
  if (flags.output.empty()) {
    draw_grid();
    return;
  }
  if (flags.where_file.empty()) {
    options.rows = flags.rows.empty() ? generator->release().usual_rows()
                                      : parse_count(flags.rows, "--rows", 1, UINT64_MAX);
    TableWriter file(flags.output, schema);
    sample_to_file(*generator, options, file, threads, flags.quiet);
  } else {
    const PartialRows rows = read_partial_file(flags.where_file, schema, threads);
    options.rows = rows.rows.size();
    TableWriter file(flags.output, schema);
    unlikely = complete_to_file(*generator, rows, options, file, threads, flags.quiet);
  }
  if (!flags.quiet) {
    fmt::print("Wrote {} with {} synthetic records.\n{}", flags.output, group_digits(options.rows),
               wrap(generator->release().in_words(), 0));
    if (unlikely > 0) {
      fmt::print("{}", wrap(fmt::format("Note: {} of the rows had values that, by the release, "
                                        "hardly any record has together; little is known of how "
                                        "to complete them.",
                                        group_digits(unlikely)),
                            0));
    }
  }
  draw_grid();
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
      ->add_option(
          "--where", flags->where,
          "Only records that meet a condition: COLUMN=VALUE, COLUMN!=VALUE, "
          "COLUMN>=VALUE (or >, <=, <: numbers, dates, times, ordinal categories), "
          "'COLUMN in A,B,C', 'COLUMN not in A,B', 'COLUMN is missing' (or COLUMN=), "
          "'COLUMN is not missing'. A name or a value with such signs, commas or spaces "
          "at its ends goes in double quotes, \"\" for a quote within. May be repeated, all "
          "must hold. A model of method dp-hp holds columns of categories")
      ->type_name("CONDITION")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  command
      ->add_option("--where-file", flags->where_file,
                   "A table (CSV, Parquet or Arrow) with some of the columns: each of its rows is "
                   "completed, in its order; empty values are free. Not with --rows")
      ->type_name("FILE");
  command
      ->add_option("--threads", flags->threads,
                   "Worker threads; by default all cores. Never changes the records")
      ->type_name("T");
  command->add_flag("--quiet", flags->quiet, "No progress and no summary");
  command
      ->add_option(
          "-o,--output", flags->output,
          "Where to write them: .csv, .tsv, .parquet or .arrow; of images also .npz, .npy, "
          "-ubyte or -ubyte.gz (IDX, with the labels beside it), or / at the end for a "
          "folder of PNG files")
      ->type_name("FILE");
  add_grid_option(*command, flags->grid, "; with or without --output");
  command->callback([flags] { run_sample(*flags); });
}

}  // namespace mehler
