#pragma once

#include <cstdlib>
#include <optional>
#include <string>

#include "fuzz/temporary_file.h"
#include "mehler/core/error.h"
#include "mehler/encoding/encoder.h"
#include "mehler/table/readers/table_reader.h"
#include "mehler/table/schema_draft.h"

namespace mehler {

inline void abort_if_ours(const Error& error) {
  if (error.code() == ErrorCode::kInternal) {
    std::abort();
  }
}

/// Reads a table to its end: through an encoder where there is a schema, else as a public table's
/// schema is read. An Error that is a bug of ours ends the program.
inline void read_table(const std::string& path, const TableReadOptions& options,
                       const Schema* schema) {
  try {
    const TableReader reader({path}, options, schema);
    PublicSchemaReader contents(std::nullopt);
    for (const RecordStreamFactory& part : reader.parts()) {
      if (schema == nullptr) {
        contents.read(part(), Context{});
        continue;
      }
      RecordStream stream = part();
      const Encoder encoder(*schema);
      const EncoderBinding binding = encoder.bind(stream.schema());
      RecordBatch batch;
      EncodedBatch encoded;
      for (int failures = 0; failures < 3;) {  // as workers do that meet an error one after another
        try {
          if (!stream.next(batch)) {
            break;
          }
          encoder.encode(binding, stream.schema(), batch.value(), encoded);
        } catch (const Error& error) {
          abort_if_ours(error);
          ++failures;
        }
      }
    }
    if (schema == nullptr) {
      contents.finish().schema.to_json();
    }
  } catch (const Error& error) {
    abort_if_ours(error);
  }
}

}  // namespace mehler
