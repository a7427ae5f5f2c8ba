#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "mehler/privacy/private_table.h"
#include "mehler/table/record_stream.h"
#include "mehler/table/schema.h"

namespace mehler::python {

/// A table that Python hands over: a function that returns an Arrow stream in a capsule
/// ("arrow_array_stream", as __arrow_c_stream__ does), a new one each time if it can be read again.
struct TableSource {
  nanobind::object open;
  bool can_be_read_again = false;
};

/// Opens it on whatever thread the engine reads on. What Python raises meanwhile becomes
/// Error(kInvalidTable), with its words only if they are ours: those of another library could quote
/// a record.
RecordStreamFactory factory_of(const TableSource& source);

PrivateTable private_table(const TableSource& source, const Schema& schema);

/// Opens a source on this thread, to look at its columns.
RecordStream open_source(const TableSource& source);

/// A stream that a consumer of Python owns.
nanobind::object capsule_of(ArrowArrayStream stream);

/// Record batches in memory, of which any number of streams can be had, without a copy.
class Batches {
 public:
  Batches(std::shared_ptr<ArrowSchemaOwner> schema,
          std::vector<std::shared_ptr<RecordBatch>> batches);

  /// All that a stream has.
  static Batches of(ArrowArrayStream stream, const std::function<void()>& after_each);

  std::uint64_t rows() const { return rows_; }
  nanobind::object schema_capsule() const;
  nanobind::object stream_capsule() const { return capsule_of(stream()); }
  ArrowArrayStream stream() const;

 private:
  std::shared_ptr<ArrowSchemaOwner> schema_;
  std::vector<std::shared_ptr<RecordBatch>> batches_;
  std::uint64_t rows_ = 0;
};

void bind_arrow(nanobind::module_& module);

}  // namespace mehler::python
