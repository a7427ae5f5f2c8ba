#include "mehler/measurement/internal/private_record_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>

#include "mehler/core/error.h"
#include "mehler/table/column_view.h"

namespace mehler {
namespace {

/// Calls the context's progress callback a few times a second. Thread-safe.
class ProgressMeter {
 public:
  explicit ProgressMeter(const Context& context) : context_(context) {}

  void add_rows(std::uint64_t rows) {
    const std::uint64_t done = rows_.fetch_add(rows) + rows;
    if (!context_.progress || !mutex_.try_lock()) {
      return;
    }
    const std::lock_guard lock(mutex_, std::adopt_lock);
    const auto now = std::chrono::steady_clock::now();
    if (now - last_call_ >= std::chrono::milliseconds(100)) {
      last_call_ = now;
      context_.progress(Progress{done, -1.0});
    }
  }

 private:
  const Context& context_;
  std::atomic<std::uint64_t> rows_{0};
  std::mutex mutex_;
  std::chrono::steady_clock::time_point last_call_{};
};

}  // namespace

PrivateRecordQueue::PrivateRecordQueue(const PrivateTable& table, const Encoder& encoder)
    : table_(table), encoder_(encoder) {}

bool PrivateRecordQueue::advance_to_next_batch() {
  while (true) {
    if (stream_ == nullptr) {
      if (next_part_ == table_.parts_.size()) {
        return false;
      }
      // Bound before it is put in its place: if this throws, other workers find no stream.
      auto stream = std::make_shared<RecordStream>(table_.parts_[next_part_++]());
      binding_ = std::make_shared<const EncoderBinding>(encoder_.bind(stream->schema()));
      stream_ = std::move(stream);
    }
    auto batch = std::make_shared<RecordBatch>();
    if (stream_->next(*batch)) {
      batch_ = std::move(batch);
      next_row_ = 0;
      return true;
    }
    stream_ = nullptr;
  }
}

bool PrivateRecordQueue::next(Slice& slice) {
  const std::lock_guard lock(mutex_);
  slice = Slice{};
  while (batch_ == nullptr || next_row_ == batch_->rows()) {
    if (!advance_to_next_batch()) {
      return false;
    }
  }
  const std::size_t rows = std::min(kSliceRows, batch_->rows() - next_row_);
  slice.stream = stream_;
  slice.owner = batch_;
  slice.binding = binding_;
  slice.rows = batch_->value();
  slice.rows.release = nullptr;
  slice.rows.offset += static_cast<std::int64_t>(next_row_);
  slice.rows.length = static_cast<std::int64_t>(rows);
  next_row_ += rows;
  if (binding_->privacy_unit) {
    mark_kept_rows(slice);
  }
  return true;
}

void PrivateRecordQueue::mark_kept_rows(Slice& slice) {
  const PrivacyUnit& unit = *table_.schema_.privacy_unit();
  const ColumnView view(slice.stream->schema(), slice.rows, *binding_->privacy_unit);
  slice.kept.resize(view.rows());
  for (std::size_t row = 0; row < view.rows(); ++row) {
    if (view.may_miss() && view.is_missing(row)) {
      throw Error(
          ErrorCode::kInvalidTable,
          fmt::format(
              "the privacy unit '{}' is missing in a record, so it is not known whose record it "
              "is; fill it in, or leave such records out",
              unit.column));
    }
    std::string number;
    std::string_view name;
    if (view.type() == ColumnType::kText) {
      name = view.text(row);
    } else {
      name = number = view.integer_text(row);
    }
    std::size_t& seen = rows_of_unit(name);
    slice.kept[row] = seen < unit.max_rows ? 1 : 0;
    seen += slice.kept[row];
    wipe_memory(number.data(), number.size());
  }
}

std::size_t& PrivateRecordQueue::rows_of_unit(std::string_view unit) {
  const auto found = rows_of_unit_.find(unit);
  return found != rows_of_unit_.end() ? found->second
                                      : rows_of_unit_.emplace(unit, 0).first->second;
}

bool for_private_slices(const PrivateTable& table, const Encoder& encoder, const Context& context,
                        const PrivateSliceWork& work) {
  if (context.threads < 1) {
    throw Error(ErrorCode::kInvalidArgument, "the number of threads must be at least 1, but is 0");
  }
  if (!(table.schema() == encoder.schema())) {
    throw Error(ErrorCode::kInvalidArgument,
                "the private table and the encoder have different schemas; make both from one");
  }
  PrivateRecordQueue queue(table, encoder);
  ProgressMeter meter(context);
  std::atomic<bool> stopped{false};
  run_workers(context.threads, [&](std::size_t worker) {
    try {
      EncodedBatch encoded;
      PrivateRecordQueue::Slice slice;
      while (!stopped.load(std::memory_order_relaxed) && queue.next(slice)) {
        context.throw_if_cancelled();
        encoder.encode(*slice.binding, slice.stream->schema(), slice.rows, encoded);
        if (!work(worker, slice, encoded)) {
          stopped.store(true, std::memory_order_relaxed);
        }
        meter.add_rows(encoded.rows);
      }
    } catch (...) {
      stopped.store(true, std::memory_order_relaxed);
      throw;
    }
  });
  return !stopped;
}

bool for_private_records(const PrivateTable& table, const Encoder& encoder, const Context& context,
                         const PrivateRecordWork& work) {
  return for_private_slices(
      table, encoder, context,
      [&](std::size_t worker, const PrivateRecordQueue::Slice& slice, const EncodedBatch& batch) {
        return work(worker, batch, slice.kept);
      });
}

}  // namespace mehler
