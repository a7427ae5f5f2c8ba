#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "mehler/encoding/encoder.h"
#include "mehler/features/feature_block.h"

namespace mehler {

/// Everything that is summed over the records: the blocks, and the label that splits them into
/// classes.
class FeatureSet {
 public:
  /// The memory that the sums of all blocks may take, 8 bytes a number.
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 30;

  /// Throws Error(kInvalidArgument) for a block without maps, a name given twice, a weight that is
  /// not positive, a product whose maps have weights or are not of different columns, or sums that
  /// take more than kMaxBytes.
  FeatureSet(const Encoder& encoder, std::vector<FeatureBlock> blocks);

  const std::vector<FeatureBlock>& blocks() const { return blocks_; }
  /// Classes of the label; 1 without a label.
  std::size_t classes() const { return classes_; }
  /// Rows of a block's sums: the classes of a labelled block, else 1.
  std::size_t block_rows(const FeatureBlock& block) const { return block.labelled ? classes_ : 1; }
  /// Numbers that are summed, over all blocks.
  std::size_t dimension() const;

  /// The specification as a JSON text, and back. The text is part of a release.
  std::string to_json(const Encoder& encoder) const;
  /// `max_features`: how many numbers a release has for them. More Hermite features than that are
  /// refused before their bounds are worked out, which is what takes time.
  static FeatureSet from_json(const Encoder& encoder, std::string_view text,
                              std::size_t max_features = std::numeric_limits<std::size_t>::max());

  bool operator==(const FeatureSet&) const = default;

 private:
  std::vector<FeatureBlock> blocks_;
  std::size_t classes_ = 1;
};

}  // namespace mehler
