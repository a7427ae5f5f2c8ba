#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mehler/core/error.h"
#include "mehler/encoding/encoder.h"
#include "mehler/encoding/never_rules.h"
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
