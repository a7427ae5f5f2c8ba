#include <arrow/c/bridge.h>
#include <arrow/io/interfaces.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <arrow/util/compression.h>
#include <fmt/format.h>
#include <parquet/arrow/writer.h>
#include <parquet/exception.h>
#include <parquet/properties.h>

#include <string_view>

#include "mehler/core/atomic_file.h"
#include "mehler/table/readers/arrow_errors.h"
#include "mehler/table/readers/table_sink.h"

namespace mehler {
namespace {

/// An AtomicFile as Arrow writes to it. Closing does not give the file its name; commit() does.
class AtomicOutput : public arrow::io::OutputStream {
 public:
  explicit AtomicOutput(const std::filesystem::path& path) : file_(path) {}

  arrow::Status Close() override {
    closed_ = true;
    return arrow::Status::OK();
  }
  bool closed() const override { return closed_; }
  arrow::Result<int64_t> Tell() const override { return position_; }

  using arrow::io::OutputStream::Write;
  arrow::Status Write(const void* data, int64_t nbytes) override {
    try {
      file_.write({static_cast<const char*>(data), static_cast<std::size_t>(nbytes)});
      position_ += nbytes;
      return arrow::Status::OK();
    } catch (const Error& error) {
      error_ = std::make_unique<Error>(error);
      return status_of(error);
    }
  }

  void commit() { file_.commit(); }

  /// Throws the Error of a failed write, which libraries in between may have turned into one of
  /// theirs.
  void throw_write_error() const {
    if (error_ != nullptr) {
      throw *error_;
    }
  }

 private:
  AtomicFile file_;
  std::unique_ptr<Error> error_;
  int64_t position_ = 0;
  bool closed_ = false;
};

class ArrowSink : public TableSink {
 public:
  explicit ArrowSink(const std::filesystem::path& path)
      : output_(std::make_shared<AtomicOutput>(path)),
        message_(fmt::format("the output '{}' could not be written; choose another format or "
                             "place",
                             path.string())) {}

  void write(const Table& rows) override {
    ArrowSchema schema{};
    ArrowArray array{};
    rows.export_to_arrow(&schema, &array);
    auto batch = arrow::ImportRecordBatch(&array, &schema);
    check(batch.status());
    run([&] { return write_batch(**batch); });
  }

  void finish() override {
    run([&] { return close(); });
    output_->commit();
  }

 protected:
  const std::shared_ptr<AtomicOutput>& output() const { return output_; }

 private:
  virtual arrow::Status write_batch(const arrow::RecordBatch& batch) = 0;
  virtual arrow::Status close() = 0;

  void check(const arrow::Status& status) const {
    if (!status.ok()) {
      output_->throw_write_error();
      throw Error(ErrorCode::kFile, message_);
    }
  }

  template <typename Work>
  void run(const Work& work) const {
    try {
      check(work());
    } catch (const parquet::ParquetException&) {
      output_->throw_write_error();
      throw Error(ErrorCode::kFile, message_);
    }
  }

  std::shared_ptr<AtomicOutput> output_;
  std::string message_;
};

class ParquetSink : public ArrowSink {
 public:
  using ArrowSink::ArrowSink;

 private:
  arrow::Status write_batch(const arrow::RecordBatch& batch) override {
    if (writer_ == nullptr) {
      parquet::WriterProperties::Builder properties;
      properties.max_row_group_length(1 << 18);
      if (arrow::util::Codec::IsAvailable(arrow::Compression::SNAPPY)) {
        properties.compression(arrow::Compression::SNAPPY);
      }
      ARROW_ASSIGN_OR_RAISE(
          writer_, parquet::arrow::FileWriter::Open(
                       *batch.schema(), arrow::default_memory_pool(), output(), properties.build(),
                       // Keeps what Parquet itself has no word for: dictionaries and time zones.
                       parquet::ArrowWriterProperties::Builder().store_schema()->build()));
    }
    return writer_->WriteRecordBatch(batch);
  }

  arrow::Status close() override { return writer_->Close(); }

  std::unique_ptr<parquet::arrow::FileWriter> writer_;
};

class IpcSink : public ArrowSink {
 public:
  using ArrowSink::ArrowSink;

 private:
  arrow::Status write_batch(const arrow::RecordBatch& batch) override {
    if (writer_ == nullptr) {
      ARROW_ASSIGN_OR_RAISE(writer_, arrow::ipc::MakeFileWriter(output(), batch.schema()));
    }
    return writer_->WriteRecordBatch(batch);
  }

  arrow::Status close() override { return writer_->Close(); }

  std::shared_ptr<arrow::ipc::RecordBatchWriter> writer_;
};

}  // namespace

std::unique_ptr<TableSink> make_parquet_sink(const std::filesystem::path& path) {
  return std::make_unique<ParquetSink>(path);
}

std::unique_ptr<TableSink> make_arrow_sink(const std::filesystem::path& path) {
  return std::make_unique<IpcSink>(path);
}

}  // namespace mehler
