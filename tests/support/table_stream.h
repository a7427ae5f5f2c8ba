#pragma once

#include <type_traits>
#include <vector>

#include "mehler/table/record_stream.h"
#include "mehler/table/table.h"
#include "mehler/table/table_stream.h"

namespace mehler {

/// Tables in memory as one part of a table, one batch each.
inline RecordStreamFactory part_of(std::vector<Table> batches) {
  return [batches = std::move(batches)] {
    ArrowArrayStream stream = arrow_stream_of(batches);
    return RecordStream(&stream);
  };
}

/// Some rows of a table, in a given order.
inline Table rows_of(const Table& table, const std::vector<std::size_t>& rows) {
  Table result;
  for (const TableColumn& column : table.columns) {
    TableColumn picked{column.name, column.kind, {}, {}};
    std::visit(
        [&]<typename Values>(const Values& values) {
          Values chosen;
          if constexpr (std::is_same_v<Values, ImageValues>) {
            chosen.shape = values.shape;
            for (const std::size_t row : rows) {
              const auto first =
                  values.pixels.begin() + static_cast<std::ptrdiff_t>(row * values.shape.size());
              chosen.pixels.insert(chosen.pixels.end(), first,
                                   first + static_cast<std::ptrdiff_t>(values.shape.size()));
            }
          } else {
            for (const std::size_t row : rows) {
              chosen.push_back(values[row]);
            }
          }
          picked.values = std::move(chosen);
        },
        column.values);
    if (!column.is_missing.empty()) {
      for (const std::size_t row : rows) {
        picked.is_missing.push_back(column.is_missing[row]);
      }
    }
    result.columns.push_back(std::move(picked));
  }
  return result;
}

}  // namespace mehler
