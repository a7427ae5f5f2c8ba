#include "mehler/table/record_stream.h"

#include <fmt/format.h>

#include <cstring>
#include <unordered_set>
#include <utility>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"

namespace mehler {

ArrowSchemaOwner::~ArrowSchemaOwner() {
  if (schema_.release != nullptr) {
    schema_.release(&schema_);
  }
}

RecordBatch::~RecordBatch() {
  if (array_.release != nullptr) {
    array_.release(&array_);
  }
}

RecordBatch::RecordBatch(RecordBatch&& other) noexcept
    : array_(std::exchange(other.array_, ArrowArray{})) {}

RecordBatch& RecordBatch::operator=(RecordBatch&& other) noexcept {
  std::swap(array_, other.array_);
  return *this;
}

RecordStream::RecordStream(ArrowArrayStream* stream, Messages messages)
    : stream_(std::exchange(*stream, ArrowArrayStream{})),
      messages_(messages),
      schema_(std::make_shared<ArrowSchemaOwner>()) {
  if (stream_.release == nullptr) {
    throw Error(ErrorCode::kInvalidArgument,
                "the Arrow stream was already released; pass a stream that has not been read");
  }
  try {
    if (stream_.get_schema(&stream_, schema_->get()) != 0) {
      fail();
    }
    if (std::strcmp(schema().format, "+s") != 0) {
      throw Error(
          ErrorCode::kInvalidTable,
          "the Arrow stream does not hold record batches (struct arrays); export a table or a "
          "record batch reader");
    }
    std::unordered_set<std::string> seen;
    for (const std::string& name : column_names()) {
      if (!seen.insert(name).second) {
        throw Error(
            ErrorCode::kInvalidTable,
            fmt::format("the table has two columns named '{}'; rename one of them", shown(name)));
      }
    }
  } catch (...) {
    stream_.release(&stream_);
    throw;
  }
}

RecordStream::~RecordStream() {
  if (stream_.release != nullptr) {
    stream_.release(&stream_);
  }
}

RecordStream::RecordStream(RecordStream&& other) noexcept
    : stream_(std::exchange(other.stream_, ArrowArrayStream{})),
      messages_(other.messages_),
      schema_(std::move(other.schema_)) {}

std::vector<std::string> RecordStream::column_names() const {
  std::vector<std::string> names;
  for (int64_t i = 0; i < schema().n_children; ++i) {
    names.emplace_back(schema().children[i]->name == nullptr ? "" : schema().children[i]->name);
  }
  return names;
}

bool RecordStream::next(RecordBatch& batch) {
  if (!failure_.empty()) {
    fail(failure_);
  }
  RecordBatch fresh;
  if (stream_.get_next(&stream_, fresh.get()) != 0) {
    fail();
  }
  batch = std::move(fresh);
  if (batch.value().release == nullptr) {
    return false;
  }
  if (batch.value().n_children != schema().n_children) {
    fail(
        "the Arrow stream gave a batch whose columns differ from its schema; the producer is at "
        "fault");
  }
  return true;
}

void RecordStream::fail() {
  const char* message = stream_.get_last_error(&stream_);
  fail(messages_ == Messages::kTrusted && message != nullptr
           ? message
           : "the producer of the Arrow stream reported an error while it was read; its message is "
             "withheld because it could quote a record; read the table on its own to see it");
}

void RecordStream::fail(std::string message) {
  failure_ = std::move(message);
  throw Error(ErrorCode::kInvalidTable, failure_);
}

}  // namespace mehler
