#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "commands.h"
#include "mehler/core/atomic_file.h"
#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/encoding/encoder.h"
#include "mehler/encoding/never_rules.h"
#include "mehler/table/assumed_domains.h"
#include "mehler/table/draft_hints.h"
#include "mehler/table/readers/dialect_sniffer.h"
#include "mehler/table/schema_draft.h"
#include "schema_file_commands.h"
#include "table_options.h"
#include "terminal.h"

namespace mehler {
namespace {

struct InitOptions {
  TableOptions table;
  bool is_public = false;
  bool buy = false;
  bool force = false;
  bool names_are_sure = false;
  std::string target;
  std::string output;
};

/// What the draft was made from, and what is to be done with it.
std::string closing_words(const SchemaDraft& draft) {
  const std::string declare =
      draft.schema.is_to_be_bought()
          ? "Bounds and categories that are marked \"buy\" will be found with a part of the "
            "privacy "
            "budget; what you know of them, write in their place: it costs nothing and is better. "
            "Then run 'mehler schema check'."
          : "Write the bounds and categories that are marked \"undeclared\" from public knowledge, "
            "then run 'mehler schema check'.";
  switch (draft.schema.provenance()) {
    case SchemaProvenance::kReadFromPublicData:
      return "Bounds and categories were read from the table, because --public says that it needs "
             "no protection. The schema says so, and so will every release made with it.";
    case SchemaProvenance::kKindsGuessed:
      return "Names and kinds only. Columns of a CSV or a workbook have no types: kinds were "
             "guessed from the first rows (keys of folders: from their names), so they can tell "
             "something of the records. Check each kind by what the column is; then say so with "
             "'mehler schema confirm', else every release repeats the doubt. " +
             declare;
    case SchemaProvenance::kDeclared:
      break;
  }
  return "Names and types only; no record was read. " + declare;
}

/// The draft with everything that is undeclared to be bought.
Schema to_be_bought(const Schema& draft) {
  std::vector<Column> columns = draft.columns();
  for (Column& column : columns) {
    column.bought = column.is_undeclared() && column.kind != ColumnKind::kOrdinal;
  }
  return draft.with_columns(std::move(columns));
}

/// Throws mehler::Error if a part of the table has other columns than the first one.
///
/// Privacy: the first line of a CSV may be a record, so the names of other parts are not quoted.
void require_like_parts(const TableReader& reader, const std::vector<std::string>& names) {
  const std::vector<RecordStreamFactory> parts = reader.parts();
  const std::set<std::string> expected(names.begin(), names.end());
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::vector<std::string> found = parts[i]().column_names();
    std::vector<std::string> lacking;
    for (const std::string& name : names) {
      if (std::find(found.begin(), found.end(), name) == found.end()) {
        lacking.push_back(name);
      }
    }
    const auto others = static_cast<std::size_t>(
        std::count_if(found.begin(), found.end(),
                      [&](const std::string& name) { return !expected.contains(name); }));
    if (!lacking.empty() || others > 0) {
      throw Error(
          ErrorCode::kInvalidTable,
          fmt::format(
              "the part '{}' does not have the columns of '{}': it {}{}{}; make the parts alike, "
              "or draft from one of them and write \"others\": \"ignored\" for what it lacks",
              reader.files()[i].path, reader.files()[0].path,
              lacking.empty() ? std::string() : "lacks " + quoted_columns(lacking),
              !lacking.empty() && others > 0 ? " and " : "",
              others > 0 ? fmt::format("has {} other{}", others, others == 1 ? "" : "s") : ""));
    }
  }
}

/// How a table is read without a schema.
struct Reading {
  std::vector<std::string> paths;
  TableReadOptions options;

