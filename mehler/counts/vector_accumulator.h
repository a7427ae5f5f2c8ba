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

  /// One record: the leaf of every column of the encoder.
  void add(std::span<const std::uint32_t> leaves);

  /// Adds the sums so far to `sums`, of the sum's dimension.
  void add_to(std::span<std::int64_t> sums);

 private:
  using Numbers = WipedVector<double>;
  using Integers = WipedVector<std::int64_t>;

  /// Records whose products are summed together.
  static constexpr std::size_t kHeldRecords = 16;

  void add_length(std::size_t class_of_record);
  void add_mean(std::size_t class_of_record);
  void hold_for_products(std::size_t class_of_record);
  void sum_held(std::size_t class_of_record);
  void add_loadings();
  void add_gradient(std::size_t class_of_record);

  const VectorSum& sum_;
  std::size_t own_;  ///< dimension of the vector
  Numbers scores_;
  Numbers vector_;
  Numbers second_;  ///< the other vector, or a gradient
  Integers sums_;
  /// Of each class: the rounded entries of some vectors, [entry][record], and how many there are.
  std::vector<WipedVector<std::int32_t>> held_;
  std::vector<std::size_t> held_records_;
};

}  // namespace mehler
