#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "mehler/table/identifier_pattern.h"
#include "mehler/table/schema.h"
#include "mehler/table/table.h"

namespace mehler {

/// Makes up the identifiers of a sample for which the schema has a pattern ("make"), in the place
/// that their columns have there. Unique in the sample.
///
/// Privacy: from the patterns, the sample's seed and the records' numbers alone.
class MadeIdentifiers {
 public:
  /// Throws Error(kInvalidArgument), naming the column, if a pattern has fewer values than `rows`.
  MadeIdentifiers(const Schema& schema, std::uint64_t rows, std::uint64_t seed);

  bool any() const { return !patterns_.empty(); }

  /// The next rows of the sample, with the columns that are made up.
  Table with(const Table& rows);

 private:
  const Schema& schema_;
  std::uint64_t seed_;
  std::uint64_t done_ = 0;                                           ///< rows
  std::vector<std::pair<std::size_t, IdentifierPattern>> patterns_;  ///< by place in the schema
};

}  // namespace mehler