  /// With some columns of a CSV as the texts that stand there.
  TableReader with_texts(const std::vector<std::string>& names) const {
    TableReadOptions with = options;
    with.text_columns = names;
    std::erase_if(with.recognised, [&](const RecognisedColumn& column) {
      return std::find(names.begin(), names.end(), column.name) != names.end();
    });
    return TableReader(paths, with);
  }
};

/// What the texts of a CSV's first rows say; nothing of a pipe, which is read once, and of tables
/// that have types. Columns whose form was recognised are known already.
std::map<std::string, TextHints> text_hints(const Reading& reading, const TableReader& reader,
                                            const std::vector<std::string>& names) {
  if (!reader.may_be_csv() || !reader.can_be_read_again()) {
    return {};
  }
  auto hints = read_text_hints(reading.with_texts(names).parts().front()());
  for (const RecognisedColumn& column : reading.options.recognised) {
    hints.erase(column.name);
  }
  return hints;
}

/// The draft of a table that needs no protection. Codes with leading zeros are read as texts.
SchemaDraft draft_of_public(const Reading& reading, const TableReader& reader,
                            const std::optional<std::string>& target) {
  std::vector<RecordStreamFactory> parts = reader.parts();
  std::map<std::string, TextHints> hints;
  if (reader.can_be_read_again()) {
    const std::vector<std::string> names = parts.front()().column_names();
    require_like_parts(reader, names);
    hints = text_hints(reading, reader, names);
    std::vector<std::string> texts;
    for (const auto& [name, found] : hints) {
      if (found.has_leading_zeros) {
        texts.push_back(name);
      }
    }
    parts = reading.with_texts(texts).parts();
  }
  const Context context{1, nullptr, &interrupted};
  PublicSchemaReader contents(target);
  for (const RecordStreamFactory& part : parts) {
    contents.read(part(), context);
  }
  SchemaDraft draft = contents.finish();
  apply_text_hints(hints, draft);
  for (std::string& note : notes_on_values(draft.schema)) {
    draft.notes.push_back(std::move(note));
  }
  return draft;
}

/// The draft of a table from its names and types, and from how the first rows of a CSV are written.
SchemaDraft draft_of_private(const Reading& reading, const TableReader& reader,
                             const std::optional<std::string>& target) {
  const RecordStream first = reader.parts().front()();
  require_like_parts(reader, first.column_names());
  std::vector<std::string> keys;
  for (const PartitionKey& key : reader.files().front().keys) {
    keys.push_back(key.name);
  }
  SchemaDraft draft =
      draft_schema(first.schema(), target,
                   reader.may_be_csv() || !keys.empty() ? TypesFrom::kRecords : TypesFrom::kFile);
  if (!keys.empty()) {
    draft.notes.push_back(fmt::format(
        "kinds of {} were guessed from the names of folders, which hold values of records",
        quoted_columns(keys)));
  }
  if (reader.may_be_csv() && !reader.can_be_read_again()) {
    draft.notes.emplace_back(
        "the table comes through a pipe, so leading zeros, columns of 0 and 1, and spellings of "
        "missing values were not looked for; they are if you give the name of a file");
  }
  apply_text_hints(text_hints(reading, reader, first.column_names()), draft);
  return draft;
}

void run_init(const InitOptions& options) {
  if (options.buy && options.is_public) {
    throw Error(ErrorCode::kInvalidArgument,
                "--public reads bounds and categories from the table, and --buy leaves them to be "
                "bought; give one of the two");
  }
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
  const Reading reading{options.table.paths(),
                        sniffed ? sniffed->reading(read_options) : read_options};
  const TableReader reader(reading.paths, reading.options);
  SchemaDraft draft = options.is_public ? draft_of_public(reading, reader, target)
                                        : draft_of_private(reading, reader, target);
  if (doubts_names && reader.may_be_csv()) {
    draft.notes.emplace_back(
        "the first line was taken for the names of the columns, which a release publishes; if it "
        "is a record, add --no-header");
  }
  if (sniffed) {
    draft.schema =
        draft.schema.in_dialect(sniffed->dialect_of_schema(), sniffed->spellings(draft.schema));
    draft.notes.insert(draft.notes.begin(), sniffed->notes.begin(), sniffed->notes.end());
  }
  if (options.buy) {
    draft.schema = to_be_bought(draft.schema);
  }
  const std::string text = draft.schema.to_json();
  if (!to_file) {
    fmt::print("{}", text);
  } else {
    file->write(text);
    file->commit();
    fmt::print("Wrote {} with {} columns.\n", options.output, draft.schema.columns().size());
  }
  std::fflush(stdout);  // what follows goes to standard error and belongs below
  for (const std::string& note : draft.notes) {
    fmt::print(stderr, "note: {}\n", with_flags(note));
  }
  fmt::print(stderr, "{}{}", wrap(closing_words(draft), 0), privacy_unit_hint(draft.schema));
}

constexpr const char* kFoundInRecords =
    "Found in the records, without noise. No privacy guarantee covers it: for their owner only.";

struct CheckOptions {
  std::string schema;
  TableOptions table;
};

bool any_refused(const Encoder& encoder, const std::vector<Finding>& found) {
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (refused_findings(encoder.columns()[i], found[i]) != Finding::kNone) {
      return true;
    }
  }
  return false;
}

