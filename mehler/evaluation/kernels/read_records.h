#pragma once

#include <vector>

#include "mehler/core/context.h"
#include "mehler/encoding/encoded_batch.h"
#include "mehler/encoding/encoder.h"
#include "mehler/table/record_stream.h"
#include "mehler/table/table.h"

namespace mehler {

/// All records of a table, encoded, in memory: 8 bytes a number, 4 a category, 1 a byte of
/// an image.
///
/// Throws Error(kInvalidTable) if there are none or one does not fit the schema, Error(kCancelled).
///
/// Privacy: for evaluation, by the data's owner. What is computed from the result is covered by no
/// guarantee.
EncodedBatch read_records(const Encoder& encoder, const std::vector<RecordStreamFactory>& parts,
                          const Context& context);

/// The same of a table in memory.
EncodedBatch read_records(const Encoder& encoder, const Table& table);

}  // namespace mehler
