#pragma once

#include <vector>

#include "mehler/table/record_stream.h"
#include "mehler/table/schema.h"

namespace mehler {

/// Private records: a table that only code which pays for it can read.
///
/// Privacy: nothing of the records is accessible here. embedding/ reads them, once, and turns them
/// into sums that leave it only with noise. Move-only; reading consumes it.
class PrivateTable {
 public:
  /// `parts` together are the table; each is opened when its turn comes. Throws
  /// Error(kInvalidSchema) if bounds or categories are undeclared.
  PrivateTable(std::vector<RecordStreamFactory> parts, Schema schema);
  /// A table from one Arrow C stream, which is taken over.
  PrivateTable(ArrowArrayStream* stream, Schema schema);
  PrivateTable(PrivateTable&&) = default;
  PrivateTable& operator=(PrivateTable&&) = default;
  PrivateTable(const PrivateTable&) = delete;
  PrivateTable& operator=(const PrivateTable&) = delete;

  const Schema& schema() const { return schema_; }

 private:
  friend class PrivateRecordQueue;  // embedding/

  std::vector<RecordStreamFactory> parts_;
  Schema schema_;
};

}  // namespace mehler
