#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include "commands.h"
#include "mehler/core/atomic_file.h"
#include "mehler/core/error.h"
#include "mehler/encoding/encoder.h"
#include "mehler/table/readers/dialect_sniffer.h"
#include "mehler/table/schema_draft.h"
#include "table_options.h"
#include "terminal.h"

namespace mehler {
namespace {

struct InitOptions {
  TableOptions table;
  bool is_public = false;
  bool force = false;
  bool names_are_sure = false;
  std::string target;
  std::string output;
};

/// What the draft was made from, and what is to be done with it.
std::string closing_words(const SchemaDraft& draft) {
  const std::string declare =
      "Write the bounds and categories that are marked \"undeclared\" from public knowledge, then "
      "run 'mehler schema check'.";
  switch (draft.schema.provenance()) {
    case SchemaProvenance::kReadFromPublicData:
      return "Bounds and categories were read from the table, because --public says that it needs "
             "no protection. The schema says so, and so will every release made with it.";
    case SchemaProvenance::kKindsGuessed:
      return "Names and kinds only. A CSV or a workbook has no types: kinds were guessed from its "
             "first rows, so they can tell something of the records. Check each kind by what "
             "the column is; then "
             "remove the line \"provenance\", which every release would repeat. " +
             declare;
    case SchemaProvenance::kDeclared:
      break;
  }
  return "Names and types only; no record was read. " + declare;
}

void run_init(const InitOptions& options) {
  const bool to_file = !options.output.empty() && options.output != "-";
  if (to_file && !options.force && std::filesystem::exists(options.output)) {
    throw Error(
        ErrorCode::kFile,
        fmt::format(
            "'{}' exists, and a schema may hold work of yours; choose another name, or add --force "
            "to overwrite it",
            options.output));
  }
  std::unique_ptr<AtomicFile> file;
  if (to_file) {
    file = std::make_unique<AtomicFile>(options.output);
  }
  const std::optional<std::string> target =
      options.target.empty() ? std::nullopt : std::optional(options.target);
  const std::size_t threads = Context::available_threads();
  const bool doubts_names =
      !options.is_public && !options.names_are_sure && !options.table.has_no_header();
  TableReadOptions read_options = options.table.parse(threads);
  read_options.doubt_header = doubts_names;
  const std::optional<SniffedDialect> sniffed = sniff_dialect(options.table.paths(), read_options);
  const TableReader reader(options.table.paths(),
                           sniffed ? sniffed->reading(read_options) : read_options);
  const std::vector<RecordStreamFactory> parts = reader.parts();
  const Context context{1, nullptr, &interrupted};
  std::optional<SchemaDraft> draft;
  if (options.is_public) {
    PublicSchemaReader contents(target);
    for (const RecordStreamFactory& part : parts) {
      contents.read(part(), context);
    }
    draft = contents.finish();
  } else {
    draft = draft_schema(parts.front()().schema(), target,
                         reader.may_be_csv() ? TypesFrom::kRecords : TypesFrom::kFile);
    if (doubts_names && reader.may_be_csv()) {
      draft->notes.emplace_back(
          "the first line was taken for the names of the columns, which a release publishes; if it "
          "is a record, add --no-header");
    }
  }
  if (sniffed) {
    draft->schema =
        draft->schema.in_dialect(sniffed->dialect_of_schema(), sniffed->spellings(draft->schema));
    draft->notes.insert(draft->notes.begin(), sniffed->notes.begin(), sniffed->notes.end());
  }
  const std::string text = draft->schema.to_json();
  if (!to_file) {
    fmt::print("{}", text);
  } else {
    file->write(text);
    file->commit();
    fmt::print("Wrote {} with {} columns.\n", options.output, draft->schema.columns().size());
  }
  std::fflush(stdout);  // what follows goes to standard error and belongs below
  for (const std::string& note : draft->notes) {
    fmt::print(stderr, "note: {}\n", with_flags(note));
  }
  fmt::print(stderr, "{}", wrap(closing_words(*draft), 0));
}

constexpr const char* kFoundInRecords =
    "Found in the records, without noise. No privacy guarantee covers it: for their owner only.";

struct CheckOptions {
  std::string schema;
  TableOptions table;
};

/// Reads a whole table through the encoder and collects what is found, per used column.
std::vector<Finding> examine(const Encoder& encoder, const TableReader& reader) {
  std::vector<Finding> found(encoder.columns().size(), Finding::kNone);
  const Context context{1, nullptr, &interrupted};
  EncodedBatch encoded;
  bool any_rows = false;
  for (const RecordStreamFactory& part : reader.parts()) {
    RecordStream stream = part();
    const EncoderBinding binding = encoder.bind(stream.schema());
    RecordBatch batch;
    while (stream.next(batch)) {
      context.throw_if_cancelled();
      any_rows |= batch.rows() > 0;
      const std::vector<Finding> findings =
          encoder.encode_and_report(binding, stream.schema(), batch.value(), encoded);
      for (std::size_t i = 0; i < found.size(); ++i) {
        found[i] |= findings[i];
      }
    }
  }
  if (!any_rows) {
    throw Error(ErrorCode::kInvalidTable,
                "the table has a header but no rows; give a table with at least one record");
  }
  return found;
}

std::string guessed_kinds_hint(const Schema& schema) {
  return schema.provenance() == SchemaProvenance::kKindsGuessed
             ? wrap(
                   "Its kinds were guessed from the table, and every release will say so. Once "
                   "they "
                   "have been checked by what the columns are, remove the line \"provenance\".",
                   0)
             : "";
}

void run_check(const CheckOptions& options) {
  const Schema schema = Schema::from_file(options.schema);
  schema.require_declared();
  std::size_t used = 0;
  for (const Column& column : schema.columns()) {
    used += column.is_used() ? 1 : 0;
  }
  if (!options.table.given()) {
    fmt::print("{} is complete: {} columns, {} of them used{}, relation {}.\n", options.schema,
               schema.columns().size(), used,
               schema.target() ? fmt::format(", target '{}'", *schema.target()) : "",
               relation_name(schema.relation()));
    fmt::print("{}{}", guessed_kinds_hint(schema), privacy_unit_hint(schema));
    return;
  }
  const Encoder encoder(schema);
  const TableReader reader = options.table.open(Context::available_threads(), &schema);
  const std::vector<Finding> found = examine(encoder, reader);
  std::vector<std::string> refusals;
  std::vector<std::string> clamped;
  std::vector<std::string> grouped;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Column& column = encoder.columns()[i];
    const Finding refused = refused_findings(column, found[i]);
    if (refused != Finding::kNone) {
      refusals.push_back(describe_refusal(column, refused));
    } else if (contains(found[i], Finding::kOutOfRange)) {
      clamped.push_back("'" + column.name + "'");
    } else if (contains(found[i], Finding::kUnknownCategory)) {
      grouped.push_back("'" + column.name + "'");
    }
  }
  if (!refusals.empty()) {
    throw Error(ErrorCode::kInvalidTable, fmt::format("the table does not fit its schema: {}",
                                                      fmt::join(refusals, ". Also, ")));
  }
  fmt::print("The table fits {}: {} columns, {} of them used.\n", options.schema,
             schema.columns().size(), used);
  fmt::print("{}\n", kFoundInRecords);
  if (!clamped.empty()) {
    fmt::print("Values outside the bounds will be moved to the nearest bound: {}.\n",
               fmt::join(clamped, ", "));
  }
  if (!grouped.empty()) {
    fmt::print("Values that are not listed will go to the category named in \"other\": {}.\n",
               fmt::join(grouped, ", "));
  }
  fmt::print("{}{}", guessed_kinds_hint(schema), privacy_unit_hint(schema));
}

}  // namespace

