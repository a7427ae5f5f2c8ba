#include "mehler/table/table_rule_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/table/column_rules.h"

namespace mehler {
namespace {

/// Complains about one rule: "rule 2 of the schema's 'never' ...".
class RuleComplaint {
 public:
  RuleComplaint(const char* list, std::size_t number)
      : what_(fmt::format("rule {} of the schema's '{}'", number, list)) {}

  [[noreturn]] void fail(const std::string& complaint) const {
    throw Error(ErrorCode::kInvalidSchema, what_ + " " + complaint);
  }

  /// A used column of the schema.
  const Column& used_column(const Schema& schema, const std::string& name) const {
    const Column* column = schema.find(name);
    if (column == nullptr) {
      fail(fmt::format("names '{}', which is not among the schema's columns{}", shown(name),
                       suggest_names(name, schema.column_names())));
    }
    if (!column->is_used()) {
      fail(
          fmt::format("names '{}', whose kind is {}; synthetic records do not have it: leave it "
                      "out, or give the column the kind it has",
                      shown(name), kind_name(column->kind)));
    }
    if (column->is_image()) {
      fail(fmt::format("names '{}', which holds images; rules are for numbers and categories",
                       shown(name)));
    }
    return *column;
  }

 private:
  std::string what_;
};

void check_values(const Column& column, const ValueSet& set, const RuleComplaint& rule) {
  if (set.missing && !column.missing) {
    rule.fail(fmt::format("speaks of missing values of '{}', which has none; leave null out",
                          shown(column.name)));
  }
  for (const std::string& value : set.values) {
    if (column.is_number()) {
      if (!column.parse_value(value)) {
        rule.fail(
            fmt::format("has a value of '{}' that is not of its kind, {}; write a number, or "
                        "a date or time in quotes",
                        shown(column.name), kind_name(column.kind)));
      }
    } else if (!column.is_undeclared()) {
      const std::vector<std::string> labels = column.labels();
      if (std::find(labels.begin(), labels.end(), value) == labels.end()) {
        rule.fail(fmt::format("names the category '{}', which '{}' does not have{}", shown(value),
                              shown(column.name), suggest_names(value, labels)));
      }
    }
  }
  if (set.low && set.high && *set.low > *set.high) {
    rule.fail(fmt::format("has a range of '{}' that ends before it begins; swap its ends",
                          shown(column.name)));
  }
}

/// Whether a set holds everything that a column can be.
bool covers_everything(const Schema& schema, const Column& column, const ValueSet& set) {
  if (column.missing && !set.missing) {
    return false;
  }
  if (column.is_category()) {
    const std::vector<std::string> labels = column.labels();
    return std::all_of(labels.begin(), labels.end(), [&](const std::string& label) {
      return std::find(set.values.begin(), set.values.end(), label) != set.values.end();
    });
  }
  const auto range = value_range(schema, column);
  if (!range || !set.values.empty()) {
    return false;
  }
  const bool from_below =
      !set.low || *set.low < range->low || (*set.low == range->low && set.low_belongs);
  const bool to_above =
      !set.high || *set.high > range->high || (*set.high == range->high && set.high_belongs);
  return from_below && to_above;
}

void check_never(const Schema& schema, const NeverRule& never, std::size_t number) {
  const RuleComplaint rule("never", number);
  if (never.sets.empty()) {
    rule.fail("names no column; write a combination, as in {\"month\": 2, \"day\": [30, 31]}");
  }
  std::set<std::string> seen;
  bool leaves_nothing = true;
  for (const ValueSet& set : never.sets) {
    const Column& column = rule.used_column(schema, set.column);
    if (!seen.insert(set.column).second) {
      rule.fail(fmt::format("names '{}' twice; list its values together", shown(set.column)));
    }
    if (set.values.empty() && !set.missing && !set.low && !set.high) {
      rule.fail(fmt::format("lists no value of '{}'; list at least one", shown(set.column)));
    }
    check_values(column, set, rule);
    leaves_nothing =
        leaves_nothing && !column.is_undeclared() && covers_everything(schema, column, set);
  }
  if (leaves_nothing) {
    rule.fail("holds for every record that there can be, so none is left; narrow it");
  }
}

/// A part of a sum with a fixed total.
const Column& fixed_part(const Schema& schema, const std::string& name, const RuleComplaint& rule) {
  const Column& column = rule.used_column(schema, name);
  const std::string shown_name = shown(name);
  if (column.kind != ColumnKind::kNumeric && column.kind != ColumnKind::kInteger) {
    rule.fail(
        fmt::format("has the part '{}', whose kind is {}; parts of a total are numeric or "
                    "integer",
                    shown_name, kind_name(column.kind)));
  }
  if (column.is_computed() || column.rules.at_least) {
    rule.fail(
        fmt::format("has the part '{}', which follows from other columns; parts of a fixed "
                    "total are columns of their own",
                    shown_name));
  }
  if (column.missing) {
    rule.fail(
        fmt::format("has the part '{}', which may be missing; parts of a fixed total are "
                    "never missing",
                    shown_name));
  }
  if (!value_spacing(column)) {
    rule.fail(
        fmt::format("has the part '{}', which has neither a step nor decimals, so that no "
                    "sum would be exact; give it one of them",
                    shown_name));
  }
  if (column.type == StoredType::kFloat32) {
    rule.fail(
        fmt::format("has the part '{}', which is stored in single precision, so that no sum "
                    "would be exact; leave out its type",
                    shown_name));
  }
  return column;
}

void check_fixed_total(const Schema& schema, const SumRule& sum, const RuleComplaint& rule) {
  double low = 0.0;
  double high = 0.0;
  std::optional<double> spacing;
  for (const std::string& name : sum.parts) {
    const Column& column = fixed_part(schema, name, rule);
    if (spacing && *spacing != *value_spacing(column)) {
      rule.fail("has parts with different steps or decimals; give them the same");
    }
    spacing = value_spacing(column);
    if (!column.bounds) {
      return;  // a draft
    }
    low += column.bounds->low;
    high += column.bounds->low + std::floor(column.bounds->width() / *spacing + 1e-9) * *spacing;
  }
  const double slack = 1e-6 * *spacing;
  if (sum.total < low - slack || sum.total > high + slack) {
    rule.fail(
        fmt::format("has the total {}, but by their bounds the parts add up to {} to {}; "
                    "change the total or the bounds",
                    sum.total, low, high));
  }
  const double steps = (sum.total - low) / *spacing;
  if (std::fabs(steps - std::round(steps)) > 1e-6) {
    rule.fail(
        fmt::format("has the total {}, which parts on steps of {} cannot add up to; change "
                    "the step or the total",
                    sum.total, *spacing));
  }
}

}  // namespace

std::optional<double> value_spacing(const Column& column) {
  return column.step       ? column.step
         : column.decimals ? std::optional(std::pow(10.0, -*column.decimals))
                           : std::nullopt;
}

void check_table_rules(const Schema& schema) {
  for (std::size_t i = 0; i < schema.rules().never.size(); ++i) {
    check_never(schema, schema.rules().never[i], i + 1);
  }
  std::set<std::string> in_fixed_totals;
  for (std::size_t i = 0; i < schema.rules().sums.size(); ++i) {
    const SumRule& sum = schema.rules().sums[i];
    const RuleComplaint rule("sums", i + 1);
    if (sum.parts.size() < 2) {
      rule.fail("has fewer than two parts; name at least two columns");
    }
    if (std::set(sum.parts.begin(), sum.parts.end()).size() < sum.parts.size()) {
      rule.fail("names a part twice; name each once");
    }
    if (sum.total_column) {
      rule.used_column(schema, *sum.total_column);
      continue;  // its expression was checked
    }
    check_fixed_total(schema, sum, rule);
    for (const std::string& name : sum.parts) {
      if (!in_fixed_totals.insert(name).second) {
        rule.fail(
            fmt::format("has the part '{}', which another fixed total has too; a column can "
                        "be a part of one",
                        shown(name)));
      }
    }
  }
}

}  // namespace mehler
