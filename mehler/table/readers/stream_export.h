#pragma once

#include <memory>

#include "mehler/table/record_stream.h"

namespace arrow {
class RecordBatch;
class Schema;
}  // namespace arrow

namespace mehler {

/// Record batches of one type, in order: what each file format implements.
class BatchSource {
 public:
  virtual ~BatchSource() = default;

  virtual std::shared_ptr<arrow::Schema> schema() const = 0;

  /// The next batch, or nullptr at the end. Throws Error with a message that quotes no record.
  virtual std::shared_ptr<arrow::RecordBatch> next() = 0;
};

/// The most rows in one batch of a stream, for formats that let the reader choose.
inline constexpr std::int64_t kBatchRows = 1 << 16;

/// Hands a source over through the Arrow C stream interface. The stream's messages are those of the
/// Errors thrown, word for word.
RecordStream export_stream(std::unique_ptr<BatchSource> source);

/// No batch at all, of the given type.
std::unique_ptr<BatchSource> empty_batches(std::shared_ptr<arrow::Schema> schema);

}  // namespace mehler
