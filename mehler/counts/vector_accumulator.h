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

  /// The same of a rounded gradient, by the rows that round_vectors() gave.
  void add_rounded(std::span<const std::int16_t> rounded, std::span<const std::uint32_t> classes);

  /// Adds the sums so far to `sums`, of the sum's dimension.
  void add_to(std::span<std::int64_t> sums);

 private:
  using Numbers = WipedVector<double>;
  using Integers = WipedVector<std::int64_t>;

  /// Records whose products are summed together.
  static constexpr std::size_t kHeldRecords = 64;

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
  /// The errors of an image by its logits, shortened for its rounded vector and rounded.
  void fill_errors(std::span<const float> logits, std::span<const std::int16_t> vector,
                   std::size_t class_of_image, std::span<double> errors);
  void sum_gradients();

  const VectorSum& sum_;
  std::size_t own_;  ///< dimension of the vector
  Numbers scores_;
  Numbers vector_;
  Numbers second_;  ///< the other vector, or a gradient
  Integers sums_;
  /// Of each class: the rounded entries of some vectors, [entry][record], and how many there are.
  std::vector<WipedVector<std::int32_t>> held_;
  std::vector<std::size_t> held_records_;
  /// Of rounded gradients. Classes are padded to `classes`.
  struct RoundedGradients {
    std::size_t classes = 0;
    std::vector<float> weights;     ///< [class][rounded_stride], of what rounded entries count
    WipedVector<float> logits;      ///< [image][class]
    WipedVector<double> errors;     ///< [image][class], whole numbers
    WipedVector<double> sums;       ///< [class][rounded_stride], whole numbers, exact
    std::size_t summed_images = 0;  ///< in these sums
  };
  RoundedGradients gradients_;
};

/// From one row of rounded vectors of a dimension to the next.
std::size_t rounded_stride(std::size_t dimension);
/// The vectors of images, [rows][rounded_stride], rounded to multiples of 2^-kGradientExponent, and
/// zeros: what a rounded gradient makes of its records whatever the weights are. A row depends on
/// itself alone.
void round_vectors(const ImageVector& vector, std::span<const float> scores,
                   std::span<const std::uint32_t> classes, std::span<std::int16_t> rounded);

}  // namespace mehler
