#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mehler/counts/contrasts.h"
#include "mehler/measurement/measurement_rounds.h"
#include "mehler/measurement/private_counter.h"
#include "mehler/release/marginal_measurements.h"
#include "mehler/table/schema.h"
#include "tests/support/table_stream.h"

namespace mehler {

/// A schema of categorical columns c0, c1, ... with so many categories "0", "1", ... each. `head`
/// goes before the columns: R"("target": "c0", )".
inline Schema schema_of_categories(const std::vector<std::size_t>& sizes,
                                   const std::string& head = "") {
  std::string columns;
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    std::string labels;
    for (std::size_t code = 0; code < sizes[c]; ++code) {
      labels += (code > 0 ? ", \"" : "\"") + std::to_string(code) + "\"";
    }
    columns += std::string(c > 0 ? ", " : "") + R"({"name": "c)" + std::to_string(c) +
               R"(", "kind": "categorical", "categories": [)" + labels + "]}";
  }
  return Schema::from_json(R"({"mehler_schema": 1, )" + head + R"("columns": [)" + columns + "]}");
}

/// Records of a schema of categories and integers, one list of codes or values each.
inline Table table_of(const Schema& schema, const std::vector<std::vector<std::int64_t>>& rows) {
  Table table;
  for (std::size_t c = 0; c < schema.columns().size(); ++c) {
    const Column& column = schema.columns()[c];
    std::vector<std::string> texts;
    std::vector<std::int64_t> numbers;
    for (const std::vector<std::int64_t>& row : rows) {
      column.is_number() ? numbers.push_back(row[c]) : texts.push_back(std::to_string(row[c]));
    }
    if (column.is_number()) {
      table.columns.push_back({column.name, column.kind, std::move(numbers), {}});
    } else {
      table.columns.push_back({column.name, column.kind, std::move(texts), {}});
    }
  }
  return table;
}

/// A private table that has been read, a budget, and the rounds that spend it.
struct CountedTable {
  CountedTable(const Schema& schema, const Table& table, PrivacyBudget budget)
      : encoder(schema),
        codes(PrivateTable({part_of({table})}, schema), encoder, Context{}),
        accountant(budget),
        rounds(codes, encoder, accountant) {}

  Encoder encoder;
  PrivateCounter codes;
  Accountant accountant;
  MeasurementRounds rounds;
};

/// Every column in its own cells, numbers in at most 16 ranges.
inline std::vector<std::shared_ptr<const ColumnPartition>> own_cells(const Encoder& encoder,
                                                                     std::size_t ranges = 16) {
  std::vector<std::shared_ptr<const ColumnPartition>> cells;
  for (const Column& column : encoder.columns()) {
    cells.push_back(std::make_shared<const ColumnPartition>(ColumnPartition::even(column, ranges)));
  }
  return cells;
}

/// What a measurement of these counts without any noise would be, stated with noise of `sigma`.
inline void add_exact_counts(const CountBlock& block, std::vector<std::int64_t> counts,
                             double sigma, MarginalMeasurements& to) {
  std::vector<std::int64_t> sums =
      contrasts_of_counts(std::move(counts), block.marginal()->shape());
  for (std::int64_t& sum : sums) {
    sum <<= block.grid_exponent();
  }
  to.add(block, {1, block.dimension(), std::move(sums), block.grid_exponent()}, sigma);
}

}  // namespace mehler
