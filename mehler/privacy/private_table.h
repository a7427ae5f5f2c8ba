#pragma once

#include <vector>

#include "mehler/table/record_stream.h"
#include "mehler/table/schema.h"

namespace mehler {

/// Private records: a table that only code which pays for it can read.
///
/// Privacy: nothing of the records is accessible here. measurement/ reads them and turns them into
/// sums and counts that leave it only with noise. Move-only; measuring consumes it.
class PrivateTable {
 public:
  /// Whether parts can be opened a second time, and give the same records then: files, say, but not
  /// a pipe.
  enum class Parts { kForOnePass, kForManyPasses };

  /// `parts` together are the table; each is opened when its turn comes. Throws
  /// Error(kInvalidSchema) if bounds or categories are undeclared; they may be still to be bought.
  PrivateTable(std::vector<RecordStreamFactory> parts, Schema schema,
               Parts kind = Parts::kForOnePass);
  /// A table from one Arrow C stream, which is taken over.
  PrivateTable(ArrowArrayStream* stream, Schema schema);
  PrivateTable(PrivateTable&&) = default;
  PrivateTable& operator=(PrivateTable&&) = default;
  PrivateTable(const PrivateTable&) = delete;
  PrivateTable& operator=(const PrivateTable&) = delete;

  const Schema& schema() const { return schema_; }
  bool can_be_read_again() const { return kind_ == Parts::kForManyPasses; }

 private:
  friend class PrivateRecordQueue;  // measurement/
  friend class CountsInPasses;      // measurement/
  friend class DomainCounts;        // measurement/

  /// The same table, for another pass.
  PrivateTable again() const { return again(schema_); }
  PrivateTable again(Schema schema) const { return {parts_, std::move(schema), kind_}; }

  std::vector<RecordStreamFactory> parts_;
  Schema schema_;
  Parts kind_ = Parts::kForOnePass;
};

}  // namespace mehler
