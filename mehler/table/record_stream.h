#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "mehler/table/arrow_c_interface.h"

namespace mehler {

/// Owns an ArrowSchema; released once, when the last copy of the shared pointer goes.
class ArrowSchemaOwner {
 public:
  ArrowSchemaOwner() = default;
  ~ArrowSchemaOwner();
  ArrowSchemaOwner(const ArrowSchemaOwner&) = delete;
  ArrowSchemaOwner& operator=(const ArrowSchemaOwner&) = delete;

  ArrowSchema* get() { return &schema_; }
  const ArrowSchema& value() const { return schema_; }

 private:
  ArrowSchema schema_{};
};

/// One batch of records: a struct array whose children are the columns.
class RecordBatch {
 public:
  RecordBatch() = default;
  ~RecordBatch();
  RecordBatch(RecordBatch&& other) noexcept;
  RecordBatch& operator=(RecordBatch&& other) noexcept;

  std::size_t rows() const { return static_cast<std::size_t>(array_.length); }
  ArrowArray* get() { return &array_; }
  const ArrowArray& value() const { return array_; }

 private:
  ArrowArray array_{};
};

/// Records as a stream of batches of one type. Owns an ArrowArrayStream.
///
/// What the producer says in an error is passed on only for streams made with Messages::kTrusted:
/// another program's message could quote a record.
class RecordStream {
 public:
  enum class Messages { kTrusted, kUntrusted };

  /// Takes the stream over; `stream` is left released.
  /// Throws Error(kInvalidTable) if it is no stream of struct arrays, or has two columns of one
  /// name.
  explicit RecordStream(ArrowArrayStream* stream, Messages messages = Messages::kUntrusted);
  ~RecordStream();
  RecordStream(RecordStream&& other) noexcept;
  RecordStream& operator=(RecordStream&&) = delete;

  /// The type of the batches: a struct type, one child per column.
  const ArrowSchema& schema() const { return schema_->value(); }
  std::vector<std::string> column_names() const;

  /// Reads the next batch; false at the end. A stream that has failed stays failed: what comes
  /// after an error is in no defined state, and several workers may read one stream. Not
  /// thread-safe.
  bool next(RecordBatch& batch);

 private:
  [[noreturn]] void fail();
  [[noreturn]] void fail(std::string message);

  ArrowArrayStream stream_{};
  Messages messages_;
  std::string failure_;  ///< what next() throws from now on; empty while nothing has failed
  std::shared_ptr<ArrowSchemaOwner> schema_;
};

/// Opens one part of a table: a file, say. Called when the part's turn comes.
using RecordStreamFactory = std::function<RecordStream()>;

}  // namespace mehler
