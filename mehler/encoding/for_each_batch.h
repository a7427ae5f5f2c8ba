#pragma once

#include <vector>

#include "mehler/core/context.h"
#include "mehler/encoding/encoder.h"
#include "mehler/table/record_stream.h"

namespace mehler {

/// Calls work(binding, stream schema, batch) for every batch of a stream. Throws what binding
/// throws, and Error(kCancelled).
///
/// Privacy: no privacy unit limits the records. For synthetic ones, and for real ones that their
/// owner looks at; never for a release.
void for_each_batch(RecordStream&& stream, const Encoder& encoder, const Context& context,
                    const auto& work) {
  const EncoderBinding binding = encoder.bind_without_unit(stream.schema());
  RecordBatch batch;
  while (stream.next(batch)) {
    context.throw_if_cancelled();
    work(binding, stream.schema(), batch.value());
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
