#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "commands.h"
#include "mehler/core/atomic_file.h"
#include "mehler/core/error.h"
#include "mehler/encoding/encoder.h"
#include "mehler/table/calendar.h"
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

/// A draft without --public promises that no values were read. A table without a header line would
/// break it: its first record would become the names.
void refuse_names_that_look_like_values(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    double number = 0.0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    const bool is_number = error == std::errc() && end == name.data() + name.size();
    if (is_number || parse_datetime(name)) {
      throw Error(
          ErrorCode::kInvalidTable,
          "the table's first line looks like a record, not like column names: it has a number or a "
          "date "
          "among them; add --no-header if it is a record, or --header if these are the names");
    }
  }
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
  const TableReader reader = options.table.open(Context::available_threads(), nullptr);
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
    const RecordStream stream = parts.front()();
    if (!options.table.has_no_header() && !options.names_are_sure) {
      refuse_names_that_look_like_values(stream.column_names());
    }
    draft = draft_schema(stream.schema(), target);
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
    fmt::print(stderr, "note: {}\n", note);
  }
  fmt::print(stderr, "{}",
             wrap(options.is_public
                      ? "Bounds and categories were read from the table, because --public says "
                        "that it needs no "
                        "protection. The schema says so, and so will every release made with it."
                      : "Names and types only; the types of a CSV are guessed from its first rows. "
                        "Write the bounds and categories "
                        "that are marked \"undeclared\" from public knowledge, then run 'mehler "
                        "schema check'.",
                  0));
}

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
    fmt::print("{}", privacy_unit_hint(schema));
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
  if (!clamped.empty()) {
    fmt::print("Values outside the bounds will be moved to the nearest bound: {}.\n",
               fmt::join(clamped, ", "));
  }
  if (!grouped.empty()) {
    fmt::print("Values that are not listed will go to the category named in \"other\": {}.\n",
               fmt::join(grouped, ", "));
  }
  fmt::print("{}", privacy_unit_hint(schema));
}

}  // namespace

void add_schema_command(CLI::App& program) {
  CLI::App* schema =
      program.add_subcommand("schema", "Draft and check the public description of a table");
  schema->require_subcommand(1);

  CLI::App* init = schema->add_subcommand(
      "init", "Draft a schema from a table's column names and types; values are not read");
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
