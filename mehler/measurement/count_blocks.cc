#include "mehler/measurement/count_blocks.h"

#include <fmt/format.h>

#include <algorithm>

#include "mehler/core/error.h"

namespace mehler {

std::string block_word(const std::string& column) {
  const bool is_plain = (" " + column + " ").find(" x ") == std::string::npos || column == "x";
  if (is_plain && column.find('"') == std::string::npos && !column.ends_with(')')) {
    return column;
  }
  std::string word = "\"";
  for (const char c : column) {
    word += c == '"' ? "\"\"" : std::string(1, c);
  }
  return word + "\"";
}

void require_varying_column(const Encoder& encoder) {
  if (std::all_of(encoder.columns().begin(), encoder.columns().end(), [](const Column& column) {
        return ColumnPartition::even(column, 2).size() < 2;
      })) {
    throw Error(ErrorCode::kInvalidArgument,
                "every column of the schema has a single possible value, so there is nothing to "
                "measure; declare more values, or add columns");
  }
}

FeatureBlock record_count_block() {
  FeatureBlock block;
  block.name = "count";
  block.maps.push_back({FeatureMap::constant(), 1.0});
  return block;
}

FeatureBlock contrast_block(const Encoder& encoder, std::span<const std::size_t> columns,
                            std::span<const std::shared_ptr<const ColumnPartition>> cells,
                            std::string_view step) {
  FeatureBlock block;
  for (const std::size_t column : columns) {
    block.name += (block.name.empty() ? "" : " x ") + block_word(encoder.columns()[column].name);
    block.maps.push_back({FeatureMap::contrast(column, cells[column]), 1.0});
  }
  block.name += step.empty() ? "" : fmt::format(" ({})", step);
  block.combination = Combination::kProduct;
  block.step = step;
  return block;
}

}  // namespace mehler
