#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "mehler/core/wiping.h"
#include "mehler/encoding/encoded_batch.h"
#include "mehler/encoding/encoder.h"
#include "mehler/features/feature_set.h"
#include "mehler/features/pixel_counts.h"
#include "mehler/features/product_accumulator.h"

namespace mehler {

/// Sums the features of encoded records exactly. One per worker; sums of several workers add up.
/// What it holds of the records is wiped when it is destroyed.
class SumAccumulator {
 public:
  /// Both must outlive it.
  SumAccumulator(const Encoder& encoder, const FeatureSet& features);

  /// Adds the rows whose entry in `kept` is not 0; all rows if `kept` is empty.
  void add(const EncodedBatch& batch, std::span<const std::uint8_t> kept);

  std::uint64_t rows() const { return rows_; }
  /// Per block, [rows][dimension], in multiples of 2^-grid_exponent() of the block.
  std::vector<WipedVector<std::int64_t>>& sums() { return sums_; }

 private:
  void sort_rows_by_class(const EncodedBatch& batch, std::span<const std::uint8_t> kept);
  /// Calls work(first, last, row of sums) for the places of each class, or for all of them.
  void for_classes(const FeatureBlock& block, const auto& work) const;
  void add_map(const FeatureMap& map, const EncodedBatch& batch, std::size_t first,
               std::size_t last, std::int64_t* sums);

  /// Images of a class, by their bytes' counts.
  struct PixelSums {
    explicit PixelSums(const FeatureMap& map);

    PixelCounts counts;
    std::vector<std::int32_t> features;  ///< of each byte, rounded, [256][dimension of a byte]
  };
  void add_pixels(const FeatureMap& map, const EncodedBatch& batch, std::size_t first,
                  std::size_t last, std::int64_t* sums);
  void add_fourier_of_pixels(const FeatureMap& map, const EncodedBatch& batch, std::size_t first,
                             std::size_t last, std::int64_t* sums);

  const Encoder& encoder_;
  const FeatureSet& features_;
  std::uint64_t rows_ = 0;
  std::vector<WipedVector<std::int64_t>> sums_;

  // The kept rows of the current batch in the order of their class; class c has places
  // class_begin_[c] .. class_begin_[c + 1].
  WipedVector<std::uint32_t> sorted_rows_;
  WipedVector<std::size_t> class_begin_;
  WipedVector<double> values_;
  std::vector<ProductAccumulator> products_;  ///< one for each product block
  std::map<const FeatureMap*, PixelSums> pixels_;
};

}  // namespace mehler