void add_schema_command(CLI::App& program) {
  CLI::App* schema =
      program.add_subcommand("schema", "Draft and check the public description of a table");
  schema->require_subcommand(1);

  CLI::App* init = schema->add_subcommand(
      "init",
      "Draft a schema from a table's column names and types; those of a CSV are guessed from its "
      "first rows");
  auto init_options = std::make_shared<InitOptions>();
  init_options->table.add_to(*init, true);
  init->add_flag(
      "--public", init_options->is_public,
      "The table needs no protection: read bounds and categories from it, and stamp the schema so");
  init->add_option("--target", init_options->target, "The column that a model would predict")
      ->type_name("COLUMN");
  init->add_option("-o,--output", init_options->output,
                   "Where to write the schema; by default the screen")
      ->type_name("FILE");
  init->add_flag("--header", init_options->names_are_sure,
                 "The first line holds the column names, although some look like numbers or dates");
  init->add_flag("--force", init_options->force, "Overwrite the schema if it exists");
  init->callback([init_options] { run_init(*init_options); });

  CLI::App* check = schema->add_subcommand(
      "check",
      "Check that a schema is complete, and that a table fits it; names columns, never values");
  auto check_options = std::make_shared<CheckOptions>();
  check->add_option("SCHEMA", check_options->schema, "The schema file")->required()->type_name("");
  check_options->table.add_to(*check, false);
  check->callback([check_options] { run_check(*check_options); });
}

}  // namespace mehler
