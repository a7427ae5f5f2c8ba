#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mehler/core/wiping.h"
#include "mehler/encoding/encoded_batch.h"
#include "mehler/features/feature_set.h"

namespace mehler {

/// Sums the features of a product block exactly.
///
/// Records with the same codes in all one-hot maps share a cell of the block; within a cell only
/// the Hermite maps' features multiply. They are split into two factors, each rounded to a grid,
/// whose products are summed as integers (docs/design/0006-product-blocks.md). Records with the
/// same numbers are multiplied once and counted; each slice is searched for them by itself, so that
/// what a record costs does not depend on records of other slices.
class ProductAccumulator {
 public:
  /// `block` must outlive the accumulator.
  explicit ProductAccumulator(const FeatureBlock& block);

  /// Adds the features of some rows of a batch to sums[0 .. block.dimension()).
  void add(const EncodedBatch& batch, std::span<const std::uint32_t> rows, std::int64_t* sums);

 private:
  friend struct ProductAccumulatorTestPeer;  // tests/ only

  /// One factor of the product of the Hermite maps: which they are, and where their combinations
  /// stand in the block.
  struct Factor {
    std::vector<const FeatureMap*> maps;
    std::vector<std::size_t> places;
    std::size_t shorter_count = 1;  ///< combinations of all maps but the last
    WipedVector<double> shorter;    ///< their products, [shorter_count][stride]
    WipedVector<double> last;       ///< the last map's features, [dimension][stride]
    WipedVector<double> scratch;
  };

  void fill_map(const FeatureMap& map, const EncodedBatch& batch,
                std::span<const std::uint32_t> rows, std::size_t stride, WipedVector<double>& out);
  /// All but the last multiplication.
  void fill(Factor& factor, const EncodedBatch& batch, std::span<const std::uint32_t> rows,
            std::size_t stride);
  /// The last multiplication, rounded: `count` rows from `first` on.
  static void finish_rows(const Factor& factor, std::size_t stride, std::size_t first,
                          std::size_t count, WipedVector<double>& out);
  /// Keeps the first of all records with the same numbers, and how many there are.
  void find_different_records(const EncodedBatch& batch, std::span<const std::uint32_t> rows);
  void add_cell(const EncodedBatch& batch, std::span<const std::uint32_t> rows, std::int64_t* sums);

  std::vector<const FeatureMap*> coded_maps_;
  std::vector<std::size_t> coded_strides_;
  Factor shorter_;  ///< the factor with fewer places: all of it is kept for a chunk of records
  Factor longer_;   ///< the other: made, multiplied and forgotten some rows at a time
  std::size_t chunk_rows_ = 0;
  WipedVector<double> values_;
  WipedVector<double> kept_rows_;
  WipedVector<double> passing_rows_;
  WipedVector<std::pair<std::size_t, std::uint32_t>> cells_;
  WipedVector<std::uint32_t> cell_rows_;
  bool search_pays_ = false;            ///< whether to look for equal records: by the block's size
  WipedVector<std::uint64_t> numbers_;  ///< of the rows, [rows][maps], as bits
  WipedVector<std::uint32_t> places_;   ///< of a hash table: 1 + a place in different_rows_, or 0
  WipedVector<std::uint32_t> different_rows_;
  WipedVector<std::uint32_t> first_places_;  ///< of each of them: where its numbers stand
  WipedVector<double> repeats_;              ///< of each of them
};

}  // namespace mehler
