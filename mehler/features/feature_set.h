#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mehler/encoding/encoder.h"
#include "mehler/features/feature_map.h"

namespace mehler {

/// One member of a sum block: a feature map and its weight within the block.
struct WeightedMap {
  FeatureMap map;
  /// The map's features count as weight * phi in the block, so they carry noise of sigma / weight.
  /// Greater than 0.
  double weight = 1.0;
  bool operator==(const WeightedMap&) const = default;
};

/// A block of features that share one noise scale: the concatenation of its maps' features, times
/// the one-hot label (outer product) if it is labelled.
///
/// The paper's factor 1/sqrt(D) of the sum kernel multiplies features and noise alike, so it is
/// applied where a release is used, not in the sums.
struct FeatureBlock {
  std::string name;
  bool labelled = false;
  /// Importance when the budget is shared between blocks. Greater than 0.
  double weight = 1.0;
  std::vector<WeightedMap> maps;

  /// Entries of one record's features, without the label.
  std::size_t dimension() const;

  /// The largest change, in the 2-norm of the block's weighted sums, that one record more or fewer
  /// (or one exchanged) can make. Add-remove-one: sqrt(sum w^2 S). Replace-one: sqrt(sum w^2 M1),
  /// or, labelled, sqrt(max(2 sum w^2 S, sum w^2 M1)). See docs/design/0002-sensitivity.md.
  double sensitivity(NeighbourRelation relation) const;

  bool operator==(const FeatureBlock&) const = default;
};

/// Options of the Hermite sum features. Never read from data.
struct HermiteOptions {
  /// Documented defaults: with them the features lose at most 0.13% of their norm on the bounded
  /// domain.
  static constexpr std::size_t kDefaultOrder = 20;
  static constexpr double kDefaultLengthScale = 0.15;

  std::size_t order = kDefaultOrder;
  /// In units where the declared bounds are -1 and 1.
  double length_scale = kDefaultLengthScale;
  /// Length scales of single columns, by name.
  std::map<std::string, double> column_length_scales;
  /// Weights of single columns within the sum block, by name.
  std::map<std::string, double> column_weights;
};

/// Everything that is summed over the records: the blocks, and the label that splits them into
/// classes.
class FeatureSet {
 public:
  /// Throws Error(kInvalidArgument) for a block without maps, a name given twice, or a weight that
  /// is not positive.
  FeatureSet(const Encoder& encoder, std::vector<FeatureBlock> blocks);

  /// The counts (of classes, or of all records; left out where the relation makes them public) and
  /// the sum block over every column but the label.
  static FeatureSet hermite_sums(const Encoder& encoder, const HermiteOptions& options);

  const std::vector<FeatureBlock>& blocks() const { return blocks_; }
  /// Classes of the label; 1 without a label.
  std::size_t classes() const { return classes_; }
  /// Rows of a block's sums: the classes of a labelled block, else 1.
  std::size_t block_rows(const FeatureBlock& block) const { return block.labelled ? classes_ : 1; }
  /// Numbers that are summed, over all blocks.
  std::size_t dimension() const;

  /// The specification as a JSON text, and back. The text is part of a release.
  std::string to_json(const Encoder& encoder) const;
  static FeatureSet from_json(const Encoder& encoder, std::string_view text);

  bool operator==(const FeatureSet&) const = default;

 private:
  std::vector<FeatureBlock> blocks_;
  std::size_t classes_ = 1;
};

}  // namespace mehler
