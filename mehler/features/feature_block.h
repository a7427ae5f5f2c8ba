#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "mehler/features/feature_map.h"
#include "mehler/table/schema.h"

namespace mehler {

/// One member of a block: a feature map and its weight within the block.
struct WeightedMap {
  FeatureMap map;
  /// The map's features count as weight * phi in a sum block, so they carry noise of sigma /
  /// weight. Greater than 0; 1 in a product block.
  double weight = 1.0;
  bool operator==(const WeightedMap&) const = default;
};

/// How the features of a block's maps make the features of the block.
enum class Combination {
  kSum,      ///< one after the other: the kernel is the sum of the maps' kernels
  kProduct,  ///< tensor product, the first map's index running slowest: the kernel is the product
};

/// The two factors of a product block's features: phi = first (x) second. Each is rounded to a
/// grid, and the sums of their products are exact (docs/design/0006-product-blocks.md).
struct ProductHalves {
  std::size_t first_maps = 0;  ///< maps of the first factor; the others are the second
  std::size_t first_dimension = 1;
  std::size_t second_dimension = 1;
};

/// Consecutive features of a block that have one weight, and so the same noise.
struct FeatureSegment {
  std::size_t first = 0;
  std::size_t count = 0;
  double weight = 1.0;
};

/// A block of features that share one noise scale: its maps' features combined, times the one-hot
/// label (outer product) if it is labelled.
///
/// The paper's factor 1/sqrt(D) of the sum kernel multiplies features and noise alike, so it is
/// applied where a release is used, not in the sums.
struct FeatureBlock {
  std::string name;
  bool labelled = false;
  /// Importance when the budget is shared between blocks. Greater than 0.
  double weight = 1.0;
  std::vector<WeightedMap> maps;
  Combination combination = Combination::kSum;

  /// Whether it has random Fourier features, which are of all numbers or all pixels together.
  bool has_fourier() const;

  /// Parts of the sum kernel: a map each, and of an image a byte each.
  std::size_t elements() const;

  /// Entries of one record's features, without the label.
  std::size_t dimension() const;

  /// One per map of a sum block; a product block is one segment.
  std::vector<FeatureSegment> segments() const;

  /// The block's sums are multiples of 2^-grid_exponent().
  int grid_exponent() const;

  /// For a product block: where its maps are split, so that the two factors are about equally long.
  ProductHalves halves() const;

  /// The largest change, in the 2-norm of the block's weighted sums, that one record more or fewer
  /// (or one exchanged) can make. See docs/design/0002-sensitivity.md; for a sum block
  /// sqrt(sum w^2 S) under add-remove-one, and sqrt(sum w^2 M1), or, labelled, sqrt(max(2 sum w^2
  /// S, sum w^2 M1)) under replace-one; for a product block the same with prod S and the largest
  /// M1_j prod_{i != j} S_i.
  double sensitivity(NeighbourRelation relation) const;

  /// The same by the paper's rule: features have norm at most 1, so one record changes a kernel's
  /// sums by at most 1, and an exchange by at most 2. Never below sensitivity().
  double published_sensitivity(NeighbourRelation relation) const;

  /// The unrounded, weighted features of one record into out[0 .. dimension()): the reference that
  /// fast sums are tested with.
  void evaluate(const EncodedBatch& batch, std::size_t row, double* out) const;

  bool operator==(const FeatureBlock&) const = default;
};

}  // namespace mehler
