#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mehler/encoding/encoded_batch.h"
#include "mehler/features/feature_set.h"

namespace mehler {

/// Sums the features of a product block exactly.
///
/// Records with the same codes in all one-hot maps share a cell of the block; within a cell only
/// the Hermite maps' features multiply. They are split into two factors, each rounded to a grid,
/// whose products are summed as integers (docs/design/0006-product-blocks.md).
class ProductAccumulator {
 public:
  /// `block` must outlive the accumulator.
  explicit ProductAccumulator(const FeatureBlock& block);

  /// Adds the features of some rows of a batch to sums[0 .. block.dimension()).
  void add(const EncodedBatch& batch, std::span<const std::uint32_t> rows, std::int64_t* sums);

 private:
  /// One factor of the product of the Hermite maps: which they are, and where their combinations
  /// stand in the block.
  struct Factor {
    std::vector<const FeatureMap*> maps;
    std::vector<std::size_t> places;
    std::size_t shorter_count = 1;  ///< combinations of all maps but the last
    std::vector<double> shorter;    ///< their products, [shorter_count][stride]
    std::vector<double> last;       ///< the last map's features, [dimension][stride]
    std::vector<double> scratch;
  };

  void fill_map(const FeatureMap& map, const EncodedBatch& batch,
                std::span<const std::uint32_t> rows, std::size_t stride, std::vector<double>& out);
  /// All but the last multiplication.
  void fill(Factor& factor, const EncodedBatch& batch, std::span<const std::uint32_t> rows,
            std::size_t stride);
  /// The last multiplication, rounded: `count` rows from `first` on.
  static void finish_rows(const Factor& factor, std::size_t stride, std::size_t first,
                          std::size_t count, std::vector<double>& out);
  /// Of records with the same numbers keeps one, with how many there are; false if that would leave
  /// too many to be worth it.
  bool find_different_records(const EncodedBatch& batch, std::span<const std::uint32_t> rows);
  void add_cell(const EncodedBatch& batch, std::span<const std::uint32_t> rows, std::int64_t* sums);

  const FeatureBlock& block_;
  std::vector<const FeatureMap*> coded_maps_;
  std::vector<std::size_t> coded_strides_;
  Factor shorter_;  ///< the factor with fewer places: all of it is kept for a chunk of records
  Factor longer_;   ///< the other: made, multiplied and forgotten some rows at a time
  std::size_t chunk_rows_ = 0;
  std::vector<double> values_;
  std::vector<double> kept_rows_;
  std::vector<double> passing_rows_;
  std::vector<std::pair<std::size_t, std::uint32_t>> cells_;
  std::vector<std::uint32_t> cell_rows_;
  bool may_repeat_ = false;  ///< it may pay to look for records with the same numbers
  std::vector<std::uint32_t> different_rows_;
  std::vector<double> repeats_;  ///< of each of them
};

}  // namespace mehler
