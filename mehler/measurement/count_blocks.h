#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mehler/encoding/encoder.h"
#include "mehler/features/feature_block.h"

namespace mehler {

/// A column's name in the name of a block: the name itself, or in quotes where it could be taken
/// for the names of several columns or for a step. Different columns, sets of columns and steps
/// give blocks of different names.
std::string block_word(const std::string& column);

/// Throws Error(kInvalidArgument) if no column has more than one possible value: there would be
/// nothing to measure.
void require_varying_column(const Encoder& encoder);

/// The number of all records.
FeatureBlock record_count_block();

/// The contrasts of the counts of one, two or three columns, in these cells of all columns. The
/// block is named after its columns and the step, if any, that measures it: "age x sex (round 1)".
FeatureBlock contrast_block(const Encoder& encoder, std::span<const std::size_t> columns,
                            std::span<const std::shared_ptr<const ColumnPartition>> cells,
                            std::string_view step);

}  // namespace mehler
