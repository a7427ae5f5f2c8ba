#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "mehler/generator/sample_condition.h"
#include "tests/support/sampled_table.h"

namespace mehler {

/// A value of a sample as its schema writes it; empty if it is missing.
inline std::string text_of(const TableColumn& column, const Column& declared, std::size_t row) {
  if (is_missing(column, row)) {
    return "";
  }
  if (const auto* texts = std::get_if<std::vector<std::string>>(&column.values)) {
    return (*texts)[row];
  }
  if (const auto* numbers = std::get_if<std::vector<double>>(&column.values)) {
    return declared.format_value((*numbers)[row]);
  }
  const std::int64_t value = std::get<std::vector<std::int64_t>>(column.values)[row];
  return declared.kind == ColumnKind::kBoolean ? (value != 0 ? "true" : "false")
                                               : declared.format_value(static_cast<double>(value));
}

/// Whether a record meets a condition, whose values are written as text_of() writes them.
inline bool meets(const Table& table, std::size_t row, const Schema& schema,
                  const SampleCondition& condition) {
  const auto column =
      std::find_if(table.columns.begin(), table.columns.end(),
                   [&](const TableColumn& one) { return one.name == condition.column; });
  const Column& declared = *schema.find(condition.column);
  const std::string text = text_of(*column, declared, row);
  const bool is_listed =
      std::find(condition.values.begin(), condition.values.end(), text) != condition.values.end();
  const auto place = [&](const std::string& value) {
    if (declared.is_number()) {
      return declared.parse_value(value).value();
    }
    const std::vector<std::string> labels = declared.labels();
    return static_cast<double>(std::find(labels.begin(), labels.end(), value) - labels.begin());
  };
  switch (condition.relation) {
    case ConditionRelation::kIn:
      return is_listed;
    case ConditionRelation::kNotIn:
      return !is_listed;
    case ConditionRelation::kMissing:
      return text.empty();
    case ConditionRelation::kNotMissing:
      return !text.empty();
    case ConditionRelation::kLess:
      return !text.empty() && place(text) < place(condition.values[0]);
    case ConditionRelation::kAtMost:
      return !text.empty() && place(text) <= place(condition.values[0]);
    case ConditionRelation::kGreater:
      return !text.empty() && place(text) > place(condition.values[0]);
    case ConditionRelation::kAtLeast:
      return !text.empty() && place(text) >= place(condition.values[0]);
  }
  return false;
}

}  // namespace mehler
