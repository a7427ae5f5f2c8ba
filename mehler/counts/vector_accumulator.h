#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "mehler/core/wiping.h"
#include "mehler/counts/vector_sum.h"

namespace mehler {

/// Sums what records add to a VectorSum, in integers.
///
/// Privacy: holds what it is given; wiped when it is destroyed.
class VectorAccumulator {
 public:
  /// The sum must outlive it.
  explicit VectorAccumulator(const VectorSum& sum);

  /// One record: the leaf of every column of the encoder. Not for sums of images.
  void add(std::span<const std::uint32_t> leaves);

  /// Some records of a sum of images, by their scores, [rows][scores], and their classes (anything
  /// where the sum has none).
  void add_images(std::span<const float> scores, std::span<const std::uint32_t> classes);

  /// Images whose rounded gradients are summed together.
  static constexpr std::size_t kTileImages = 64;
  /// The same of a rounded gradient, by the vectors of up to kTileImages images that
  /// round_into_tile() gave.
  void add_rounded(std::span<const std::int16_t> tile, std::span<const std::uint32_t> classes);

  /// Adds the sums so far to `sums`, of the sum's dimension.
  void add_to(std::span<std::int64_t> sums);

 private:
  using Numbers = WipedVector<double>;
  using Integers = WipedVector<std::int64_t>;

  /// Records whose products are summed together.
  static constexpr std::size_t kHeldRecords = 16;

  /// What vector_ adds to the numbers of a class, or of a cell of one.
  void add_vector(std::size_t block);
  void add_length(std::size_t class_of_record);
  void add_mean(std::size_t block);
  void hold_for_products(std::size_t class_of_record);
  void sum_held(std::size_t class_of_record);
  void add_loadings();
  void add_gradient(std::size_t class_of_record);
  /// Softmax of logits, less 1 at the class.
  void turn_into_errors(std::span<double> logits, std::size_t class_of_record) const;
  /// The errors of an image of the tile, shortened and rounded.
  void fill_errors(std::size_t image, std::size_t class_of_image);

  const VectorSum& sum_;
  std::size_t own_;  ///< dimension of the vector
  Numbers scores_;
  Numbers vector_;
  Numbers second_;  ///< the other vector, or a gradient
  Integers sums_;
  /// Of each class: the rounded entries of some vectors, [entry][record], and how many there are.
  std::vector<WipedVector<std::int32_t>> held_;
  std::vector<std::size_t> held_records_;
  /// Of rounded gradients: a tile's vectors, [entry][image], and errors, [class][image], whole
  /// numbers with rows of padding; where their products go; the weights.
  struct GradientTile {
    WipedVector<double> vectors;
    WipedVector<double> errors;
    std::vector<std::size_t> vector_places;
    std::vector<std::size_t> error_places;
    std::vector<float> weights;
    WipedVector<float> entries;         ///< the vectors as floats
    WipedVector<float> logits;          ///< [image][class]
    WipedVector<std::int64_t> squares;  ///< of each image's vector
  };
  GradientTile gradients_;
};

/// The vectors of images, [rows][dimension], rounded to multiples of 2^-kGradientExponent: what a
/// rounded gradient makes of its records whatever the weights are. A row depends on itself alone.
void round_vectors(const ImageVector& vector, std::span<const float> scores,
                   std::span<const std::uint32_t> classes, std::span<std::int16_t> rounded);
/// The same of up to kTileImages images, [dimension][kTileImages], zeros behind the last.
void round_into_tile(const ImageVector& vector, std::span<const float> scores,
                     std::span<const std::uint32_t> classes, std::span<std::int16_t> tile);

}  // namespace mehler
