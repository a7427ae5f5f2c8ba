#include "mehler/table/spelled_out_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/table/column_checks.h"

namespace mehler {
namespace {

/// As expressions write a name.
std::string quoted_name(const std::string& name) {
  const char* quote = name.find('`') == std::string::npos ? "`" : "\"";
  return quote + name + quote;
}

Column part_column(const Column& moment, DatePart part) {
  Column column;
  column.name = fmt::format("{}_{}", moment.name, date_part_name(part));
  column.kind = ColumnKind::kInteger;
  column.step = 1.0;
  column.missing = moment.missing;
  column.rules.derived = fmt::format("{}({})", date_part_name(part), quoted_name(moment.name));
  return column;
}

}  // namespace

void add_part_columns(std::vector<Column>& columns) {
  std::vector<Column> result;
  for (const Column& column : columns) {
    result.push_back(column);
    for (const DatePart part : column.is_used() ? column.rules.parts : std::vector<DatePart>()) {
      const Column added = part_column(column, part);
      const auto same = std::find_if(columns.begin(), columns.end(),
                                     [&](const Column& known) { return known.name == added.name; });
      if (same == columns.end()) {
        result.push_back(added);
      } else if (same->rules.derived != added.rules.derived) {
        refuse_column(column, fmt::format("has the part '{}', which would be a column '{}', but "
                                          "there is one already; rename that, or remove the part",
                                          date_part_name(part), shown(added.name)));
      }
    }
  }
  columns = std::move(result);
}

std::vector<std::string> names_of_fields(const Schema& schema, std::size_t fields) {
  std::vector<std::string> added;
  for (const Column& column : schema.columns()) {
    for (const DatePart part : column.rules.parts) {
      added.push_back(part_column(column, part).name);
    }
  }
  std::vector<std::string> names;
  std::vector<std::string> read;
  for (const Column& column : schema.columns()) {
    if (std::find(added.begin(), added.end(), column.name) == added.end()) {
      names.push_back(column.name);
      if (!column.is_computed()) {
        read.push_back(column.name);
      }
    }
  }
  return names.size() != fields && read.size() == fields ? read : names;
}

void spell_out_rules(std::vector<Column>& columns, const TableRules& rules) {
  add_part_columns(columns);
  for (Column& column : columns) {
    const bool listed =
        column.kind == ColumnKind::kCategorical || column.kind == ColumnKind::kOrdinal;
    if (column.rules.determined_by && listed && !column.categories) {
      std::vector<std::string> categories;
      for (const auto& [key, value] : column.rules.determined_by->map) {
        if (value && std::find(categories.begin(), categories.end(), *value) == categories.end()) {
          categories.push_back(*value);
        }
      }
      column.categories = std::move(categories);
    }
  }
  for (std::size_t i = 0; i < rules.sums.size(); ++i) {
    if (!rules.sums[i].total_column) {
      continue;
    }
    const std::string& name = *rules.sums[i].total_column;
    const auto total = std::find_if(columns.begin(), columns.end(),
                                    [&](const Column& column) { return column.name == name; });
    if (total == columns.end()) {
      std::vector<std::string> names;
      for (const Column& column : columns) {
        names.push_back(column.name);
      }
      throw Error(
          ErrorCode::kInvalidSchema,
          fmt::format("rule {} of the schema's 'sums' has the total '{}', which is not among "
                      "the schema's columns{}",
                      i + 1, shown(name), suggest_names(name, names)));
    }
    std::vector<std::string> terms;
    std::transform(rules.sums[i].parts.begin(), rules.sums[i].parts.end(),
                   std::back_inserter(terms), quoted_name);
    const std::string expression = fmt::format("{}", fmt::join(terms, " + "));
    if (total->is_used() && total->is_computed() && total->rules.derived != expression) {
      refuse_column(*total,
                    "is the total of a sum and has another rule that computes it; keep one");
    }
    total->rules.derived = expression;
  }
}

}  // namespace mehler
