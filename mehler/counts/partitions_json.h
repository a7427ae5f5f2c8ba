#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mehler/core/strict_json.h"
#include "mehler/counts/count_block.h"

namespace mehler {

/// The columns' cells that marginals use, each written once (docs/format.md, "cells").
class PartitionList {
 public:
  /// The place of a column's cells in the list, where they are put if they are new.
  std::size_t place(const CountedColumn& counted);
  Json to_json(const Encoder& encoder) const;

  /// Throws Error(kInvalidRelease), or Error(kInvalidArgument) of ColumnPartition.
  static PartitionList from_json(const Encoder& encoder, const Json& json);
  /// The cells at a place; throws Error(kInvalidRelease) if there are none.
  const CountedColumn& at(const Json& place, const JsonObjectReader& reader) const;

 private:
  std::vector<CountedColumn> entries_;
};

/// The ranges of halves: [first, second, first, second, ...], and back.
Json ranges_json(const RangeHalves& halves);
HalvedRanges read_ranges(const Encoder& encoder, JsonObjectReader& reader);

}  // namespace mehler
