#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "mehler/core/strict_json.h"
#include "mehler/counts/column_partition.h"
#include "mehler/encoding/encoder.h"
#include "mehler/features/feature_map.h"

namespace mehler {

/// The cells that contrast maps use, each written once (docs/format.md, "cells").
class CellsList {
 public:
  /// The place of a map's cells in the list, where they are put if they are new.
  std::size_t place(const FeatureMap& map);
  Json to_json(const Encoder& encoder) const;

  /// Throws Error(kInvalidRelease), or Error(kInvalidArgument) of ColumnPartition.
  static CellsList from_json(const Encoder& encoder, const Json& json);
  bool empty() const { return entries_.empty(); }
  /// The contrasts of the cells at a place; throws Error(kInvalidRelease) if there are none.
  FeatureMap contrast(std::int64_t place, const JsonObjectReader& reader) const;

 private:
  struct Entry {
    std::size_t column = 0;
    std::shared_ptr<const ColumnPartition> cells;
  };
  std::vector<Entry> entries_;
};

/// The ranges of differences: [first, second, first, second, ...], and back.
Json ranges_json(const RangeHalves& splits);
FeatureMap read_differences(const Encoder& encoder, std::size_t column, const Json& ranges,
                            const JsonObjectReader& reader);

/// The index of a column among encoder.columns(), by name; throws if there is none.
std::size_t find_used_column(const Encoder& encoder, const std::string& name,
                             const JsonObjectReader& reader);

}  // namespace mehler
