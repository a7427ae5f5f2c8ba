#include "mehler/encoding/record_rules.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mehler/core/error.h"
#include "mehler/encoding/computed_column.h"
#include "mehler/encoding/shares_of_total.h"
#include "mehler/encoding/table_columns.h"
#include "mehler/table/calendar.h"
#include "mehler/table/column_rules.h"
#include "mehler/table/table_rule_checks.h"

namespace mehler {
namespace {

constexpr double kMicroseconds = static_cast<double>(kMicrosecondsPerSecond);

std::size_t place_of(const Schema& schema, const std::string& name) {
  const Column* column = schema.find(name);
  MEHLER_ASSERT(column != nullptr);
  return static_cast<std::size_t>(column - schema.columns().data());
}

/// The difference nearest to `value` with which `from` plus it stays within the column's own
/// bounds: on the steps of differences, unless none of those does.
double held_difference(const Column& column, double from, double value) {
  if (!column.bounds) {
    return value;
  }
  const Interval& allowed = column.rules.at_least->bounds;
  const double unit = difference_unit(column);
  const double low = std::max(allowed.low, (column.bounds->low - from) / unit);
  const double high = std::min(allowed.high, (column.bounds->high - from) / unit);
  if (value >= low && value <= high) {
    return value;
  }
  const std::optional<double> spacing = value_spacing(column);
  if (!spacing) {
    return std::clamp(value, low, high);
  }
  const double step = *spacing / unit;
  const double first = allowed.low + std::ceil((low - allowed.low) / step - 1e-9) * step;
  const double last = allowed.low + std::floor((high - allowed.low) / step + 1e-9) * step;
  return std::clamp(first > last ? low : std::clamp(value, first, last), low, high);
}

/// Removes what adding doubles leaves behind the last decimal of two columns.
double clean_sum(const Column& column, const Column& other, double value) {
  const bool has_decimals =
      column.decimals && (other.decimals || other.kind == ColumnKind::kInteger);
  if (!has_decimals) {
    return value;
  }
  const double power = std::pow(10.0, std::max(*column.decimals, other.decimals.value_or(0)));
  return std::round(value * power) / power;
}

}  // namespace

bool RecordRules::are_needed(const Schema& schema) {
  const auto has_rule = [](const Column& column) {
    return column.rules.at_least || column.is_computed() || is_split(column);
  };
  return !schema.rules().sums.empty() ||
         std::any_of(schema.columns().begin(), schema.columns().end(), has_rule);
}

RecordRules::RecordRules(const Schema& schema, const std::vector<ModelledColumn>& modelled)
    : columns_(schema.columns()) {
  const auto find_modelled = [&](std::size_t source, ModelledAs as) {
    const auto place = std::find_if(
        modelled.begin(), modelled.end(),
        [&](const ModelledColumn& column) { return column.source == source && column.as == as; });
    MEHLER_ASSERT(place != modelled.end());
    return static_cast<std::size_t>(place - modelled.begin());
  };
  for (const SumRule& sum : schema.rules().sums) {
    if (!sum.total_column) {
      Shares shares{{}, sum.total};
      for (const std::string& name : sum.parts) {
        shares.columns.push_back(place_of(schema, name));
      }
      shares_.push_back(std::move(shares));
    }
  }
  for (const std::size_t place : order_of_columns(schema)) {
    const Column& column = columns_[place];
    Made made;
    made.place = place;
    if (column.rules.at_least) {
      const std::size_t i = find_modelled(place, ModelledAs::kDifference);
      made.difference.emplace(Difference{i, modelled[i].other, NumberCoding(modelled[i].column)});
    } else if (is_split(column)) {
      const std::size_t day = find_modelled(place, ModelledAs::kDay);
      const std::size_t time = find_modelled(place, ModelledAs::kTimeOfDay);
      made.split.emplace(Split{day, NumberCoding(modelled[day].column), time,
                               NumberCoding(modelled[time].column)});
    } else if (column.rules.derived) {
      Formula formula{expression_of(schema, column), {}};
      for (const std::string& name : formula.expression.inputs()) {
        formula.inputs.push_back(place_of(schema, name));
      }
      made.formula.emplace(std::move(formula));
    } else if (const auto& rule = column.rules.determined_by) {
      made.lookup.emplace(
          Lookup{place_of(schema, rule->column), {rule->map.begin(), rule->map.end()}});
    } else {
      continue;
    }
    made_.push_back(std::move(made));
  }
}

std::vector<double> RecordRules::add_difference(const Column& column, const Difference& rule,
                                                const EncodedBatch& batch,
                                                const std::vector<TableColumn>& columns) const {
  std::vector<double> values = numbers_of(columns[rule.other]);
  const double unit = difference_unit(column);
  for (std::size_t row = 0; row < values.size(); ++row) {
    const double coordinate = batch.columns[rule.modelled].numbers[row];
    if (std::isnan(values[row]) || std::isnan(coordinate)) {
      values[row] = std::nan("");
      continue;
    }
    const double more = held_difference(column, values[row], rule.coding.decode(coordinate));
    values[row] = clean_sum(column, columns_[rule.other], values[row] + more * unit);
    if (column.kind != ColumnKind::kNumeric) {
      values[row] = std::round(values[row]);
    }
  }
  return values;
}

TableColumn RecordRules::make(const Made& made, const EncodedBatch& batch,
                              const std::vector<TableColumn>& columns) const {
  const Column& column = columns_[made.place];
  if (made.difference) {
    return number_column(column, add_difference(column, *made.difference, batch, columns));
  }
  std::vector<double> values(batch.rows);
  if (const auto& split = made.split) {
    const NumberCoding coding(column);
    for (std::size_t row = 0; row < values.size(); ++row) {
      const double day = batch.columns[split->day].numbers[row];
      const double time = batch.columns[split->time].numbers[row];
      values[row] = std::isnan(day) || std::isnan(time)
                        ? std::nan("")
                        : coding.nearest_value(
                              split->days.decode(day) * static_cast<double>(kMicrosecondsPerDay) +
                              std::round(split->times.decode(time) * kMicroseconds));
    }
    return number_column(column, values);
  }
  if (const auto& formula = made.formula) {
    std::vector<std::vector<double>> inputs;
    for (const std::size_t input : formula->inputs) {
      inputs.push_back(numbers_of(columns[input]));
    }
    std::vector<double> of_row(inputs.size());
    for (std::size_t row = 0; row < values.size(); ++row) {
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        of_row[i] = inputs[i][row];
      }
      values[row] = formula->expression.evaluate(of_row);
    }
    return computed_column(column, values);
  }
  const TableColumn& source = columns[made.lookup->source];
  std::vector<std::optional<std::string>> found(batch.rows);
  for (std::size_t row = 0; row < found.size(); ++row) {
    if (!value_is_missing(source, row)) {
      const auto entry = made.lookup->map.find(key_of(source, row));
      found[row] = entry != made.lookup->map.end() ? entry->second : column.other;
    }
  }
  return looked_up_column(column, found);
}