/// What is found in a table: per modelled column, and per rule of "never" whether a record breaks
/// it.
struct Examined {
  std::vector<Finding> columns;
  std::vector<bool> broken_rules;
};

/// Reads a whole table through the encoder.
Examined examine(const Encoder& encoder, const TableReader& reader) {
  const NeverRules never(encoder.schema());
  Examined examined;
  std::vector<Finding>& found = examined.columns;
  found.resize(encoder.columns().size(), Finding::kNone);
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
      if (!never.empty() && !any_refused(encoder, found)) {
        never.find_broken(encoder.decode(encoded), examined.broken_rules);
      }
    }
  }
  if (!any_rows) {
    throw Error(ErrorCode::kInvalidTable,
                "the table has a header but no rows; give a table with at least one record");
  }
  return examined;
}

/// "Some records have the combination of rule 2 of "never" ...", or nothing.
std::string broken_rule_words(const std::vector<bool>& broken) {
  std::vector<std::string> numbers;
  for (std::size_t i = 0; i < broken.size(); ++i) {
    if (broken[i]) {
      numbers.push_back(fmt::format("{}", i + 1));
    }
  }
  return numbers.empty()
             ? ""
             : wrap(
                   fmt::format("Some records have a combination that the schema says never occurs: "
                               "rule {} of \"never\". They are used as they are; synthetic records "
                               "will not have it.",
                               fmt::join(numbers, ", ")),
                   0);
}

/// A schema that does not read a column; nothing if no other is used.
std::optional<Schema> without_column(const Schema& schema, const std::string& name) {
  std::vector<Column> columns = schema.columns();
  bool any_used = false;
  for (Column& column : columns) {
    if (column.name == name) {
      column.kind = ColumnKind::kIgnored;
    }
    any_used |= column.is_used();
  }
  if (!any_used) {
    return std::nullopt;
  }
  return schema.with_columns(std::move(columns));
}

/// What is found in a column, and the words of a refusal if it is refused.
struct ExaminedColumn {
  Column column;
  Finding finding = Finding::kNone;
  std::string refusal = {};
  bool is_bought = false;  ///< whether its bounds or categories are still to be bought
};

struct ExaminedTable {
  std::vector<ExaminedColumn> columns;
  std::vector<bool> broken_rules;
};

ExaminedTable words_of(const Examined& examined, const Encoder& encoder, const Schema& schema) {
  ExaminedTable result{{}, examined.broken_rules};
  for (std::size_t i = 0; i < examined.columns.size(); ++i) {
    const Column& column = encoder.columns()[i];
    const Column& source = encoder.schema().columns()[encoder.modelled()[i].source];
    const Finding refused = refused_findings(column, examined.columns[i]);
    result.columns.push_back(
        {column, examined.columns[i],
         refused == Finding::kNone ? std::string() : encoder.describe_refusal(i, refused),
         schema.find(source.name)->is_to_be_bought()});
  }
  return result;
}

/// What is found in a table, per used column. The reader of a CSV stops at the first column that is
/// not of its declared kind: its words go to `refusals`, and the table is read again without it.
ExaminedTable examine_all(const Schema& schema, const TableOptions& table,
                          std::vector<std::string>& refusals) {
  std::optional<Schema> rest = with_assumed_domains(schema);
  while (rest) {
    const auto misfit = std::make_shared<std::string>();
    const TableReader reader =
        table.open_noting_misfit(Context::available_threads(), *rest, misfit);
    try {
      const Encoder encoder(*rest);
      return words_of(examine(encoder, reader), encoder, schema);
    } catch (const Error& error) {
      if (misfit->empty() || !reader.can_be_read_again()) {
        throw;
      }
      refusals.emplace_back(error.what());
      rest = without_column(rest->without_rules(), *misfit);
    }
  }
  return {};
}

