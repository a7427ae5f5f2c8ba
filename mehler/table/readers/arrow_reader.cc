#include "mehler/table/readers/arrow_reader.h"

#include <arrow/io/file.h>
#include <arrow/ipc/options.h>
#include <arrow/ipc/reader.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>

#include "mehler/table/readers/arrow_errors.h"
#include "mehler/table/readers/arrow_input.h"
#include "mehler/table/readers/image_columns.h"
#include "mehler/table/readers/part_progress.h"
#include "mehler/table/readers/partition_keys.h"
#include "mehler/table/readers/stream_export.h"

namespace mehler {
namespace {

std::vector<int> places_to_read(const arrow::Schema& file_schema, const PartContext& part) {
  const SelectedColumns selected =
      select_columns(file_schema.field_names(), NamesFrom::kElsewhere, part);
  return std::vector<int>(selected.places.begin(), selected.places.end());
}

std::shared_ptr<arrow::Schema> part_of_schema(const arrow::Schema& file_schema,
                                              const std::vector<int>& places) {
  arrow::FieldVector fields;
  for (const int place : places) {
    fields.push_back(file_schema.field(place));
  }
  return arrow::schema(std::move(fields));
}

arrow::ipc::IpcReadOptions read_options(const PartContext& part) {
  auto options = arrow::ipc::IpcReadOptions::Defaults();
  options.use_threads = part.options.threads > 1;
  // A damaged file may name any place of its bytes; numbers are read where their type may stand.
  options.ensure_alignment = arrow::ipc::Alignment::kDataTypeSpecificAlignment;
  return options;
}

/// Checks batches and cuts large ones; what differs between the formats is where the next one comes
/// from.
class IpcBatches : public BatchSource {
 public:
  explicit IpcBatches(const PartContext& part) : message_(damaged_message(part.what, "Arrow")) {}

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  std::shared_ptr<arrow::RecordBatch> next() override {
    while (whole_ == nullptr || place_ == whole_->num_rows()) {
      std::shared_ptr<arrow::RecordBatch> whole = next_whole();
      if (whole == nullptr) {
        return nullptr;
      }
      require_ok(whole->ValidateFull(),
                 message_);  // before it takes its place: nothing else is cut
      whole_ = std::move(whole);
      place_ = 0;
    }
    const std::int64_t rows = std::min(kBatchRows, whole_->num_rows() - place_);
    place_ += rows;
    return whole_->Slice(place_ - rows, rows);
  }

 protected:
  const std::string& message() const { return message_; }
  void set_schema(std::shared_ptr<arrow::Schema> schema) { schema_ = std::move(schema); }

 private:
  /// The next batch as the file has it, only the columns that are read; nullptr at the end.
  virtual std::shared_ptr<arrow::RecordBatch> next_whole() = 0;

  std::string message_;
  std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<arrow::RecordBatch> whole_;
  std::int64_t place_ = 0;
};

class IpcFileBatches : public IpcBatches {
 public:
  IpcFileBatches(const std::string& path, std::uint64_t bytes, const PartContext& part)
      : IpcBatches(part), progress_(part.progress, bytes) {
    auto file = arrow::io::ReadableFile::Open(path);
    require_ok(file.status(), message());
    // Opened twice: the columns must be known before one can ask for some of them.
    auto first = arrow::ipc::RecordBatchFileReader::Open(*file);
    require_ok(first.status(), message());
    const std::shared_ptr<arrow::Schema> file_schema = (*first)->schema();
    arrow::ipc::IpcReadOptions options = read_options(part);
    options.included_fields = places_to_read(*file_schema, part);
    set_schema(part_of_schema(*file_schema, options.included_fields));
    auto reader = arrow::ipc::RecordBatchFileReader::Open(*file, options);
    require_ok(reader.status(), message());
    reader_ = std::move(reader).ValueUnsafe();
  }

 private:
  std::shared_ptr<arrow::RecordBatch> next_whole() override {
    if (next_ == reader_->num_record_batches()) {
      return nullptr;
    }
    auto batch = reader_->ReadRecordBatch(next_);
    require_ok(batch.status(), message());
    ++next_;
    progress_.reach(static_cast<double>(next_) / reader_->num_record_batches());
    return std::move(batch).ValueUnsafe();
  }

  PartProgress progress_;
  std::shared_ptr<arrow::ipc::RecordBatchFileReader> reader_;
  int next_ = 0;
};

class IpcStreamBatches : public IpcBatches {
 public:
  IpcStreamBatches(std::unique_ptr<ByteSource> source, const PartContext& part) : IpcBatches(part) {
    auto reader = arrow::ipc::RecordBatchStreamReader::Open(as_arrow_input(std::move(source)),
                                                            read_options(part));
    require_ok(reader.status(), message());
    reader_ = std::move(reader).ValueUnsafe();
    places_ = places_to_read(*reader_->schema(), part);
    set_schema(part_of_schema(*reader_->schema(), places_));
  }

 private:
  std::shared_ptr<arrow::RecordBatch> next_whole() override {
    std::shared_ptr<arrow::RecordBatch> batch;
    require_ok(reader_->ReadNext(&batch), message());
    if (batch == nullptr) {
      return nullptr;
    }
    auto selected = batch->SelectColumns(places_);
    require_ok(selected.status(), message());
    return std::move(selected).ValueUnsafe();
  }

  std::shared_ptr<arrow::ipc::RecordBatchStreamReader> reader_;
  std::vector<int> places_;
};

}  // namespace

RecordStream open_arrow_file(const std::string& path, std::uint64_t bytes,
                             const PartContext& part) {
  return export_part(with_image_columns(std::make_unique<IpcFileBatches>(path, bytes, part), part),
                     part);
}

RecordStream open_arrow_stream(std::unique_ptr<ByteSource> source, const PartContext& part) {
  return export_part(
      with_image_columns(std::make_unique<IpcStreamBatches>(std::move(source), part), part), part);
}

}  // namespace mehler
