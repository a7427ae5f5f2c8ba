#include <fmt/format.h>

#include <memory>

#include "commands.h"
#include "fitting.h"
#include "mehler/core/error.h"
#include "mehler/core/options.h"
#include "mehler/core/strict_json.h"
#include "mehler/evaluation/kernels/read_records.h"
#include "mehler/generator/made_identifiers.h"
#include "mehler/reference/reference_kinds.h"
#include "mehler/table/readers/table_writer.h"
#include "option_flags.h"
#include "options_file.h"
#include "sample_grid.h"
#include "sampling.h"
#include "table_options.h"
#include "terminal.h"

namespace mehler {
namespace {

struct ReferenceFlags {
  TableOptions table;
  std::string schema;
  bool is_public = false;
  std::string rows;
  std::string seed;
  std::string threads;
  std::string output;
  std::string grid;
  bool quiet = false;
  OptionFlags options;
};

/// Before anything is read: what is learnt here is learnt from the records as they are.
void require_declared_public(const ReferenceFlags& flags, const ReferenceKind& kind) {
  if (!flags.is_public) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format(
            "'reference {}' learns from the records as they are, and what it writes is covered by "
            "no guarantee; nothing was read. Add --declared-public if you know that the table "
            "needs no protection, because it is published or simulated; for private records use "
            "'mehler synth'",
            kind.name));
  }
}

/// The public records, with a line on the terminal while they are read.
PublicRecords read_public_records(const ReferenceFlags& flags, const Encoder& encoder,
                                  std::size_t threads) {
  const TableReader reader = flags.table.open(threads, &encoder.schema());
  StatusLine line(flags.quiet);
  line.show("reading");
  const Context context{threads, nullptr, &interrupted};
  return PublicRecords(read_records(encoder, reader.parts(), context), DeclaredPublic{});
}

std::unique_ptr<const RecordSampler> train(const ReferenceFlags& flags, const ReferenceKind& kind,
                                           const Encoder& encoder, const PublicRecords& records,
                                           const ReferenceRequest& request, std::size_t threads) {
  ProgressLine line("training", flags.quiet);
  return kind.train(encoder, records, request, Context{threads, line.callback(), &interrupted});
}

void run_reference(const ReferenceFlags& flags, const ReferenceKind& kind,
                   const CLI::App& command) {
  require_declared_public(flags, kind);
  const std::size_t threads = threads_or_all(flags.threads);
  const ReferenceRequest request{flags.options.values(command, kind.options),
                                 parse_seed(flags.seed)};
  SampleOptions sample;
  sample.seed = request.seed;
  if (!flags.rows.empty()) {
    sample.rows = parse_count(flags.rows, "--rows", 1, UINT64_MAX);
  }
  const Schema schema = Schema::from_file(flags.schema).without_privacy_unit();
  schema.require_declared();
  const Encoder encoder(schema);
  kind.check(encoder, request.options);
  // Files are opened before records are read: a place that cannot be written is found now.
  std::vector<std::string> inputs = flags.table.paths();
  inputs.push_back(flags.schema);
  require_other_file(flags.output, inputs);
  SampleGrid grid(flags.grid, schema, inputs, {flags.output});
  TableWriter file(flags.output, schema);
  const PublicRecords records = read_public_records(flags, encoder, threads);
  sample.rows = flags.rows.empty() ? records.records().rows : sample.rows;
  MadeIdentifiers(schema, sample.rows, sample.seed);  // refuses more rows than patterns have
  fmt::print("Nothing is protected: {} learns from the records as they are.\n", kind.name);
  std::fflush(stdout);
  const std::unique_ptr<const RecordSampler> sampler =
      train(flags, kind, encoder, records, request, threads);
  sample_to_file(*sampler, sample, file, threads, flags.quiet);
  const std::string grid_words = grid.draw(*sampler, sample, threads);
  if (!flags.quiet) {
    fmt::print("Wrote {} with {} synthetic records, trained on {}.\n{}", flags.output,
               group_digits(sample.rows), group_digits(records.records().rows), grid_words);
  }
  fmt::print("Nothing is protected: no guarantee covers {}. For private records: mehler synth.\n",
             flags.output);
}

void add_kind(CLI::App& reference, const ReferenceKind& kind) {
  CLI::App* command = reference.add_subcommand(kind.name, "Without privacy: " + kind.summary);
  auto flags = std::make_shared<ReferenceFlags>();
  flags->table.add_to(*command, true);
  command->add_option("--schema", flags->schema, "The table's schema")
      ->required()
      ->type_name("FILE");
  command->add_flag("--declared-public", flags->is_public,
                    "The table needs no protection, because it is published or simulated: its "
                    "records may be learnt from as they are. Without it nothing is read");
  command
      ->add_option("--rows", flags->rows, "Synthetic records; by default as many as the table has")
      ->type_name("N");
  command->add_option("--seed", flags->seed, "Of training and sampling; default 1")->type_name("S");
  command
      ->add_option("--threads", flags->threads,
                   "Worker threads; by default all cores. Never changes the records")
      ->type_name("T");
  command->add_flag("--quiet", flags->quiet,
                    "No progress and no summary; that nothing is protected is said all the same");
  command
      ->add_option("-o,--output", flags->output,
                   "Where to write the records: .csv, .tsv, .parquet or .arrow; of images also "
                   ".npz, .npy, -ubyte or -ubyte.gz, or / at the end for a folder of PNG files")
      ->required()
      ->type_name("FILE");
  add_grid_option(*command, flags->grid);
  for (const Option& option : kind.options) {
    flags->options.add(*command, {option},
                       option.group.empty() ? "Options" : "Options: " + option.group);
  }
  add_options_file(*command);
  command->callback([flags, &kind, command] { run_reference(*flags, kind, *command); });
}

void add_list(CLI::App& reference) {
  CLI::App* command = reference.add_subcommand("list", "List the systems without privacy");
  auto is_json = std::make_shared<bool>(false);
  command->add_flag("--json", *is_json, "As JSON, for programs");
  command->callback([is_json] {
    Json list = Json::array();
    std::string text;
    for (const ReferenceKind& kind : reference_kinds()) {
      list.push_back({{"name", kind.name}, {"summary", kind.summary}});
      text += fmt::format("{}\n{}", kind.name, wrap(kind.summary, 2));
    }
    fmt::print("{}", *is_json ? list.dump(2) + "\n"
                              : text + "\nThe options of one: mehler reference NAME --help\n");
  });
}

}  // namespace

void add_reference_command(CLI::App& program) {
  CLI::App* reference = program.add_subcommand(
      "reference",
      "Without privacy, on tables that are declared public: the systems that private ones are "
      "compared with. Writes synthetic records; no release, no model, no guarantee");
  reference->require_subcommand(1);
  for (const ReferenceKind& kind : reference_kinds()) {
    add_kind(*reference, kind);
  }
  add_list(*reference);
}

}  // namespace mehler