std::string guessed_kinds_hint(const Schema& schema) {
  return schema.provenance() == SchemaProvenance::kKindsGuessed
             ? wrap(
                   "Its kinds were guessed from the table, and every release will say so. Once "
                   "they have been checked by what the columns are, run 'mehler schema confirm'.",
                   0)
             : "";
}

/// "bounds of 3 columns and categories of 1 will be bought"; empty if nothing will.
std::string bought_hint(const Schema& schema) {
  std::vector<std::string> names;
  for (const Column& column : schema.columns()) {
    if (column.is_to_be_bought()) {
      names.push_back("'" + column.name + "'");
    }
  }
  return names.empty() ? ""
                       : wrap(fmt::format("To be bought with a part of the privacy budget: the "
                                          "bounds or categories of {}.",
                                          fmt::join(names, ", ")),
                              0);
}

void print_hints(const Schema& schema) {
  for (const std::string& note : notes_on_values(schema)) {
    fmt::print("{}", wrap("Note: " + note + ".", 0));
  }
  fmt::print("{}{}{}", bought_hint(schema), guessed_kinds_hint(schema), privacy_unit_hint(schema));
}

void run_check(const CheckOptions& options) {
  const Schema schema = Schema::from_file(options.schema);
  schema.require_declared_or_bought();
  std::size_t used = 0;
  std::size_t computed = 0;
  for (const Column& column : schema.columns()) {
    used += column.is_used() ? 1 : 0;
    computed += column.is_computed() ? 1 : 0;
  }
  const std::string computed_words =
      computed > 0 ? fmt::format(", {} computed from others", computed) : "";
  if (!options.table.given()) {
    fmt::print("{} is complete: {} columns, {} of them used{}{}, relation {}.\n", options.schema,
               schema.columns().size(), used, computed_words,
               schema.target() ? fmt::format(", target '{}'", *schema.target()) : "",
               relation_name(schema.relation()));
    print_hints(schema);
    return;
  }
  std::vector<std::string> refusals;
  std::vector<std::string> clamped;
  std::vector<std::string> grouped;
  const ExaminedTable examined = examine_all(schema, options.table, refusals);
  for (const auto& [column, finding, refusal, is_bought] : examined.columns) {
    if (!refusal.empty()) {
      refusals.push_back(refusal);
    } else if (is_bought) {
      continue;
    } else if (contains(finding, Finding::kOutOfRange)) {
      clamped.push_back("'" + column.name + "'");
    } else if (contains(finding, Finding::kUnknownCategory)) {
      grouped.push_back("'" + column.name + "'");
    }
  }
  if (!refusals.empty()) {
    throw Error(ErrorCode::kInvalidTable, fmt::format("the table does not fit its schema: {}",
                                                      fmt::join(refusals, ". Also, ")));
  }
  fmt::print("The table fits {}: {} columns, {} of them used{}.\n", options.schema,
             schema.columns().size(), used, computed_words);
  fmt::print("{}\n", kFoundInRecords);
  if (!clamped.empty()) {
    fmt::print("Values outside the bounds will be moved to the nearest bound: {}.\n",
               fmt::join(clamped, ", "));
  }
  if (!grouped.empty()) {
    fmt::print("Values that are not listed will go to the category named in \"other\": {}.\n",
               fmt::join(grouped, ", "));
  }
  fmt::print("{}", broken_rule_words(examined.broken_rules));
  print_hints(schema);
}

}  // namespace

void add_schema_command(CLI::App& program) {
  CLI::App* schema = program.add_subcommand(
      "schema", "Draft, check and convert the public description of a table");
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
  init->add_flag("--buy", init_options->buy,
                 "Leave bounds and categories to be bought with a part of the privacy budget, "
                 "instead of undeclared");
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

  add_schema_file_commands(*schema);
}

}  // namespace mehler
