#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/encoding/encoder.h"
#include "mehler/table/record_stream.h"

namespace mehler {

/// Rows that are worked on at once: a batch of a data frame may be all of it.
inline constexpr std::int64_t kRowsAtOnce = 65'536;

/// Calls work(binding, stream schema, batch) for every batch of a stream, of which larger ones are
/// cut. Throws what binding throws, and Error(kCancelled).
///
/// Privacy: no privacy unit limits the records. For synthetic ones, and for real ones that their
/// owner looks at; never for a release.
void for_each_batch(RecordStream&& stream, const Encoder& encoder, const Context& context,
                    const auto& work) {
  const EncoderBinding binding = encoder.bind_without_unit(stream.schema());
  RecordBatch batch;
  while (stream.next(batch)) {
    const std::int64_t rows = batch.value().length;
    ArrowArray piece = batch.value();  // a view, never released
    for (std::int64_t first = 0; first == 0 || first < rows; first += kRowsAtOnce) {
      context.throw_if_cancelled();
      piece.offset = batch.value().offset + first;
      piece.length = std::min(kRowsAtOnce, rows - first);
      work(binding, stream.schema(), piece);
    }
  }
}

/// The same of a table in parts.
void for_each_batch(const std::vector<RecordStreamFactory>& parts, const Encoder& encoder,
                    const Context& context, const auto& work) {
  for (const RecordStreamFactory& open : parts) {
    for_each_batch(open(), encoder, context, work);
  }
}

}  // namespace mehler
