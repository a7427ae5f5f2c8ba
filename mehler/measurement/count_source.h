#pragma once

#include <cstddef>
#include <memory>

#include "mehler/core/context.h"
#include "mehler/measurement/partial_counts.h"
#include "mehler/privacy/private_table.h"

namespace mehler {

/// Something that counts private records: codes in memory, a table that is read again, or others,
/// such as a cluster. The answers are the same whichever it is.
///
/// Privacy: only PrivateCounter can read the answers. The table may change between two answers;
/// each of them still has the sensitivity that its blocks are charged for.
class CountSource {
 public:
  virtual ~CountSource() = default;

  /// The exact counts of all records. May be called from several threads.
  virtual PartialCounts count(const CountRequest& request, const Context& context) const = 0;
};

/// The source for a private table: codes in memory, if these take at most `max_bytes` (and besides
/// as much again of what is computed from images); else the
/// table is read again for each request of tables of several columns. Where it cannot be (a
/// stream), or where the counts of all columns' leaves would take more than `max_bytes`, codes are
/// kept whatever they take: whether there is a release must not depend on the exact number of
/// records.
///
/// Reads the table once; where codes are given up for passes, once in part and once more. Throws
/// Error(kInvalidTable) if it does not fit the schema, Error(kCancelled) on request.
std::unique_ptr<const CountSource> make_count_source(PrivateTable&& table, const Encoder& encoder,
                                                     std::size_t max_bytes, const Context& context);

}  // namespace mehler
