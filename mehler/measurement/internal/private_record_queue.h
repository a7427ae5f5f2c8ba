#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/core/wiping.h"
#include "mehler/encoding/encoder.h"
#include "mehler/privacy/private_table.h"

namespace mehler {

/// Hands the records of a private table to workers, a slice at a time, part after part.
/// Thread-safe.
class PrivateRecordQueue {
 public:
  /// The most rows of a slice: what a worker encodes at once.
  static constexpr std::size_t kSliceRows = 16384;

  /// Some rows of a batch, and what is needed to encode them.
  struct Slice {
    std::shared_ptr<const RecordStream> stream;
    std::shared_ptr<const RecordBatch> owner;
    std::shared_ptr<const EncoderBinding> binding;
    ArrowArray rows{};  ///< a view into `owner`; not to be released
    /// With a privacy unit: 1 for each row that is kept. Else empty, and all are.
    WipedVector<std::uint8_t> kept;
  };

  /// Both must outlive it.
  PrivateRecordQueue(const PrivateTable& table, const Encoder& encoder);

  /// The next slice; false when all records have been handed out.
  bool next(Slice& slice);

 private:
  /// Hashes texts, so that a map can look one up without a copy.
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  bool advance_to_next_batch();
  void mark_kept_rows(Slice& slice);
  std::size_t& rows_of_unit(std::string_view unit);

  const PrivateTable& table_;
  const Encoder& encoder_;
  std::mutex mutex_;
  std::size_t next_part_ = 0;
  std::shared_ptr<RecordStream> stream_;
  std::shared_ptr<const EncoderBinding> binding_;
  std::shared_ptr<const RecordBatch> batch_;
  std::size_t next_row_ = 0;
  /// Records seen of each privacy unit. Exact, so that no two people can share a place in it; wiped
  /// when it is destroyed.
  std::unordered_map<WipedText, std::size_t, TextHash, std::equal_to<>,
                     WipingAllocator<std::pair<const WipedText, std::size_t>>>
      rows_of_unit_;
};

/// What is done with a slice on one of the threads. Returns false if no more records are wanted.
using PrivateSliceWork = std::function<bool(
    std::size_t worker, const PrivateRecordQueue::Slice& slice, const EncodedBatch& batch)>;

/// Reads the table once, encodes its records and calls `work` on the context's threads, with
/// progress. Throws what encoding throws, Error(kCancelled) on request, and Error(kInvalidArgument)
/// if the table and the encoder have different schemas. Returns whether all records were read.
bool for_private_slices(const PrivateTable& table, const Encoder& encoder, const Context& context,
                        const PrivateSliceWork& work);

/// What is done with some encoded records on one of the threads. Rows whose entry in `kept` is 0
/// are left out; if it is empty, none is. Returns false if no more records are wanted.
using PrivateRecordWork = std::function<bool(std::size_t worker, const EncodedBatch& batch,
                                             std::span<const std::uint8_t> kept)>;

/// The same for work that needs the encoded records alone.
bool for_private_records(const PrivateTable& table, const Encoder& encoder, const Context& context,
                         const PrivateRecordWork& work);

}  // namespace mehler
