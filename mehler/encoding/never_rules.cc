#include "mehler/encoding/never_rules.h"

#include <algorithm>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/encoding/table_columns.h"

namespace mehler {
namespace {

const TableColumn& column_named(const Table& table, const std::string& name) {
  const auto place = std::find_if(table.columns.begin(), table.columns.end(),
                                  [&](const TableColumn& column) { return column.name == name; });
  MEHLER_ASSERT(place != table.columns.end());
  return *place;
}

}  // namespace

ValueTest::ValueTest(const Column& column, const ValueSet& set)
    : set_(set), labels_(set.values.begin(), set.values.end()) {
  for (const std::string& value : column.is_number() ? set.values : std::vector<std::string>()) {
    numbers_.push_back(*column.parse_value(value));
  }
}

bool ValueTest::has_number(double value) const {
  if (is_range()) {
    const bool above = !set_.low || value > *set_.low || (set_.low_belongs && value == *set_.low);
    const bool below =
        !set_.high || value < *set_.high || (set_.high_belongs && value == *set_.high);
    return above && below;
  }
  // A multiple of 0.1 misses what the schema writes by some units in the last place.
  return std::any_of(numbers_.begin(), numbers_.end(), [&](double number) {
    return std::fabs(value - number) <= 1e-12 * std::max(1.0, std::fabs(number));
  });
}

NeverRules::NeverRules(const Schema& schema) : names_(schema.column_names()) {
  for (const NeverRule& never : schema.rules().never) {
    Rule rule;
    for (const ValueSet& set : never.sets) {
      const Column* column = schema.find(set.column);
      rule.push_back(
          {static_cast<std::size_t>(column - schema.columns().data()), ValueTest(*column, set)});
    }
    rules_.push_back(std::move(rule));
  }
}

std::vector<bool> NeverRules::broken(const Table& table, const Rule& rule) const {
  std::vector<bool> rows(table.rows(), true);
  for (const Part& part : rule) {
    const TableColumn& column = column_named(table, names_[part.column]);
    const bool is_number = column.kind == ColumnKind::kNumeric ||
                           column.kind == ColumnKind::kInteger ||
                           column.kind == ColumnKind::kDate || column.kind == ColumnKind::kDatetime;
    const std::vector<double> numbers = is_number ? numbers_of(column) : std::vector<double>();
    for (std::size_t row = 0; row < rows.size(); ++row) {
      rows[row] = rows[row] && (value_is_missing(column, row) ? part.test.has_missing()
                                : is_number                   ? part.test.has_number(numbers[row])
                                            : part.test.has_label(key_of(column, row)));
    }
  }
  return rows;
}

std::vector<bool> NeverRules::broken(const Table& table) const {
  std::vector<bool> rows(table.rows(), false);
  for (const Rule& rule : rules_) {
    const std::vector<bool> more = broken(table, rule);
    std::transform(rows.begin(), rows.end(), more.begin(), rows.begin(), std::logical_or<>());
  }
  return rows;
}

void NeverRules::find_broken(const Table& table, std::vector<bool>& found) const {
  found.resize(rules_.size());
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    const std::vector<bool> rows = broken(table, rules_[i]);
    found[i] = found[i] || std::find(rows.begin(), rows.end(), true) != rows.end();
  }
}

}  // namespace mehler
