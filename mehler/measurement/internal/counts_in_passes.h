#pragma once

#include <cstddef>

#include "mehler/measurement/count_source.h"

namespace mehler {

/// Counts of a private table that is read anew for each request of tables of several columns. What
/// it keeps are the counts of all columns in their leaves, so memory does not grow with the
/// records.
class CountsInPasses : public CountSource {
 public:
  /// Reads the table once.
  CountsInPasses(const PrivateTable& table, const Encoder& encoder, const Context& context);

  /// Bytes that the counts of all leaves take.
  static std::size_t bytes(const Encoder& encoder);

  PartialCounts count(const CountRequest& request, const Context& context) const override;

 private:
  PartialCounts read(CountRequest request, const Context& context) const;

  const PrivateTable table_;
  const Encoder encoder_;
  const std::shared_ptr<const ValueGrids> grids_;
  const PartialCounts leaves_;  ///< of all columns
};

}  // namespace mehler
