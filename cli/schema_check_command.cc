#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mehler/core/error.h"
#include "mehler/encoding/table_check.h"
#include "mehler/table/assumed_domains.h"
#include "mehler/table/draft_hints.h"
#include "schema_commands.h"
#include "table_options.h"
#include "terminal.h"

namespace mehler {
namespace {

constexpr const char* kFoundInRecords =
    "Found in the records, without noise. No privacy guarantee covers it: for their owner only.";

struct CheckOptions {
  std::string schema;
  TableOptions table;
};

/// "Some records have a combination ... rule 2 of "never"", or nothing.
std::string broken_rule_words(const std::vector<std::size_t>& rules) {
  return rules.empty()
             ? ""
             : wrap(
                   fmt::format("Some records have a combination that the schema says never occurs: "
                               "rule {} of \"never\". They are used as they are; synthetic records "
                               "will not have it.",
                               fmt::join(rules, ", ")),
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

/// The reader of a CSV stops at the first column that is not of its declared kind: its words are
/// the first refusal, and the table is read again without the column.
TableCheck check_all(const Schema& schema, const TableOptions& table) {
  std::vector<std::string> misfits;
  std::optional<Schema> rest = schema;
  TableCheck check;
  const Context context{1, nullptr, &interrupted};
  while (rest) {
    const auto misfit = std::make_shared<std::string>();
    const TableReader reader =
        table.open_noting_misfit(Context::available_threads(), with_assumed_domains(*rest), misfit);
    try {
      check = check_table(*rest, reader.parts(), context);
      break;
    } catch (const Error& error) {
      if (misfit->empty() || !reader.can_be_read_again()) {
        throw;
      }
      misfits.emplace_back(error.what());
      rest = without_column(rest->without_rules(), *misfit);
    }
  }
  check.refusals.insert(check.refusals.begin(), misfits.begin(), misfits.end());
  return check;
}

std::vector<std::string> quoted(std::vector<std::string> names) {
  for (std::string& name : names) {
    name = "'" + name + "'";
  }
  return names;
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
    fmt::print("{} is complete: {}, {} of them used{}{}, relation {}.\n", options.schema,
               counted(schema.columns().size(), "column"), used, computed_words,
               schema.target() ? fmt::format(", target '{}'", *schema.target()) : "",
               relation_name(schema.relation()));
    print_hints(schema);
    return;
  }
  const TableCheck check = check_all(schema, options.table);
  require_fit(check);
  fmt::print("The table fits {}: {}, {} of them used{}.\n", options.schema,
             counted(schema.columns().size(), "column"), used, computed_words);
  fmt::print("{}\n", kFoundInRecords);
  if (!check.clamped.empty()) {
    fmt::print("Values outside the bounds will be moved to the nearest bound: {}.\n",
               fmt::join(quoted(check.clamped), ", "));
  }
  if (!check.grouped.empty()) {
    fmt::print("Values that are not listed will go to the category named in \"other\": {}.\n",
               fmt::join(quoted(check.grouped), ", "));
  }
  fmt::print("{}", broken_rule_words(check.broken_rules));
  print_hints(schema);
}

}  // namespace

void add_schema_check_command(CLI::App& schema) {
  CLI::App* command = schema.add_subcommand(
      "check",
      "Check that a schema is complete, and that a table fits it; names columns, never values");
  auto options = std::make_shared<CheckOptions>();
  command->add_option("SCHEMA", options->schema, "The schema file")->required()->type_name("");
  options->table.add_to(*command, false);
  command->callback([options] { run_check(*options); });
}

}  // namespace mehler
