#include "mehler/table/readers/parquet_reader.h"

#include <arrow/io/file.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>

#include "mehler/table/readers/arrow_errors.h"
#include "mehler/table/readers/image_arrays.h"
#include "mehler/table/readers/image_columns.h"
#include "mehler/table/readers/part_progress.h"
#include "mehler/table/readers/partition_keys.h"
#include "mehler/table/readers/stream_export.h"

namespace mehler {
namespace {

/// Parquet counts leaves, of which a nested column has several.
void collect_leaves(const parquet::arrow::SchemaField& field, std::vector<int>& leaves) {
  if (field.column_index >= 0) {
    leaves.push_back(field.column_index);
  }
  for (const parquet::arrow::SchemaField& child : field.children) {
    collect_leaves(child, leaves);
  }
}

class ParquetBatches : public BatchSource {
 public:
  ParquetBatches(std::unique_ptr<parquet::arrow::FileReader> file, std::uint64_t bytes,
                 const PartContext& part)
      : file_(std::move(file)),
        message_(damaged_message(part.what, "Parquet")),
        progress_(part.progress, bytes),
        rows_(file_->parquet_reader()->metadata()->num_rows()) {
    std::vector<std::string> names;
    for (const parquet::arrow::SchemaField& field : file_->manifest().schema_fields) {
      names.push_back(field.field->name());
    }
    const SelectedColumns selected = select_columns(names, NamesFrom::kElsewhere, part);
    std::vector<int> leaves;
    for (const std::size_t place : selected.places) {
      collect_leaves(file_->manifest().schema_fields[place], leaves);
    }
    std::vector<int> row_groups(static_cast<std::size_t>(file_->num_row_groups()));
    for (std::size_t i = 0; i < row_groups.size(); ++i) {
      row_groups[i] = static_cast<int>(i);
    }
    auto batches = file_->GetRecordBatchReader(row_groups, leaves);
    require_ok(batches.status(), message_);
    batches_ = std::move(batches).ValueUnsafe();
  }

  std::shared_ptr<arrow::Schema> schema() const override { return batches_->schema(); }

  std::shared_ptr<arrow::RecordBatch> next() override {
    std::shared_ptr<arrow::RecordBatch> batch;
    require_ok(batches_->ReadNext(&batch), message_);
    if (batch == nullptr) {
      if (rows_done_ != rows_) {
        throw Error(ErrorCode::kInvalidTable, message_);
      }
      return nullptr;
    }
    require_ok(batch->ValidateFull(), message_);
    rows_done_ += batch->num_rows();
    progress_.reach(rows_ == 0 ? 1.0
                               : static_cast<double>(rows_done_) / static_cast<double>(rows_));
    return batch;
  }

 private:
  std::unique_ptr<parquet::arrow::FileReader> file_;  // outlives batches_
  std::unique_ptr<arrow::RecordBatchReader> batches_;
  std::string message_;
  PartProgress progress_;
  std::int64_t rows_;
  std::int64_t rows_done_ = 0;
};

}  // namespace

RecordStream open_parquet(const std::string& path, std::uint64_t bytes, const PartContext& part) {
  const std::string message = damaged_message(part.what, "Parquet");
  try {
    auto file = arrow::io::ReadableFile::Open(path);
    require_ok(file.status(), message);
    parquet::ReaderProperties pages = parquet::default_reader_properties();
    pages.enable_buffered_stream();
    pages.set_buffer_size(1 << 20);
    parquet::ArrowReaderProperties properties;
    const Column* image = part.schema == nullptr ? nullptr : part.schema->image();
    properties.set_batch_size(image == nullptr ? kBatchRows : image_batch_rows(*image->shape));
    properties.set_pre_buffer(false);
    properties.set_use_threads(part.options.threads > 1);

    parquet::arrow::FileReaderBuilder builder;
    require_ok(builder.Open(std::move(file).ValueUnsafe(), pages), message);
    auto reader = builder.properties(properties)->Build();
    require_ok(reader.status(), message);
    return export_part(
        with_image_columns(
            std::make_unique<ParquetBatches>(std::move(reader).ValueUnsafe(), bytes, part), part),
        part);
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {  // Parquet's, and what its parts throw on damaged files
    throw Error(ErrorCode::kInvalidTable, message);
  }
}

}  // namespace mehler
