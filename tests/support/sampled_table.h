#pragma once

#include <algorithm>
#include <cmath>

#include "mehler/generator/generator.h"

namespace mehler {

/// All records of a sample as one table.
inline Table sample(const Generator& generator, const SampleOptions& options,
                    std::size_t threads = 1) {
  Table all;
  generator.sample(options, Context{threads, nullptr, nullptr},
                   [&](const Table& rows) { all.append(rows); });
  return all;
}

/// Whether a record's value is missing.
inline bool is_missing(const TableColumn& column, std::size_t row) {
  return !column.is_missing.empty() && column.is_missing[row];
}

/// How many values that are there a record's column could not have by its schema: outside the
/// bounds, between the steps, of no category; and missing ones where none may be missing.
inline std::size_t count_foreign_values(const TableColumn& column, const Column& declared) {
  const std::vector<std::string> labels =
      declared.is_category() ? declared.labels() : std::vector<std::string>();
  const auto is_on_grid = [&](double value) {
    const double tolerance = 1e-6;
    if (declared.decimals) {
      const double power = std::pow(10.0, *declared.decimals);
      return std::fabs(std::round(value * power) - value * power) <= tolerance * power;
    }
    if (declared.step) {
      const double steps = (value - declared.bounds->low) / *declared.step;
      return std::fabs(std::round(steps) - steps) <= tolerance;
    }
    return true;
  };
  const auto is_number = [&](double value) {
    return value >= declared.bounds->low && value <= declared.bounds->high && is_on_grid(value);
  };
  std::size_t foreign = column.kind == declared.kind ? 0 : column.rows();
  for (std::size_t row = 0; row < column.rows(); ++row) {
    if (is_missing(column, row)) {
      foreign += declared.missing ? 0 : 1;
      continue;
    }
    if (const auto* numbers = std::get_if<std::vector<double>>(&column.values)) {
      foreign += is_number((*numbers)[row]) ? 0 : 1;
    } else if (const auto* texts = std::get_if<std::vector<std::string>>(&column.values)) {
      foreign += std::find(labels.begin(), labels.end(), (*texts)[row]) != labels.end() ? 0 : 1;
    } else {
      const std::int64_t value = std::get<std::vector<std::int64_t>>(column.values)[row];
      const bool is_boolean = declared.kind == ColumnKind::kBoolean && (value == 0 || value == 1);
      const bool fits = declared.is_number() && is_number(static_cast<double>(value));
      foreign += is_boolean || fits ? 0 : 1;
    }
  }
  return foreign;
}

}  // namespace mehler
