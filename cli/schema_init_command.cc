#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "mehler/core/atomic_file.h"
#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/table/draft_hints.h"
#include "mehler/table/readers/dialect_sniffer.h"
#include "mehler/table/schema_draft.h"
#include "schema_commands.h"
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
            "privacy budget; what you know of them, write in their place: it costs nothing and is "
            "better. Then run 'mehler schema check'."
          : "Write the bounds and categories that are marked \"undeclared\" from public knowledge, "
            "then run 'mehler schema check'.";
  switch (draft.schema.provenance()) {
    case SchemaProvenance::kReadFromPublicData:
      return "Bounds and categories were read from the table, because --public says that it needs "
             "no protection. The schema says so, and so will every release made with it.";
    case SchemaProvenance::kKindsGuessed:
      return "Names and kinds only. Columns of a CSV or a workbook have no types: kinds were "
             "guessed from the first rows (keys of folders: from their names; the shape of images "
             "in files of their own: from the first), so they can tell something of the records. "
             "Check each kind by what the column is; then say so with "
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
  SchemaDraft draft = draft_schema(
      first.schema(), target,
      reader.has_guessed_types() || !keys.empty() ? TypesFrom::kRecords : TypesFrom::kFile);
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
    say(fmt::format("note: {}\n", with_flags(note)));
  }
  say(wrap(closing_words(draft), 0) + privacy_unit_hint(draft.schema));
}

}  // namespace

void add_schema_init_command(CLI::App& schema) {
  CLI::App* command = schema.add_subcommand(
      "init",
      "Draft a schema from a table's column names and types; those of a CSV are guessed from its "
      "first rows");
  auto options = std::make_shared<InitOptions>();
  options->table.add_to(*command, true);
  command->add_flag(
      "--public", options->is_public,
      "The table needs no protection: read bounds and categories from it, and stamp the schema so");
  command->add_flag("--buy", options->buy,
                    "Leave bounds and categories to be bought with a part of the privacy budget, "
                    "instead of undeclared");
  command->add_option("--target", options->target, "The column that a model would predict")
      ->type_name("COLUMN");
  command
      ->add_option("-o,--output", options->output,
                   "Where to write the schema; by default the screen")
      ->type_name("FILE");
  command->add_flag(
      "--header", options->names_are_sure,
      "The first line holds the column names, although some look like numbers or dates");
  command->add_flag("--force", options->force, "Overwrite the schema if it exists");
  command->callback([options] { run_init(*options); });
}

}  // namespace mehler
