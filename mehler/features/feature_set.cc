#include "mehler/features/feature_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "mehler/core/error.h"
#include "mehler/core/integer_math.h"
#include "mehler/core/name_suggestions.h"

namespace mehler {
namespace {

/// Adds what a block's sums take to `bytes`; throws if that is more than the limit.
void require_memory(const FeatureBlock& block, std::size_t rows, std::size_t& bytes) {
  const std::size_t block_bytes =
      multiply_saturating(multiply_saturating(rows, block.dimension()), sizeof(std::int64_t));
  if (block_bytes <= FeatureSet::kMaxBytes - bytes) {
    bytes += block_bytes;
    return;
  }
  throw Error(
      ErrorCode::kInvalidArgument,
      fmt::format(
          "the sums of block '{}' ({} classes, features of {} columns) would take {:.4g} MB "
          "besides {:.4g} MB of the blocks before it, and all blocks together may take {} MB; "
          "choose fewer columns for products, lower orders or fewer products",
          shown(block.name), rows, block.maps.size(), static_cast<double>(block_bytes) / 1e6,
          static_cast<double>(bytes) / 1e6, FeatureSet::kMaxBytes / 1'000'000));
}

/// Throws unless every map of a product block is of a column or a pixel of its own, or of a
/// direction.
void require_product_maps(const FeatureBlock& block) {
  std::set<std::pair<std::size_t, std::optional<std::size_t>>> columns;
  for (const WeightedMap& member : block.maps) {
    const FeatureMap::Kind kind = member.map.kind();
    if (kind == FeatureMap::Kind::kConstant || member.map.is_fourier() ||
        kind == FeatureMap::Kind::kMissing || kind == FeatureMap::Kind::kPixels ||
        (member.map.is_of_one_column() &&
         !columns.insert({member.map.column(), member.map.inputs()[0].element}).second)) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("block '{}' is a product, whose maps are of different columns or "
                              "pixels, but one is of no column, two are of the same, or one is of "
                              "Fourier features, of missing values or of all pixels",
                              shown(block.name)));
    }
  }
}

void require_sum_maps(const FeatureBlock& block) {
  for (const WeightedMap& member : block.maps) {
    if (member.map.kind() == FeatureMap::Kind::kHermite &&
        (!member.map.is_of_one_column() || member.map.inputs()[0].element)) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("block '{}' has features of a direction or of one pixel, which only "
                              "products have",
                              shown(block.name)));
    }
  }
}

}  // namespace

FeatureSet::FeatureSet(const Encoder& encoder, std::vector<FeatureBlock> blocks)
    : blocks_(std::move(blocks)) {
  if (encoder.label()) {
    classes_ = encoder.columns()[*encoder.label()].code_count();
  }
  if (blocks_.empty()) {
    throw Error(ErrorCode::kInvalidArgument,
                "a feature set needs at least one block; add a column besides the label");
  }
  std::set<std::string> names;
  std::size_t bytes = 0;
  for (const FeatureBlock& block : blocks_) {
    const auto require_positive = [&](double weight) {
      if (!(weight > 0.0) || !std::isfinite(weight)) {
        throw Error(ErrorCode::kInvalidArgument,
                    fmt::format("block '{}' has the weight {}; weights must be positive numbers",
                                shown(block.name), weight));
      }
    };
    if (block.maps.empty() || !names.insert(block.name).second ||
        (block.labelled && !encoder.label())) {
      throw Error(
          ErrorCode::kInvalidArgument,
          fmt::format("block '{}' has no features, a name that another block has, or a label "
                      "where the schema has none",
                      shown(block.name)));
    }
    require_positive(block.weight);
    for (const WeightedMap& member : block.maps) {
      require_positive(member.weight);
      if (block.combination == Combination::kProduct && member.weight != 1.0) {
        throw Error(ErrorCode::kInvalidArgument,
                    fmt::format("block '{}' is a product, whose maps have the weight 1, but one "
                                "has {}",
                                shown(block.name), member.weight));
      }
    }
    if (block.combination == Combination::kProduct) {
      require_product_maps(block);
    } else {
      require_sum_maps(block);
    }
    require_memory(block, block_rows(block), bytes);
  }
}

std::size_t FeatureSet::dimension() const {
  std::size_t sum = 0;
  for (const FeatureBlock& block : blocks_) {
    sum += block_rows(block) * block.dimension();
  }
  return sum;
}

}  // namespace mehler
