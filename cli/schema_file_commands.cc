#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>

#include "mehler/core/atomic_file.h"
#include "mehler/core/error.h"
#include "mehler/table/delimited_text.h"
#include "mehler/table/schema.h"
#include "mehler/table/schema_sheet.h"
#include "schema_commands.h"
#include "terminal.h"

namespace mehler {
namespace {

constexpr std::size_t kMaxSchemaFileBytes = std::size_t{64} << 20;
constexpr std::size_t kLongestSpreadsheetCell = 32'767;  // Excel's

std::size_t longest_cell_of(const std::string& sheet) {
  std::size_t longest = 0;
  for (const DelimitedRow& row :
       parse_delimited(sheet, ',', ErrorCode::kInvalidSchema, "the sheet")) {
    for (const std::string& field : row.fields) {
      longest = std::max(longest, field.size());
    }
  }
  return longest;
}

void run_confirm(const std::string& path) {
  const Schema schema = Schema::from_file(path);
  if (schema.provenance() != SchemaProvenance::kKindsGuessed) {
    fmt::print("{} does not say that its kinds were guessed; there is nothing to confirm.\n", path);
    return;
  }
  AtomicFile file(path);
  file.write(without_guessed_mark(read_whole_file(path, "the schema", kMaxSchemaFileBytes),
                                  fmt::format("the schema '{}'", path)));
  file.commit();
  fmt::print(
      "{}: the kinds of its {} columns are confirmed; releases will no longer call them "
      "guessed.\n",
      path, schema.columns().size());
}

struct ConvertOptions {
  std::string from;
  std::string to;
  bool force = false;
};

bool is_sheet(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending != ".csv" && ending != ".json") {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("'{}' ends neither in .json, as schemas do, nor in .csv, as sheets of "
                            "their columns do; rename it",
                            path));
  }
  return ending == ".csv";
}

void run_convert(const ConvertOptions& options) {
  const bool from_sheet = is_sheet(options.from);
  if (from_sheet == is_sheet(options.to)) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("'{}' and '{}' are of one kind; convert a schema (.json) to a sheet of "
                            "its columns (.csv), or back",
                            options.from, options.to));
  }
  if (!options.force && std::filesystem::exists(options.to)) {
    throw Error(ErrorCode::kFile, fmt::format("'{}' exists, and may hold work of yours; choose "
                                              "another name, or add --force to overwrite it",
                                              options.to));
  }
  const std::string what = fmt::format("the schema '{}'", options.from);
  const std::string text = read_whole_file(options.from, "the schema", kMaxSchemaFileBytes);
  const std::filesystem::path folder = std::filesystem::path(options.from).parent_path();
  const Json json = from_sheet ? schema_of_sheet(text, what)
                               : parse_strict_json(text, ErrorCode::kInvalidSchema, what);
  // A draft may leave things undeclared, but what it says must make sense.
  const Schema schema = Schema::from_json(json.dump(), what, folder);
  const std::string result = from_sheet ? schema_file_text(json) : sheet_of_schema(json);
  AtomicFile file(options.to);
  file.write(result);
  file.commit();
  fmt::print("Wrote {} with {} columns.\n", options.to, schema.columns().size());
  if (!from_sheet && longest_cell_of(result) > kLongestSpreadsheetCell) {
    say(
        fmt::format("note: a cell has more than {} characters, which Excel cuts off; put long "
                    "lists of categories into a code book (\"categories\": {{\"file\": "
                    "\"codes.csv\"}})\n",
                    kLongestSpreadsheetCell));
  }
}

}  // namespace

void add_schema_file_commands(CLI::App& schema) {
  CLI::App* confirm = schema.add_subcommand(
      "confirm",
      "Say that the kinds which were guessed from a CSV have been checked by what the columns are: "
      "takes the mark out of the schema");
  auto path = std::make_shared<std::string>();
  confirm->add_option("SCHEMA", *path, "The schema file")->required()->type_name("");
  confirm->callback([path] { run_confirm(*path); });

  CLI::App* convert = schema.add_subcommand(
      "convert",
      "Turn a schema (.json) into a CSV with one line per column, which Excel opens, or such a CSV "
      "back into a schema");
  auto options = std::make_shared<ConvertOptions>();
  convert->add_option("FROM", options->from, "schema.json, or columns.csv")
      ->required()
      ->type_name("");
  convert->add_option("TO", options->to, "columns.csv, or schema.json")->required()->type_name("");
  convert->add_flag("--force", options->force, "Overwrite TO if it exists");
  convert->callback([options] { run_convert(*options); });
}

}  // namespace mehler