void RecordRules::share_out(const Shares& shares, std::vector<TableColumn>& columns) const {
  std::vector<Column> declared;
  std::vector<std::vector<double>> values;
  for (const std::size_t place : shares.columns) {
    declared.push_back(columns_[place]);
    values.push_back(numbers_of(columns[place]));
  }
  const SharesOfTotal rule(declared, shares.total);
  std::vector<double> of_row(values.size());
  for (std::size_t row = 0; row < values.front().size(); ++row) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      of_row[i] = values[i][row];
    }
    rule.apply(of_row);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i][row] = of_row[i];
    }
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    columns[shares.columns[i]] = number_column(declared[i], values[i]);
  }
}

void RecordRules::settle(const Table& table, const std::vector<ModelledColumn>& modelled,
                         EncodedBatch& batch) const {
  for (const Shares& shares : shares_) {
    for (std::size_t i = 0; i < modelled.size(); ++i) {
      const std::vector<std::size_t>& parts = shares.columns;
      if (std::find(parts.begin(), parts.end(), modelled[i].source) == parts.end()) {
        continue;
      }
      const std::string& name = modelled[i].column.name;
      const auto column =
          std::find_if(table.columns.begin(), table.columns.end(),
                       [&](const TableColumn& candidate) { return candidate.name == name; });
      MEHLER_ASSERT(column != table.columns.end());
      const std::vector<double> values = numbers_of(*column);
      const NumberCoding coding(modelled[i].column);
      std::transform(values.begin(), values.end(), batch.columns[i].numbers.begin(),
                     [&](double value) { return coding.encode(value); });
    }
  }
}

void RecordRules::complete(const EncodedBatch& batch, std::vector<TableColumn>& columns) const {
  for (const Shares& shares : shares_) {
    share_out(shares, columns);
  }
  for (const Made& made : made_) {
    columns[made.place] = make(made, batch, columns);
  }
}

}  // namespace mehler
