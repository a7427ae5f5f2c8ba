#include "mehler/table/readers/stream_export.h"

#include <arrow/c/bridge.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <cerrno>
#include <string>

#include "mehler/table/readers/arrow_errors.h"

namespace mehler {
namespace {

/// What an exported stream owns.
struct StreamStorage {
  std::unique_ptr<BatchSource> source;
  std::string last_error;
};

StreamStorage& storage_of(ArrowArrayStream* stream) {
  return *static_cast<StreamStorage*>(stream->private_data);
}

/// Runs one callback's work. No exception may pass through the C interface.
template <typename Work>
int guarded(ArrowArrayStream* stream, const Work& work) {
  StreamStorage& storage = storage_of(stream);
  try {
    work(*storage.source);
    return 0;
  } catch (const Error& error) {
    storage.last_error = error.what();
  } catch (const std::bad_alloc&) {
    storage.last_error = "there is not enough memory to read the table";
    return ENOMEM;
  } catch (...) {
    // What other exceptions say may quote a record.
    storage.last_error = "the table could not be read: the file is damaged or incomplete";
  }
  return EIO;
}

int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  return guarded(stream, [out](BatchSource& source) {
    require_ok(arrow::ExportSchema(*source.schema(), out),
               "the table's columns have a type that is not "
               "supported");
  });
}

int get_next(ArrowArrayStream* stream, ArrowArray* out) {
  return guarded(stream, [out](BatchSource& source) {
    const std::shared_ptr<arrow::RecordBatch> batch = source.next();
    if (batch == nullptr) {
      *out = ArrowArray{};
      return;
    }
    require_ok(arrow::ExportRecordBatch(*batch, out),
               "the table's columns have a type that is not "
               "supported");
  });
}

const char* get_last_error(ArrowArrayStream* stream) {
  return storage_of(stream).last_error.c_str();
}

void release(ArrowArrayStream* stream) {
  delete &storage_of(stream);
  stream->release = nullptr;
}

class EmptySource : public BatchSource {
 public:
  explicit EmptySource(std::shared_ptr<arrow::Schema> schema) : schema_(std::move(schema)) {}

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }
  std::shared_ptr<arrow::RecordBatch> next() override { return nullptr; }

 private:
  std::shared_ptr<arrow::Schema> schema_;
};

}  // namespace

RecordStream export_stream(std::unique_ptr<BatchSource> source) {
  ArrowArrayStream stream{};
  stream.private_data = new StreamStorage{std::move(source), {}};
  stream.get_schema = get_schema;
  stream.get_next = get_next;
  stream.get_last_error = get_last_error;
  stream.release = release;
  return RecordStream(&stream, RecordStream::Messages::kTrusted);
}

std::unique_ptr<BatchSource> empty_batches(std::shared_ptr<arrow::Schema> schema) {
  return std::make_unique<EmptySource>(std::move(schema));
}

}  // namespace mehler
