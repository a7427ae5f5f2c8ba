#pragma once

#include <memory>
#include <vector>

#include "mehler/table/arrow_c_interface.h"
#include "mehler/table/record_stream.h"
#include "mehler/table/table.h"

namespace mehler {

/// An Arrow C stream over tables in memory, one batch per table. All have the same columns.
inline ArrowArrayStream stream_of(std::vector<Table> batches) {
  struct Storage {
    std::vector<Table> batches;
    std::size_t next = 0;
  };
  ArrowArrayStream stream{};
  stream.private_data = new Storage{std::move(batches)};
  stream.get_schema = [](ArrowArrayStream* self, ArrowSchema* out) {
    ArrowArray unused;
    static_cast<Storage*>(self->private_data)->batches.front().export_to_arrow(out, &unused);
    unused.release(&unused);
    return 0;
  };
  stream.get_next = [](ArrowArrayStream* self, ArrowArray* out) {
    auto* storage = static_cast<Storage*>(self->private_data);
    *out = ArrowArray{};
    if (storage->next < storage->batches.size()) {
      ArrowSchema unused;
      storage->batches[storage->next++].export_to_arrow(&unused, out);
      unused.release(&unused);
    }
    return 0;
  };
  stream.get_last_error = [](ArrowArrayStream*) -> const char* { return "none"; };
  stream.release = [](ArrowArrayStream* self) {
    delete static_cast<Storage*>(self->private_data);
    self->release = nullptr;
  };
  return stream;
}

/// The same as a part of a PrivateTable.
inline RecordStreamFactory part_of(std::vector<Table> batches) {
  return [batches = std::move(batches)] {
    ArrowArrayStream stream = stream_of(batches);
    return RecordStream(&stream);
  };
}

/// Some rows of a table, in a given order.
inline Table rows_of(const Table& table, const std::vector<std::size_t>& rows) {
  Table result;
  for (const TableColumn& column : table.columns) {
    TableColumn picked{column.name, column.kind, {}, {}};
    std::visit(
        [&](const auto& values) {
          std::decay_t<decltype(values)> chosen;
          for (const std::size_t row : rows) {
            chosen.push_back(values[row]);
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
