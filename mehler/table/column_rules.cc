// What follows from the rules of columns: columns that they add, an order, ranges, expressions.

#include "mehler/table/column_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/table/column_checks.h"
#include "mehler/table/modelled_columns.h"

namespace mehler {
namespace {

/// Follows what columns follow from; complains about a circle.
void visit(const Schema& schema, std::size_t place, std::vector<int>& state,
           std::vector<std::string>& path, std::vector<std::size_t>& order) {
  const Column& column = schema.columns()[place];
  if (state[place] == 2) {
    return;
  }
  path.push_back("'" + shown(column.name) + "'");
  if (state[place] == 1) {
    refuse_column(column, fmt::format("follows from itself: {}; break the circle",
                                      fmt::join(path, " from ")));
  }
  state[place] = 1;
  for (const std::string& name : columns_before(column)) {
    const Column* other = schema.find(name);
    if (other != nullptr) {
      visit(schema, static_cast<std::size_t>(other - schema.columns().data()), state, path, order);
    }
  }
  state[place] = 2;
  path.pop_back();
  if (column.is_used()) {
    order.push_back(place);
  }
}

std::string quoted_name(const std::string& name) { return "`" + name + "`"; }

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

const Column& referred(const Schema& schema, const Column& column, const std::string& name,
                       std::string_view rule) {
  const Column* other = schema.find(name);
  if (other == nullptr) {
    refuse_column(column,
                  fmt::format("has '{}' with the column '{}', which is not among the "
                              "schema's columns{}",
                              rule, shown(name), suggest_names(name, schema.column_names())));
  }
  if (!other->is_used()) {
    refuse_column(column, fmt::format("has '{}' with the column '{}', whose kind is {}; choose one "
                                      "that is synthesised",
                                      rule, shown(name), kind_name(other->kind)));
  }
  return *other;
}

bool is_draft(const Schema& schema, const Column& column) {
  if (column.is_undeclared()) {
    return true;
  }
  const std::vector<std::string> before = columns_before(column);
  return std::any_of(before.begin(), before.end(), [&](const std::string& name) {
    const Column* other = schema.find(name);
    return other != nullptr && is_draft(schema, *other);
  });
}

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

std::vector<std::string> columns_before(const Column& column) {
  std::vector<std::string> names;
  if (column.rules.at_least) {
    names.push_back(column.rules.at_least->column);
  }
  if (column.rules.determined_by) {
    names.push_back(column.rules.determined_by->column);
  }
  if (column.rules.derived) {
    try {
      const std::vector<std::string> more = Expression::names_in(*column.rules.derived);
      names.insert(names.end(), more.begin(), more.end());
    } catch (const Error& error) {
      refuse_column(column, error.what());
    }
  }
  return names;
}

std::vector<std::size_t> order_of_columns(const Schema& schema) {
  std::vector<int> state(schema.columns().size(), 0);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < state.size(); ++i) {
    std::vector<std::string> path;
    visit(schema, i, state, path, order);
  }
  return order;
}

std::optional<Interval> value_range(const Schema& schema, const Column& column) {
  if (column.rules.at_least) {
    const auto from = value_range(schema, *schema.find(column.rules.at_least->column));
    if (!from) {
      return column.bounds;
    }
    const double unit = difference_unit(column);
    const Interval& more = column.rules.at_least->bounds;
    Interval range{from->low + more.low * unit, from->high + more.high * unit};
    if (column.bounds) {
      range = {std::max(range.low, column.bounds->low), std::min(range.high, column.bounds->high)};
    }
    return range;
  }
  if (column.bounds || !column.is_computed() || is_draft(schema, column)) {
    return column.bounds;
  }
  if (column.rules.derived) {
    return expression_of(schema, column).range();
  }
  Interval range{HUGE_VAL, -HUGE_VAL};
  for (const auto& [key, value] : column.rules.determined_by->map) {
    if (const auto number = value ? column.parse_value(*value) : std::nullopt) {
      range = {std::min(range.low, *number), std::max(range.high, *number)};
    }
  }
  return range.low <= range.high ? std::optional(range) : std::nullopt;
}

Expression expression_of(const Schema& schema, const Column& column) {
  const auto resolve = [&](const std::string& name) {
    const Column& other = referred(schema, column, name, "derived");
    if (other.is_category() && other.kind != ColumnKind::kBoolean) {
      refuse_column(column, fmt::format("has an expression with '{}', whose kind is {}; it must be "
                                        "a number, a date, a time or a boolean: \"determined_by\" "
                                        "looks up categories",
                                        shown(name), kind_name(other.kind)));
    }
    ExpressionInput input;
    input.type = other.kind == ColumnKind::kDate       ? ValueType::kDate
                 : other.kind == ColumnKind::kDatetime ? ValueType::kDatetime
                                                       : ValueType::kNumber;
    // What is not declared yet is taken to fit.
    input.range = other.kind == ColumnKind::kBoolean
                      ? Interval{0.0, 1.0}
                      : value_range(schema, other).value_or(Interval{1.0, 2.0});
    input.missing = other.missing;
    return input;
  };
  try {
    return Expression(*column.rules.derived, resolve);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kInvalidArgument) {
      throw;
    }
    refuse_column(column, error.what());
  }
}

}  // namespace mehler
