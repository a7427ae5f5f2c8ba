#include "mehler/synthesis/count_blocks.h"

#include <fmt/format.h>

namespace mehler {

FeatureBlock contrast_block(const Encoder& encoder, std::span<const std::size_t> columns,
                            std::span<const std::shared_ptr<const ColumnCells>> cells,
                            std::string_view step) {
  FeatureBlock block;
  for (const std::size_t column : columns) {
    block.name += (block.name.empty() ? "" : " x ") + encoder.columns()[column].name;
    block.maps.push_back({FeatureMap::contrast(column, cells[column]), 1.0});
  }
  block.name += step.empty() ? "" : fmt::format(" ({})", step);
  block.combination = Combination::kProduct;
  return block;
}

}  // namespace mehler
